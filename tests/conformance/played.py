"""What came back of a replay, beside what was recorded, and what a client knows of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.live import Answer, Pair
from tests.conformance.names import Names
from tests.conformance.recorded import Row
from tests.conformance.tokens import Frame


@dataclass
class Exchange:
    """A call: what was sent, and both answers. `live` is None where the daemon gave none in time."""

    request: Row
    recorded: Row
    live: Answer | None


@dataclass
class Played:
    """All that came back.

    `waited` names what was waited for in vain; `closed` and `raw` are pairs of (recorded, live).
    """

    exchanges: list[Exchange] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    waited: list[str] = field(default_factory=list)
    closed: list[tuple[tuple[int, str], tuple[int, str] | None]] = field(default_factory=list)
    raw: list[tuple[list[str], list[str]]] = field(default_factory=list)
    names: Names = field(default_factory=lambda: Names([]))
    state: dict[str, Any] = field(default_factory=dict)
    """By live session id: the projections as they are at the end."""

    def told_sessions(self) -> set[str]:
        """The live sessions that the newest control stream told of."""
        control = self.last_control()
        if control is None:
            return set()
        told = {frame["value"]["sessionId"] for frame in control.live if "sessionId" in frame.get("value", {})}
        return told | set(control.live[0]["value"]["value"]["projections"])

    def last_control(self) -> Pair | None:
        controls = [pair for pair in self.pairs if pair.endpoint == "session/control" and pair.live]
        return controls[-1] if controls else None

    def added(self, session: str, *, recorded: bool = False) -> dict[str, Any]:
        """The projection values that a session's newest `api-session/added` brought, on one of the two sides."""
        events = [pair for pair in self.pairs if pair.endpoint == "$events"]
        frames = [frame for pair in events for frame in (pair.recorded if recorded else pair.live)]
        added = [one for frame in frames if (one := summary_in(frame)) and one["sessionId"] == session]
        return dict(added[-1]["projections"]["values"]) if added else {}

    def known(self, session: str) -> dict[str, Any]:
        """The projection values of a live session as the client has them: from `added`, then from `session/control`."""
        control = self.last_control()
        return self.added(session) | (current(control.live, session) if control else {})


def summary_in(frame: Frame) -> Any:
    """The summary in an `api-session/added`."""
    value = frame.get("value", {})
    return value["args"][0] if value.get("event") == "api-session/added" else None


def current(frames: Sequence[Frame], session: str) -> dict[str, Any]:
    """The projection values of a session as a client of a control stream with these frames has them."""
    values: dict[str, Any] = {}
    for frame in frames:
        value = frame["value"]
        if value["type"] == "baseline":
            values |= value["value"]["projections"].get(session, {}).get("values", {})
        elif value["type"] == "projection" and value["sessionId"] == session:
            values[value["key"]] = value["value"]
    return values
