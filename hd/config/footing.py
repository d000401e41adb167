"""Whether the files that a process stands on are still where it opened them.

A file that was removed or replaced can still be written to by whoever has it open, and nobody will ever read that.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hd.errors import HomeGone

LOOK_S: Final = 1.0


class Footing:
    """The identities that `paths` had when this was made.

    Somebody here has to keep them open, or else a new file may have the identity of the old one. Not this object: to
    close a file that SQLite has open too would drop SQLite's locks.
    """

    def __init__(self, *paths: Path) -> None:
        self._found: Mapping[Path, tuple[int, int] | None] = {path: _identity(path) for path in paths}

    def check(self) -> None:
        """`HomeGone` naming the first of the files that is not there any more or is another one."""
        for path, identity in self._found.items():
            if _identity(path) != identity:
                raise HomeGone(
                    f"{path} was removed or replaced while it was in use, so work has ended: what is written there now "
                    "would be lost. What was written before is where the old file went; put that back before you start "
                    "again."
                )

    async def watch(self, mend: Callable[[], None]) -> None:
        """Returns when one of the files is gone; calls `mend`, in a thread, for as long as none is."""
        while True:
            try:
                await asyncio.to_thread(self.check)
            except HomeGone:
                return
            await asyncio.to_thread(mend)
            await asyncio.sleep(LOOK_S)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return state.st_dev, state.st_ino
