"""What was read from the cache, on the screen of a session."""

from pathlib import Path

import pytest

from tests.htui.present.test_cache import CACHE
from tests.htui.screens.stage import stage


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_x3_the_panel_tells_what_was_read_and_what_was_lost(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.link.value("cache", CACHE)
        await s.type("/cache")
        await s.press("enter")
        await s.sees("Cache", "12k of 30k tokens", "8k that were sent before")
        await s.press("escape")
        await s.misses("12k of 30k tokens")
