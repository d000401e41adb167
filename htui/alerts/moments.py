"""Which moments are worth a word: pure. One change is told once, and nothing that was so when it was first seen."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

Moment = Literal["needs", "done"]


@dataclass(slots=True)
class Moments:
    """Remembers what was seen. `running` is by session, for as long as it is on the screen."""

    _asks: set[str] | None = None
    _running: dict[str, bool] = field(default_factory=dict)

    def look(self, asks: Collection[str], session_id: str | None, *, running: bool, loaded: bool) -> Moment | None:
        """What happened since the last look: something new waits for a person, or the turn in sight has ended.

        `asks` are the ids of all that waits at the host, `loaded` says that the session in sight is known by now.
        """
        known, self._asks = self._asks, set(asks)
        ended = False
        if session_id is not None and loaded:
            ended = self._running.get(session_id, False) and not running
            self._running = {session_id: running}
        if known is not None and self._asks - known:
            return "needs"
        return "done" if ended else None

    def forget(self) -> None:
        """The connection is another one: what waits there was not seen before."""
        self._asks = None
