"""A client in memory: the mirrors fed by hand as the link feeds them, and what can be seen of them at the end."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from htui.mirror import HostMirror, Row, SessionMirror
from htui.mirror.host import HostStep
from htui.screens.outbox import Outbox
from tests.htui.mirror.noise import BLOCK, NEW, renumbered
from tests.htui.mirror.stage import Stage
from tests.support.recordings import Arrival, RecordedStream


@dataclass
class Screens:
    """`declined` are the asks that were passed on, `outboxes` hold by session what was sent."""

    host: HostMirror = field(default_factory=HostMirror)
    mirrors: dict[int, SessionMirror] = field(default_factory=dict)
    outboxes: dict[str, Outbox] = field(default_factory=dict)
    declined: list[str] = field(default_factory=list)

    asked: int | None = None
    """What `asking` gave when the lists were called for; None when each was called for at its answer."""

    def take(self, arrival: Arrival) -> None:
        if arrival.kind == "listed":
            self.host.confirmed()
            self.host.listed(arrival.value, self.host.asking() if self.asked is None else self.asked)
        elif arrival.kind == "answered":
            self.host.settled(arrival.value)
        elif arrival.kind == "prompted":
            request_id, text, session_id = arrival.value
            if isinstance(request_id, str):
                self.outboxes.setdefault(session_id, Outbox()).add(request_id, text, "queue")
        else:
            assert arrival.stream is not None
            self.item(arrival.stream, arrival.value)

    def all(self, arrivals: Iterable[Arrival]) -> "Screens":
        for arrival in arrivals:
            self.take(arrival)
        return self

    def item(self, stream: RecordedStream, value: Any) -> None:
        """One item of a stream; nothing may be shown twice after it."""
        if stream.endpoint == "session/follow":
            mirror = self.mirror(stream)
            change = mirror.apply(value)
            if change.live or change.first_row is not None or change.replaced:
                assert_shown_once(mirror)
            return
        step = HostStep()
        if stream.endpoint == "$events":
            step = self.host.event(value, 1)
        elif stream.endpoint == "session/control":
            step = self.host.control(value)
        elif stream.endpoint == "workspace/follow":
            step = self.host.workspace(value)
        if step.decline is not None:
            self.declined.append(step.decline)

    def mirror(self, stream: RecordedStream) -> SessionMirror:
        """Each recorded stream fills a mirror of its own; those of one session share its values, as in the link."""
        session_id = stream.session_id or ""
        return self.mirrors.setdefault(id(stream), SessionMirror(session_id, self.host.values(session_id)))

    def cut(self) -> None:
        """The connection is lost and there is another one: what was on its way is in doubt."""
        for session_id, outbox in self.outboxes.items():
            for request_id in list(outbox._sent):
                mirror = next((m for m in self.mirrors.values() if m.session_id == session_id), None)
                outbox.doubt(request_id, SessionMirror(session_id) if mirror is None else mirror)
        self.host.begin()

    def read_back(self, stage: Stage, messages: int) -> None:
        """Fetches older pages of all sessions up to the oldest event that the host of the recording sent."""
        for follow in stage.follows:
            mirror = self.mirror(follow.stream)
            while mirror.first_seq > follow.events[0]["seq"]:
                mirror.prepend(follow.page(mirror.first_seq, messages))
                assert_shown_once(mirror)

    def sent(self) -> dict[str, list[str]]:
        """By session the texts of what is neither in the log nor in the queue: it has to be kept."""
        left = {}
        for session_id, outbox in self.outboxes.items():
            for mirror in self.mirrors.values():
                if mirror.session_id == session_id:
                    outbox.settle(mirror)
            left[session_id] = sorted([sent.text for sent in outbox._sent.values()] + [*outbox.doubts().values()])
        return left


def assert_shown_once(mirror: SessionMirror) -> None:
    after = {row.seq for row in mirror.rows if row.kind == "assistant"}
    assert not [row for row in mirror.live if any(seq > row.seq for seq in after)]
    keys = [row.key for row in (*mirror.rows, *mirror.live)]
    assert len(keys) == len(set(keys))


def seen(screens: Screens, old: Callable[[str, int], int] | None = None) -> dict[str, Any]:
    """Everything that a person can see, as plain values.

    With `old`, which gives the number that an event of a session had, what only noise brought is left out.
    """
    host = screens.host
    return {
        "sessions": {place: _session(mirror, old) for place, mirror in screens.mirrors.items()},
        "workspaces": plain(host.workspaces),
        "list": {
            entry.session_id: (entry.running, entry.blank, entry.title, entry.cwd, entry.updated_at, entry.archived)
            for entry in host.sessions
        },
        "asks": [(ask.event_id, ask.kind, ask.session_id, plain(ask.request)) for ask in host.asks],
        "errors": dict(host.errors),
        "home": host.home,
        "sent": screens.sent(),
    }


def _session(mirror: SessionMirror, old: Callable[[str, int], int] | None) -> dict[str, Any]:
    def number(seq: int) -> int:
        return seq if old is None else old(mirror.session_id, seq)

    def rows(found: Iterable[Row]) -> list[Any]:
        kept = [row for row in found if old is None or not is_about_unknown(row)]
        return [plain(replace(row, seq=number(row.seq), key=_key(row, number))) for row in kept]

    return {
        "rows": rows(mirror.rows),
        "live": rows(mirror.live),
        "running": mirror.running,
        "phase": mirror.phase,
        "cursor": number(mirror.cursor),
        "more": (number(mirror.first_seq), mirror.has_more),
        "queue": plain(mirror.queue),
        "values": plain(renumbered(mirror._values.copy(), number)),
        "jobs": plain(mirror._values.jobs),
        "failure": mirror.failure,
    }


def _key(row: Row, number: Callable[[int], int]) -> str:
    if row.key.startswith("live."):
        return row.key
    seq, dot, place = row.key.partition(".")
    return f"{number(int(seq))}{dot}{place}"


def is_about_unknown(row: Row) -> bool:
    return row.kind == "notice" and row.text.startswith(("An event of an unknown kind", "unknown block"))


def plain(value: Any) -> Any:
    """`value` out of tuples, dicts and scalars, without the keys and blocks of a host of the future."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items() if key != NEW}
    if isinstance(value, list | tuple):
        blocks = [part for part in value if not (isinstance(part, Mapping) and part.get("type") == BLOCK)]
        return tuple(plain(part) for part in blocks)
    names = getattr(value, "__dataclass_fields__", None) or getattr(value, "__struct_fields__", ())
    if names:
        return tuple(plain(getattr(value, name)) for name in names)
    return value
