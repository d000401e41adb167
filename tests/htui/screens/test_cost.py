"""The cost of a session on its screen."""

from pathlib import Path

import pytest

from tests.htui.present.test_cost import COST
from tests.htui.screens.stage import stage


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_t20_the_bar_and_the_panel_tell_the_cost(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.link.value("cost", COST)
        await s.sees("¥: 0.12*")
        await s.type("/cost")
        await s.press("enter")
        await s.sees("Cost", "0.1234 CNY in 13 requests", "without a price")
        await s.press("escape")
        await s.misses("without a price")
