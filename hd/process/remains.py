"""What a command left running when its shell was done: it goes on and is still heard until somebody ends it.

Until then the shell is not reaped, so that its number, which is that of its group and session, can name nothing else.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from hd.process.survivors import GRACE_S, Survivor, end, gone, listed

_LOOK_S: Final = 0.25
"""Seconds between two looks whether it is over: these are not our children, so nothing tells us."""


class Remains:
    """The processes of one run. `find` finds them again, `let_go` reaps the shell and closes what was kept of it.

    Whoever takes it awaits `end` once, whatever happens.
    """

    def __init__(self, found: Sequence[Any], find: Callable[[], list[Any]], let_go: Callable[[], int | None]) -> None:
        self._found = list(found)
        self._find = find
        self._let_go = let_go

    async def listed(self) -> tuple[Survivor, ...]:
        """What was found at the end of the shell, with the ports of this moment."""
        return await asyncio.to_thread(listed, self._found)

    async def over(self) -> None:
        """Returns when nothing of it runs any more. Only what is known is looked at until that is gone."""
        while self._found:
            await gone(self._found, math.inf, _LOOK_S)
            self._found = await asyncio.to_thread(self._find)

    async def end(self) -> None:
        """Ends what still runs, and lets go."""
        try:
            await end(self._find, GRACE_S)
        finally:
            self._let_go()
