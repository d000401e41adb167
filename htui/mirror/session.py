"""One followed session: a fold of what `session/follow` sends (WIRE 7), with the daemon's own transcript."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hd.protocol import events as ev
from hd.protocol.chunked import ChunkedList
from hd.protocol.events import Event
from hd.protocol.projections.transcript import Row, Transcript
from htui.errors import HtuiError, ProtocolBroken
from htui.mirror import phase, records
from htui.mirror.changes import IDLE, LIVE, NOTHING, MirrorChange, Phase
from htui.mirror.decisions import Decision, Decisions
from htui.mirror.live import Live
from htui.mirror.rows import QueueItem, projection_block
from htui.mirror.spent import Known, Spent
from htui.mirror.values import Values

if TYPE_CHECKING:
    from pricing import PriceTable

MOST_ROWS = 20_000
MOST_CHARACTERS = 32 * 1024 * 1024
"""What is held of a session whose end is shown: rows, and characters of their texts."""
WEIGHED_EVERY = 500
"""Rows after which their texts are added up again."""

_PROGRESS = MirrorChange(live=True, state=True)
_DURABLE = frozenset({ev.ASSISTANT_MESSAGE, ev.ASSISTANT_ATTEMPT, ev.TURN_END})


class SessionMirror:
    """What is known of one session. Everything is read only; `apply` and `prepend` are called by the link.

    `loads` counts the snapshots, `loaded` says that there was one, and `failure` why the host does not let this session
    be followed. `header` is the log's header, `cursor` the seq of its last event, `first_seq` that of the oldest one
    held (one above the cursor when none is), and `has_more` says that older ones can be had. `unknown` counts those
    whose type this client does not know although they matter.
    """

    def __init__(self, session_id: str, values: Values | None = None) -> None:
        self.session_id = session_id
        self.loads = 0
        self.failure: HtuiError | None = None
        self.header: Mapping[str, Any] = {}
        self.cursor = -1
        self.first_seq = 0
        self.has_more = False
        self.unknown = 0
        self._values = Values() if values is None else values
        self._transcript = Transcript()
        self._live = Live()
        self._decisions = Decisions()
        self._spent = Spent()
        self._phase = IDLE
        self._weighed = 0
        """Rows when their size was last added up."""
        self._turn_known = False
        """Whether anything has told yet in which turn the events that are held lie."""

    @property
    def loaded(self) -> bool:
        return self.loads > 0

    @property
    def rows(self) -> ChunkedList[Row]:
        """The transcript as far as it is held, oldest first; indexes change only by `prepend` and a snapshot."""
        return self._transcript.rows

    @property
    def live(self) -> tuple[Row, ...]:
        """The rows of the answer that is being written; they go when its durable rows appear in `rows`."""
        return self._live.rows()

    @property
    def running(self) -> bool:
        return self._transcript.running or self._live.attempt is not None

    @property
    def phase(self) -> Phase:
        attempt = self._live.attempt
        if attempt is None or attempt.kind == "wait":
            return self._phase
        tool = next((row.name for row in reversed(attempt.rows()) if row.kind == "tool"), "")
        return Phase(attempt.kind, tool if attempt.kind == "tool" else "", attempt.since)

    @property
    def decided(self) -> tuple[Decision, ...]:
        """The latest decisions about what was asked in this session, oldest first."""
        return self._decisions.made

    @property
    def queue(self) -> tuple[QueueItem, ...]:
        return self._values.queue

    def value(self, key: str) -> Any:
        """The projection value of `key` as the host last sent it, None when it sent none."""
        return self._values.get(key)

    def cost(self, known: Known | None = None, tables: "PriceTable | None" = None) -> Any:
        """What the session cost, as the host tells it, else reckoned from what is held of the log and what is `known`
        beside it, by `tables` or the shipped prices."""
        told = self.value("cost")
        if told is not None or not self.loaded:
            return told
        return self._spent.value(seeded=self.header.get("isSeeded") is True, known=known, tables=tables)

    def apply(self, item: Any) -> MirrorChange:
        """Takes one item of the stream; `ProtocolBroken` when it breaks a rule, and then only a snapshot may follow."""
        kind = item.get("type") if isinstance(item, dict) else None
        if not self.loads and kind != "snapshot":
            raise ProtocolBroken("The host sent a session item before the snapshot.")
        if kind == "assistant-stream":
            frame = item.get("frame")
            if not isinstance(frame, dict):
                raise ProtocolBroken("The host sent an answer frame that is no object.")
            if not self._live.frame(frame):
                return LIVE
            return _PROGRESS | self._in_attempt()
        if kind == "event":
            return self._event(records.event_of(item))
        if kind == "snapshot":
            return self._snapshot(item)
        raise ProtocolBroken(f"The host sent a session item of the unknown type {kind!r}.")

    def fold(self, items: Iterable[Any]) -> MirrorChange:
        """Takes several items in order; all they changed as one."""
        change = NOTHING
        for item in items:
            change |= self.apply(item)
        return change

    def prepend(self, page: Any) -> MirrorChange:
        """Takes the answer of `session/page` for what lies below `first_seq`; it must join."""
        events = records.events_of(page.get("records") if isinstance(page, Mapping) else None)
        has_more = page.get("hasMore") is True
        if not events:
            if has_more:
                raise ProtocolBroken("The host says that there is more history, and sent none.")
            self.has_more = False
            self._spent.prepend(events, has_more=False)
            return MirrorChange(state=True)
        if events[-1].seq != self.first_seq - 1:
            raise ProtocolBroken(f"The host sent a page up to {events[-1].seq} where {self.first_seq - 1} was due.")
        front = records.transcript_of(events, records.first_turn(self._transcript))
        if not self._turn_known and any(records.turn_of(event) is not None for event in events):
            self._learn_turn(front.turn, running=front.running)
        self._transcript, more = records.joined(front, self._transcript)
        self.first_seq, self.has_more = events[0].seq, has_more
        self._count(events)
        self._spent.prepend(events, has_more=has_more)
        return MirrorChange(first_row=0, prepended=more, state=True)

    def trim(self) -> MirrorChange:
        """Lets the older part go of a transcript that has grown beyond its bounds; it can be had again as a page.

        For whoever shows the end of it: who reads above would lose the place.
        """
        rows = self._transcript.rows
        if len(rows) - self._weighed < WEIGHED_EVERY and len(rows) <= MOST_ROWS:
            return NOTHING
        self._weighed = len(rows)
        size = sum(len(row.text) + len(row.arguments) for row in rows)
        if len(rows) <= MOST_ROWS and size <= MOST_CHARACTERS:
            return NOTHING
        found = records.newest(self._transcript, max(len(rows) // 2, len(rows) - MOST_ROWS // 2))
        if found is None:
            return NOTHING
        self._transcript, self.first_seq = found
        self.has_more, self._weighed = True, len(self._transcript.rows)
        return MirrorChange(first_row=0, replaced=True, state=True)

    def fail(self, error: HtuiError | None) -> MirrorChange:
        """Notes why the session cannot be followed, or that it can again."""
        if self.failure is error:
            return NOTHING
        self.failure = error
        return MirrorChange(state=True)

    def _snapshot(self, item: Mapping[str, Any]) -> MirrorChange:
        cursor, header, has_more = item.get("cursor"), item.get("header"), item.get("hasMore")
        if type(cursor) is not int or not isinstance(header, Mapping) or not isinstance(has_more, bool):
            raise ProtocolBroken("The host sent a snapshot without a whole `cursor`, a `header` or `hasMore`.")
        events = records.events_of(item.get("records"))
        if events and events[-1].seq != cursor:
            raise ProtocolBroken(f"The host sent a snapshot up to {events[-1].seq} with the cursor {cursor}.")
        live = Live()
        stream = item.get("assistantStream")
        if isinstance(stream, Mapping):
            live.restore(stream)
            for event in events:
                if event.type in _DURABLE:
                    live.settle(event.seq)  # a host may name an answer as running until it has sent its end
        first_seq = events[0].seq if events else cursor + 1
        self._live = live
        for event in events:
            if event.seq > self.cursor or not self.loads:
                self._decisions = self._decisions.apply(event)
        self.failure = None
        named = any(records.turn_of(event) is not None for event in events)
        if self._continues(header, first_seq, cursor):
            held, new = self._transcript, [event for event in events if event.seq > self.cursor]
            transcript = records.transcript_of(events, held.turn, running=held.running)
            self._phase = _phase_of(new, transcript, self._phase)
            self._count(new)
            transcript, _ = records.joined(records.below(held, first_seq), transcript)
            self._turn_known = self._turn_known or named
            self._spent.reload(events, first_seq)
        else:
            transcript = records.transcript_of(events)
            self._phase = _phase_of(events, transcript, IDLE)
            self.unknown = 0
            self._spent.load(events, first_seq, has_more=has_more)
            self._count(events)
            self.first_seq, self.has_more, self._turn_known = first_seq, has_more, named
        self._transcript, self.header, self.cursor = transcript, header, cursor
        self._in_attempt()
        self.loads += 1
        keys = self._values.seed(*projection_block(item.get("projections")))
        return MirrorChange(first_row=0, live=True, keys=keys, replaced=True, state=True)

    def _continues(self, header: Mapping[str, Any], first_seq: int, cursor: int) -> bool:
        """Whether older pages that are held join below a new snapshot of the same log and may stay (WIRE 9)."""
        same = self.loaded and all(header.get(key) == self.header.get(key) for key in ("id", "createdAt"))
        return same and self.first_seq < first_seq <= self.cursor + 1 and cursor >= self.cursor

    def _event(self, event: Event) -> MirrorChange:
        if event.seq != self.cursor + 1:
            raise ProtocolBroken(f"The host sent event {event.seq} where {self.cursor + 1} was due.")
        self.cursor = event.seq
        self._count([event])
        self._spent.append(event)
        before, turn = self._transcript, records.turn_of(event)
        if turn is not None and not self._turn_known:
            self._turn_known = True
            if event.type != ev.TURN_START:  # what is held lies in front of that
                self._learn_turn(turn, running=True)
        self._transcript = records.apply(self._transcript, event)
        self._decisions = self._decisions.apply(event)
        settled = event.type in _DURABLE and self._live.settle(event.seq)
        was = self._phase
        self._phase = phase.after(was, event, self._transcript)
        first = records.first_difference(before.rows, self._transcript.rows)
        state = settled or was is not self._phase or before.running != self._transcript.running
        return MirrorChange(first_row=first, live=settled, state=state)

    def _in_attempt(self) -> MirrorChange:
        """Takes the turn from the running answer where the events that are held name none."""
        attempt = self._live.attempt
        if self._turn_known or attempt is None:
            return NOTHING
        self._learn_turn(attempt.turn, running=True)
        return MirrorChange(first_row=0 if len(self.rows) else None, state=True)

    def _learn_turn(self, turn: int, *, running: bool) -> None:
        self._turn_known = True
        self._transcript = records.in_turn(self._transcript, turn, running=running)
        if running and self._phase is IDLE:
            self._phase = Phase("wait", "", self.rows[-1].time if len(self.rows) else 0)

    def _count(self, events: list[Event]) -> None:
        self.unknown += sum(1 for event in events if records.is_unknown(event))


def _phase_of(events: list[Event], transcript: Transcript, before: Phase) -> Phase:
    """The phase after `events`, where `before` was the one in front of them as far as it is known."""
    if not transcript.running:
        return IDLE
    found = Phase("wait", "", events[-1].time if events else 0) if before is IDLE else before
    for event in events:
        found = phase.after(found, event, transcript)
    return found
