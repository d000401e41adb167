"""The live session: the only writer of a session's log.

`record` is one step without a gap: number, append, fold, publish, in this order. Everything that anybody sees of a
session went through it, except the deltas of an answer in progress (`Attempt`), which are fleeting.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hd.protocol.events import OWN_EVENTS, Draft, Event
from hd.protocol.projections import State
from hd.protocol.stream import Chunk, Packer, Partial, merge, unpack
from hd.session.hub import Follower, Hub
from hd.session.residents import Holds
from hd.session.store.base import SessionRow, Store, StoredEvent

HEADER_VERSION = 4
PARTIAL_INTERVAL_S = 1.0
"""At least this often, in seconds, the partial answer is kept, so that a kill loses no more than that of it."""

DEFAULT_PAGE = 50
SUBAGENT = "subagent"
"""The origin of a session that an agent of its parent started."""

_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class Header:
    """What is fixed for a session's life. `created_at` is in ms.

    `is_seeded` says that the log begins with what another session's log holds; `delegation_depth` is how many sessions
    stand above one that a model started.
    """

    id: str
    created_at: int
    cwd: str
    parent: str | None = None
    origin: str | None = None
    agent_preset: str = "standard"
    is_seeded: bool = False
    delegation_depth: int | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "version": HEADER_VERSION,
            "id": self.id,
            "createdAt": self.created_at,
            "cwd": self.cwd,
            "isSeeded": self.is_seeded,
            "agentPreset": self.agent_preset,
        }
        if self.delegation_depth is not None:
            wire["delegationDepth"] = self.delegation_depth
        if self.parent is not None:
            wire["parentSession"] = self.parent
        if self.origin is not None:
            wire["origin"] = self.origin
        return wire

    @staticmethod
    def of(row: SessionRow) -> "Header":
        extra = msgspec.json.decode(row.extra)
        return Header(
            row.id,
            row.created_at,
            row.cwd or "/",
            row.parent,
            row.origin,
            agent_preset=str(extra.get("agentPreset") or "standard"),
            is_seeded=bool(extra.get("isSeeded")),
            delegation_depth=extra.get("delegationDepth"),
        )

    def row(self, workspace_id: str | None = None) -> SessionRow:
        """The same as the store keeps it, for a session that is made now."""
        extra: dict[str, Any] = {"isSeeded": self.is_seeded, "agentPreset": self.agent_preset}
        if self.delegation_depth is not None:
            extra["delegationDepth"] = self.delegation_depth
        return SessionRow(
            id=self.id,
            created_at=self.created_at,
            cwd=self.cwd,
            parent=self.parent,
            origin=self.origin,
            workspace_id=workspace_id,
            extra=_encode(extra),
            updated_at=self.created_at,
        )


class LiveSession:
    """A session in memory. All methods belong to the event loop's thread, and to whoever holds it (`holds`).

    `weight` is the size of its log in bytes.
    """

    def __init__(
        self,
        header: Header,
        state: State,
        store: Store,
        hub: Hub,
        clock: Callable[[], int],
        ticks: Callable[[], float],
        weight: int = 0,
    ) -> None:
        self.header = header
        self.id = header.id
        self.state = state
        self.holds = Holds(ticks)
        self.weight = weight
        self.attempt: Attempt | None = None
        self._store = store
        self._hub = hub
        self._clock = clock
        self._ticks = ticks
        self._attempts = 0

    def record(self, *drafts: Draft) -> list[Event]:
        """Makes facts of `drafts`: all of them reach the store in one piece, so a kill leaves all or none."""
        if self.holds.ended:
            raise RuntimeError(f"{self.id} was dropped from memory, so nothing can be recorded through this object")
        now = self._clock()
        first = self.state.seq + 1
        events = [
            Event(d.type, first + place, now, d.data, d.surface, d.sources, d.type in OWN_EVENTS)
            for place, d in enumerate(drafts)
        ]
        stored = [StoredEvent.of(event) for event in events]
        self._store.append(self.id, stored)
        for event, row in zip(events, stored, strict=True):
            self.weight += len(row.body)
            self.state, changed = self.state.apply(event)
            self._hub.publish_event(self.id, row.body)
            for key in changed:
                self._publish(key, event.seq)
        return events

    def _publish(self, key: str, seq: int) -> None:
        if self.state.is_public(key):
            self._hub.publish_projection(self.id, key, seq, lambda: self.state.view(key))

    async def written(self, *, durable: bool = False) -> None:
        """Returns when all that was recorded is on disk (`durable`: and outlives a loss of power); or `StoreFull`."""
        await self._store.flush(durable=durable)

    def save_projections(self) -> None:
        """Keeps the projections' values for lists of sessions that are not in memory.

        Not while a turn runs: kept values that are behind their log are how the next start knows what a kill left open.
        """
        if self.value("turn").running:
            return
        self._store.save_projections(self.id, self.state.seq, _encode(self.state.views()), self.updated_at)

    @property
    def updated_at(self) -> int:
        """When a person last did something here (ms): the later of the creation and the last prompt."""
        return max(self.value("sessionListMetadata").last_prompt_at or 0, self.header.created_at)

    def value(self, key: str) -> Any:
        """A projection's state, read only."""
        return self.state.values[key]

    def view(self, key: str) -> Any:
        """What clients see under a projection's key; None for a key that is none."""
        return self.state.view(key) if key in self.state.values else None

    def begin_attempt(self, turn: int, step: int) -> "Attempt":
        self._attempts += 1
        self.attempt = Attempt(self, f"{self.id}:{self._attempts}", turn, step, self.state.seq)
        self._hub.publish_frame(self.id, {"type": "start", **self.attempt.origin()})
        return self.attempt

    def publish_chunks(self, attempt: "Attempt", time: int, chunks: list[Chunk]) -> None:
        self._hub.publish_chunks(self.id, attempt.id, time, chunks)
        if self._ticks() - attempt.looked_at >= PARTIAL_INTERVAL_S:
            attempt.looked_at = self._ticks()
            attempt.kept = True
            body = {"turn": attempt.turn, "step": attempt.step, "stream": attempt.packed()}
            self._store.keep_partial(self.id, _encode(body))

    def end_attempt(self, attempt: "Attempt", outcome: dict[str, Any]) -> None:
        """Publishes the end of an attempt; to be called after the event that `outcome` names was recorded."""
        self.attempt = None
        if attempt.kept:
            self._store.keep_partial(self.id, None)
        self._hub.publish_frame(self.id, {"type": "end", "attemptId": attempt.id, "outcome": outcome})

    def now(self) -> int:
        return self._clock()

    def ticks(self) -> float:
        """Seconds of a clock that nobody sets."""
        return self._ticks()

    async def follow(self, *, messages: int = DEFAULT_PAGE, stream: bool = False) -> AsyncGenerator[list[bytes], None]:
        """The snapshot, then everything that follows it without a gap, as JSON items (WIRE 7.2)."""
        follower = Follower(stream=stream)
        # In one step of the loop: from here on every event reaches the follower, and the snapshot ends at this cursor.
        self._hub.attach(self.id, follower)
        cursor, values = self.state.seq, self.state.views()
        active = self.attempt.snapshot() if stream and self.attempt else None
        if active is not None:
            follower.resume(active["nextIndex"])
        try:
            shown = await snapshot(self._store, self.header, cursor, values, messages)
            if stream:
                shown["assistantStream"] = {"revision": 0}
                if active is not None:
                    shown["assistantStream"]["activeAttempt"] = active
            yield [_encode(shown)]
            async for batch in follower.batches():
                yield batch
        finally:
            self._hub.detach(self.id, follower)


