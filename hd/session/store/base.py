"""What a store is to the rest of the house, and the rows it takes and gives.

Two kinds of change exist. *Kept* changes (`append`, `save_projections`, `keep_partial`) are facts that already
happened: the call returns at once, the change is written soon, and when the disk refuses it stays queued in order until
the disk takes it. *Asked* changes (everything awaited) happen or fail as a whole while the caller waits; a refused one
is forgotten. Reads see every event that was appended before them, written or not.

Ids that nobody knows raise `SessionNotFound` or `WorkspaceNotFound`; a database that cannot be read raises
`StoreDamaged` from any method.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from hd.protocol import events as tags
from hd.protocol.billing import Records
from hd.protocol.events import Event

if TYPE_CHECKING:
    from hd.session.store.search import Hit

PAGE_EVENTS = 512
PAGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it lies on disk. `time` is in ms since the epoch; `body` the JSON exactly as it crosses the wire."""

    seq: int
    time: int
    type: str
    body: bytes

    @classmethod
    def of(cls, event: Event) -> "StoredEvent":
        return cls(event.seq, event.time, event.type, msgspec.json.encode(event.to_wire()))


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session without its events.

    `created_at` and `updated_at` are in ms since the epoch. `extra` is a JSON object with the parts of the header that
    are not columns here (`isSeeded`, `delegationDepth`, `agentPreset`, …). `head` is the last seq, -1 when empty.
    `projections` is the cached JSON of the projections at `as_of_seq`, which may be behind `head`.
    """

    id: str
    created_at: int
    cwd: str | None = None
    parent: str | None = None
    origin: str | None = None
    workspace_id: str | None = None
    extra: bytes = b"{}"
    updated_at: int = 0
    head: int = -1
    projections: bytes | None = None
    as_of_seq: int = -1


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A registered directory (WIRE 10.1). The times are ISO 8601 in UTC with milliseconds and a final Z."""

    id: str
    path: str
    title: str
    session_ids: tuple[str, ...]
    created_at: str
    updated_at: str

    def to_wire(self) -> dict[str, Any]:
        return {
            "workspaceId": self.id,
            "path": self.path,
            "title": self.title,
            "sessionIds": list(self.session_ids),
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        }


class _PageFields(msgspec.Struct, rename="camel"):
    surface_op: Any = None
    source_event_seqs: list[int] = []


_PAGED = frozenset({tags.USER_MESSAGE, tags.ASSISTANT_MESSAGE})
_decode_page_fields = msgspec.json.Decoder(_PageFields).decode


def page_from(event: StoredEvent) -> int | None:
    """Where a page starts whose oldest message is this event; None when the event does not count (WIRE 7.5)."""
    if event.type not in _PAGED:
        return None
    try:
        fields = _decode_page_fields(event.body)
    except msgspec.DecodeError:
        return None
    if fields.surface_op != "append" and fields.surface_op != {"op": "append"}:
        return None
    return min([event.seq, *fields.source_event_seqs])


class Store(Protocol):
    """All that is kept; one object a home."""

    def append(self, session_id: str, events: Sequence[StoredEvent]) -> None:
        """Queues events, which must continue the log without a gap (ValueError otherwise)."""
        ...

    async def flush(self, *, durable: bool = False) -> None:
        """Returns when everything queued before is written; with `durable` it then also survives a loss of power.

        `StoreFull` when the disk refuses: all of it stays queued and the next `append` or `flush` tries again.
        """
        ...

    async def create_session(self, header: SessionRow) -> None:
        """Adds an empty session, at the front of its workspace if it names one. `SessionConflict` if the id exists."""
        ...

    async def copy_session(
        self, header: SessionRow, source: str, through_seq: int, tail: Sequence[StoredEvent]
    ) -> None:
        """Adds a session whose log is that of `source` up to `through_seq`, and then `tail`; all of it or nothing."""
        ...

    async def sessions(self) -> list[SessionRow]:
        """All sessions, the last updated first."""
        ...

    async def session(self, session_id: str) -> SessionRow: ...

    async def subagents(self, session_id: str) -> list[str]:
        """The sessions that agents of a session started, and those that agents of these did."""
        ...

    def save_projections(self, session_id: str, as_of_seq: int, body: bytes, updated_at: int) -> None:
        """Replaces the cached projections and `updated_at` (ms); queued behind the events they were folded from."""
        ...

    def head(self, session_id: str) -> int:
        """The last seq, -1 when the log is empty. It is known without a wait, so nothing comes between it and a use."""
        ...

    async def events(
        self, session_id: str, *, from_seq: int = 0, to_seq: int | None = None, types: Collection[str] | None = None
    ) -> list[bytes]:
        """The bodies from `from_seq` to `to_seq` (both inclusive, default: the head), of these types if given."""
        ...

    def pages(
        self, session_id: str, *, from_seq: int = 0, to_seq: int | None = None, types: Collection[str] | None = None
    ) -> AsyncIterator[list[bytes]]:
        """The same in pieces of at most `PAGE_EVENTS` events and about `PAGE_BYTES`, so that memory stays flat."""
        ...

    async def page_start(self, session_id: str, *, before_seq: int | None, through_seq: int, messages: int) -> int:
        """The seq at which a page starts that ends before `before_seq` and at `through_seq` (`store/pages.py`)."""
        ...

    def keep_partial(self, session_id: str, body: bytes | None) -> None:
        """Replaces the kept part of an answer in progress; None when the answer is in the log."""
        ...

    async def partial(self, session_id: str) -> bytes | None: ...

    async def create_workspace(self, path: str, title: str) -> tuple[WorkspaceRow, bool]:
        """The workspace of a path, new at the front unless it exists; the flag says whether it was created."""
        ...

    async def workspaces(self) -> list[WorkspaceRow]: ...

    async def rename_workspace(self, workspace_id: str, title: str) -> WorkspaceRow: ...

    async def delete_workspace(self, workspace_id: str) -> None:
        """Removes the registration; its sessions stay and have no workspace."""
        ...

    async def place_workspace(self, workspace_id: str, before: str | None) -> list[str]:
        """Moves a workspace in front of another (None: to the end); gives all ids in their new order."""
        ...

    async def place_session(self, workspace_id: str, session_id: str, before: str | None) -> WorkspaceRow | None:
        """The same for a session inside its workspace; None when one of the sessions is not in it."""
        ...

    async def search(self, words: Sequence[str], most: int) -> Sequence["Hit"]:
        """The sessions in which somebody said all of the words in one message, the last used first."""
        ...

    async def records(self, seen: Mapping[str, int], only: str | None = None) -> Sequence[Records]:
        """What all sessions, or one, have to be billed by, after the places that were `seen` (session id → place)."""
        ...

    async def archived(self) -> list[str]: ...

    async def set_archived(self, session_id: str, archived: bool) -> list[str]:
        """Gives the ids of all archived sessions, first archived first."""
        ...

    async def pinned(self) -> list[str]: ...

    async def set_pinned(self, session_id: str, pinned: bool) -> list[str]: ...

    async def load_setting(self, key: str) -> Any:
        """The JSON value of a key, None when it has none."""
        ...

    async def save_setting(self, key: str, value: Any) -> None:
        """None removes the key."""
        ...

    async def close(self) -> None:
        """Writes what is queued and closes; `StoreFull` when that was not possible, naming how much was lost."""
        ...
