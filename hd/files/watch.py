"""Telling of changes of one file or of what one folder holds, by looking again at an interval.

Looking costs at most as many states as a listing has rows; nothing of the system is held, so there is no number of
watched folders at which it ends.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

from hd.files.views import Views

INTERVAL_S = 1.0

Versions = Mapping[Path, str]


def differences(before: Versions, after: Versions) -> list[tuple[Path, str | None]]:
    """What is new or changed, with its version, and what is gone, with None (pure)."""
    changed: list[tuple[Path, str | None]] = [(p, v) for p, v in after.items() if before.get(p) != v]
    return changed + [(path, None) for path in before if path not in after]


async def watch(views: Views, path: str) -> AsyncGenerator[list[tuple[Path, str | None]], None]:
    """First an empty list, once changes are noticed from now on; then the changes of each look that found any."""
    before: Versions = await asyncio.to_thread(views.versions, path)
    yield []
    while True:
        await asyncio.sleep(INTERVAL_S)
        after = await asyncio.to_thread(views.versions, path)
        if changed := differences(before, after):
            yield changed
        before = after
