"""What a mirror says after it took something in: small frozen values, so that a screen repaints only what changed."""

from dataclasses import dataclass
from typing import Literal

PhaseKind = Literal["idle", "wait", "think", "write", "tool", "retry", "limit", "place", "queue", "peak", "compact"]


@dataclass(frozen=True, slots=True)
class MirrorChange:
    """The difference that one or several items made to a `SessionMirror`.

    `first_row` is the index of the first row that is another one now (rows before it are untouched), None when no row
    changed. `live` says that the rows of the running attempt changed, `keys` which projection values did. `replaced`
    means that a snapshot took the place of everything. `prepended` rows were put in front of the earlier ones, whose
    indexes grew by as much; `first_row` is 0 then. `state` says that running, phase, queue or failure may have changed.
    """

    first_row: int | None = None
    live: bool = False
    keys: frozenset[str] = frozenset()
    replaced: bool = False
    prepended: int = 0
    state: bool = False

    def __or__(self, later: "MirrorChange") -> "MirrorChange":
        """Both changes as one."""
        if later is self or later is NOTHING or (later is LIVE and self.live):
            return self
        if self is NOTHING:
            return later
        firsts = [change.first_row for change in (self, later) if change.first_row is not None]
        return MirrorChange(
            first_row=min(firsts, default=None),
            live=self.live or later.live,
            keys=self.keys | later.keys,
            replaced=self.replaced or later.replaced,
            prepended=self.prepended + later.prepended,
            state=self.state or later.state,
        )


NOTHING = MirrorChange()
LIVE = MirrorChange(live=True)


@dataclass(frozen=True, slots=True)
class Phase:
    """What a session does right now, since `since` (ms since the epoch, 0 when unknown).

    `wait` is a running turn without any sign of the model yet, `retry` the pause before the next attempt, `limit` one
    that the provider asked for, `place` that other requests of the same key go first, `queue` that the provider lets
    the request wait its turn, `peak` that it is not sent before it costs less, `compact` that a summary is written
    first. `name` is the tool's name for `tool` and empty otherwise; `until` (ms) is when it ends, None where that is
    not known.
    """

    kind: PhaseKind = "idle"
    name: str = ""
    since: int = 0
    until: int | None = None


IDLE = Phase()
