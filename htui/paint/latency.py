"""How long the way to the terminal is: pure.

A terminal answers a question about its state when it has worked through everything before it, so the time until then is
that of the line both ways, of what waits in it, and of the drawing. That holds through SSH, whose own buffers no
program at this end can see. A tmux in between answers itself.
"""

from collections import deque
from typing import Final

ASK: Final = "\x1b[5n"
"""The question, "device status"; `htui.paint.keyboard.ANSWER` is what comes back."""

SLOW_S: Final = 0.6
FAST_S: Final = 0.35
_SEEN: Final = 5
_SLOW_OF_LAST_3: Final = 2
_BETWEEN_S: Final = 1.0
_PATIENCE_S: Final = 10.0
_UNANSWERED: Final = 2
"""So many questions without an answer, and no more are asked."""


class Latency:
    """Times are in seconds of one clock. `slow` is what the latest answers say."""

    def __init__(self) -> None:
        self.slow = False
        self._times: deque[float] = deque(maxlen=_SEEN)
        self._asked: float | None = None
        self._last_asked = float("-inf")
        self._unanswered = 0

    @property
    def last(self) -> float | None:
        """How long the latest answer took."""
        return self._times[-1] if self._times else None

    def due(self, now: float) -> bool:
        """Whether to ask with what is sent now."""
        if self._asked is not None and now - self._asked >= _PATIENCE_S:
            self._asked = None
            self._unanswered += 1
        if self._unanswered >= _UNANSWERED or self._asked is not None:
            return False
        return self.slow or now - self._last_asked >= _BETWEEN_S

    def asked(self, now: float) -> None:
        self._asked = self._last_asked = now

    def answered(self, now: float) -> None:
        if self._asked is None:
            return
        self._times.append(now - self._asked)
        self._asked, self._unanswered = None, 0
        latest = list(self._times)[-3:]
        if sum(took >= SLOW_S for took in latest) >= _SLOW_OF_LAST_3:
            self.slow = True
        elif len(self._times) == _SEEN and max(self._times) <= FAST_S:
            self.slow = False

    def waiting(self, now: float) -> bool:
        """Whether what was sent last has not been drawn yet, as far as that may count."""
        return self._asked is not None and now - self._asked < _PATIENCE_S
