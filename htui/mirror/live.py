"""The answer that is being written: revision and index rules, and the rows of the running attempt (WIRE 7.4).

Chunks are provisional. They are shown until the durable event arrives or the attempt ends, whichever comes first, and
never beside it. The hot path is a delta: a long answer brings tens of thousands of them.
"""

from collections.abc import Mapping
from typing import Any

from hd.protocol.projections.transcript import Row, RowKind
from hd.protocol.stream import Partial, unpack
from htui.errors import ProtocolBroken
from htui.mirror.changes import PhaseKind

_ROWS: Mapping[str, RowKind] = {"text": "assistant", "reasoning": "reasoning", "tool-call": "tool"}
_PHASES: Mapping[object, PhaseKind] = {"text-delta": "write", "reasoning-delta": "think", "tool-call-delta": "tool"}
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


class Attempt:
    """One model request while it runs: its blocks so far, and what the model does right now since when (ms)."""

    def __init__(self, frame: Mapping[str, Any]) -> None:
        name, turn, after = frame.get("attemptId"), frame.get("turn"), frame.get("startedAfterSeq")
        if not isinstance(name, str):
            raise ProtocolBroken("The host began an answer without an `attemptId`.")
        self.name = name
        self.turn = turn if isinstance(turn, int) else 0
        self.after_seq = after if isinstance(after, int) else -1
        self.next_index = 0
        self.settled = False
        self.kind: PhaseKind = "wait"
        self.since = 0
        self._partial = Partial()
        self._began: dict[int, int] = {}
        self._at: tuple[object, object] | None = None
        self._rows: tuple[Row, ...] | None = ()

    def feed(self, time: object, chunk: Mapping[str, Any]) -> bool:
        """Takes one chunk; True when the model began something else, False when a text just grew."""
        self._partial.feed(chunk)
        self._rows = None
        kind, index = chunk["type"], chunk.get("index")
        if (kind, index) == self._at:
            return False
        self._at = (kind, index)
        phase = _PHASES.get(kind)
        if phase is None or not isinstance(index, int):
            return True
        self.kind = phase
        self.since = self._began.setdefault(index, int(time) if isinstance(time, int | float) else 0)
        return True

    def rows(self) -> tuple[Row, ...]:
        if self._rows is None:
            self._rows = tuple(self._make_rows())
        return self._rows

    def _make_rows(self) -> list[Row]:
        rows = []
        blocks = iter(self._partial.blocks())
        for index, kind, closed in self._partial.indexes():
            if kind != "tool-call" and not self._partial.text(index):
                continue
            block = next(blocks)
            row = Row(
                key=f"live.{self.name}.{index}",
                kind=_ROWS.get(kind, "notice"),
                seq=self.after_seq,
                turn=self.turn,
                time=self._began.get(index, self.since),
                text=str(block.get("text", "")),
                name=str(block.get("name", "")),
                call_id=str(block.get("id", "")),
                arguments=str(block.get("arguments", "")),
                status="done" if closed and kind != "tool-call" else "running",
            )
            rows.append(row)
        return rows


class Live:
    """The ephemeral stream of one session as one follower sees it; `revision` is None until the host told one."""

    def __init__(self) -> None:
        self.revision: int | None = None
        self._attempt: Attempt | None = None

    def restore(self, stream: Mapping[str, Any]) -> None:
        """Takes the `assistantStream` of a snapshot; the next chunk continues at its `nextIndex`."""
        self.revision = _whole(stream, "revision")
        active = stream.get("activeAttempt")
        if not isinstance(active, Mapping):
            return
        attempt = Attempt(active)
        try:
            for time, chunk in unpack(active.get("stream") or ()):
                attempt.feed(time, chunk)
        except _UNREADABLE as error:
            raise ProtocolBroken(f"The host sent a running answer that cannot be read: {error!r}.") from error
        attempt.next_index = _whole(active, "nextIndex")
        self._attempt = attempt

    @property
    def attempt(self) -> Attempt | None:
        """The running attempt whose durable event has not come yet."""
        attempt = self._attempt
        return None if attempt is None or attempt.settled else attempt

    def rows(self) -> tuple[Row, ...]:
        attempt = self.attempt
        return attempt.rows() if attempt else ()

    def frame(self, frame: Mapping[str, Any]) -> bool:
        """Takes one frame; True when the phase or the number of rows may have changed, False when a text just grew."""
        revision = frame.get("revision")
        if type(revision) is not int:
            raise ProtocolBroken("The host sent an answer frame without a whole `revision`.")
        if self.revision is not None and revision != self.revision + 1:
            raise ProtocolBroken(f"Assistant stream revision gap: {revision} came after {self.revision}.")
        self.revision = revision
        kind = frame.get("type")
        if kind == "chunk":
            return self._chunk(frame)
        if kind == "start":
            self._attempt = Attempt(frame)
            return True
        if kind == "end":
            self._own(frame)
            self._attempt = None
            return True
        raise ProtocolBroken(f"The host sent an answer frame of the unknown type {kind!r}.")

    def settle(self, seq: int) -> bool:
        """The durable event `seq` is here: the provisional rows go. True when there was something to go."""
        attempt = self.attempt
        if attempt is None or seq <= attempt.after_seq:
            return False
        attempt.settled = True
        return True

    def _chunk(self, frame: Mapping[str, Any]) -> bool:
        attempt = self._own(frame)
        attempt.next_index += 1
        if attempt.settled:
            return False
        try:
            return attempt.feed(frame.get("time"), frame["chunk"])
        except _UNREADABLE as error:
            raise ProtocolBroken(f"The host sent a piece of an answer that cannot be read: {error!r}.") from error

    def _own(self, frame: Mapping[str, Any]) -> Attempt:
        """The attempt that the frame belongs to, with the index that was due; `ProtocolBroken` otherwise."""
        attempt = self._attempt
        if attempt is None or frame.get("attemptId") != attempt.name:
            raise ProtocolBroken("The host sent a piece of an answer that it did not begin.")
        if frame.get("index") != attempt.next_index:
            found = frame.get("index")
            raise ProtocolBroken(f"Assistant stream index gap: {found} came where {attempt.next_index} was due.")
        return attempt


def _whole(wire: Mapping[str, Any], key: str) -> int:
    value = wire.get(key)
    if type(value) is not int:
        raise ProtocolBroken(f"The host sent a running answer without a whole `{key}`.")
    return value
