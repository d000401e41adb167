"""How often the screen is drawn, and what that costs the line (row X13). Pure but for what it remembers."""

from collections import deque
from collections.abc import Mapping
from typing import Final, Literal

from htui.present.count import size

Wish = Literal["on", "off", "auto"]

FRAME_S: Final = 1 / 12
SLOW_FRAME_S: Final = 0.5
"""Seconds between two frames while something streams. What is typed is always shown at once."""
_SLOW_CLOCK: Final = 5
"""On a slow line the seconds of a turn are told so often."""
_MINUTE: Final = 60.0

_ON: Final = frozenset({"1", "on", "yes", "true"})
_OFF: Final = frozenset({"0", "off", "no", "false"})


def wish_of(environ: Mapping[str, str], *, asked: bool) -> Wish:
    """`--low-bandwidth`, else `HTUI_LOW_BANDWIDTH` (1 or 0); without them the line is measured."""
    word = environ.get("HTUI_LOW_BANDWIDTH", "").strip().lower()
    return "on" if asked or word in _ON else "off" if word in _OFF else "auto"


class Pace:
    """`measured` tells that the line is slow, `took` how many seconds the terminal took for its last answer."""

    def __init__(self, wish: Wish = "auto") -> None:
        self._wish = wish
        self._measured = False
        self._took: float | None = None
        self._written: deque[tuple[float, int]] = deque()
        self._ticks = 0

    @property
    def low(self) -> bool:
        return self._wish == "on" or (self._wish == "auto" and self._measured)

    @property
    def frame(self) -> float:
        return SLOW_FRAME_S if self.low else FRAME_S

    def tick(self, now: float, written: int, *, measured: bool, took: float | None) -> bool:
        """A second passed, and so many bytes have been written in all; whether the clock on the screen is to go on."""
        self._measured, self._took = measured, took
        self._written.append((now, written))
        while self._written[0][0] < now - _MINUTE:
            self._written.popleft()
        self._ticks += 1
        return not self.low or self._ticks % _SLOW_CLOCK == 0

    def words(self) -> str:
        """For the status panel: what was written, and why there are fewer frames where there are."""
        if not self._written:
            return ""
        total = self._written[-1][1]
        said = f"{size(total)} written, {size(total - self._written[0][1])} of it in the last minute"
        if not self.low:
            return said
        why = "--low-bandwidth" if self._wish == "on" else f"it answers after {self._took or 0:.1f} s"
        return f"{said}; two frames a second ({why}; HTUI_LOW_BANDWIDTH=0 turns it off)"