async def snapshot(
    store: Store, header: Header, cursor: int, values: Mapping[str, Any], messages: int
) -> dict[str, Any]:
    """The state of a session at `cursor` as a follower is first sent it, with the newest page of its log (WIRE 7.2)."""
    start = await store.page_start(header.id, before_seq=None, through_seq=cursor, messages=messages)
    bodies = await store.events(header.id, from_seq=start, to_seq=cursor) if cursor >= 0 else []
    return {
        "type": "snapshot",
        "header": header.to_wire(),
        "cursor": cursor,
        "records": [{"type": "event", "event": msgspec.Raw(body)} for body in bodies],
        "hasMore": start > 0,
        "projections": {"asOfSeq": cursor, "values": values},
    }


class Attempt:
    """One model request in progress: its chunks so far, for followers that come late and for the partial answer."""

    def __init__(self, session: LiveSession, attempt_id: str, turn: int, step: int, after: int) -> None:
        self.id = attempt_id
        self.turn = turn
        self.step = step
        self.began_at = session.now()
        self.looked_at = session.ticks()
        self.kept = False
        self.partial = Partial()
        self._packer = Packer()
        self._session = session
        self._after = after

    def origin(self) -> dict[str, Any]:
        return {"attemptId": self.id, "turn": self.turn, "step": self.step, "startedAfterSeq": self._after}

    def publish(self, chunks: list[Chunk]) -> None:
        time = self._session.now()
        for chunk in chunks:
            self.partial.feed(chunk)
            self._packer.add(time, chunk)
        self._session.publish_chunks(self, time, chunks)

    def packed(self) -> list[dict[str, Any]]:
        """All chunks so far in the packed form, as `assistant/message` keeps them."""
        return self._packer.rows()

    def snapshot(self) -> dict[str, Any]:
        """`activeAttempt`: the same fold with each block’s deltas joined, so that it stays one row a block."""
        packer = Packer()
        timed = unpack(self._packer.rows())
        merged = merge(chunk for _, chunk in timed)
        for chunk in merged:
            packer.add(self.began_at, chunk)
        return {**self.origin(), "nextIndex": len(merged), "stream": packer.rows()}

    def end(self, outcome: dict[str, Any]) -> None:
        self._session.end_attempt(self, outcome)
