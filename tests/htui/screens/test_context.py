"""The context on the screen: its panel, a switch to a smaller window, and what was summed up (case G07)."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.htui.present.test_context import BREAKDOWN, PRESSURE
from tests.htui.screens.stage import SESSION, stage
from tests.support.scripted import CATALOGUE

SIZES = [(80, 24), (40, 15)]


def catalogue() -> dict[str, Any]:
    told: dict[str, Any] = deepcopy(CATALOGUE)
    for model, window in zip(told["groups"][0]["models"], (1_000_000, 32_000), strict=True):
        model["contextWindow"] = window
    return told


@pytest.mark.parametrize("size", SIZES)
async def test_the_panel_tells_what_fills_the_window(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.link.value("contextPressure", PRESSURE)
        s.link.value("contextBreakdown", BREAKDOWN)
        await s.sees("31%")
        await s.type("/context")
        await s.press("enter")
        await s.sees("Context", "312k of 1M", "AGENTS.md")
        await s.press("pagedown", "pagedown")
        await s.sees("summed up from 800k on")
        await s.press("escape")
        await s.misses("AGENTS.md")


@pytest.mark.parametrize("size", SIZES)
async def test_g07_a_switch_to_a_smaller_window_is_asked_for_with_the_numbers(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with stage(tmp_path, size=size) as s:
        s.link.host.catalogue = catalogue()
        s.link.value("contextPressure", PRESSURE)
        await s.sees("31%")
        for chosen in ("no", "yes"):
            await s.type("/model deepseek-v4-flash")
            await s.press("enter")
            await s.sees("312k tokens held, window of 32k", "Stay with the model in use", "Switch and sum up")
            calls = [args for name, args in s.link.calls if name == "session/selectModel"]
            assert calls == []
            await s.press("1" if chosen == "no" else "2")
            await s.misses("window of 32k")
        await s.until(lambda: any(name == "session/selectModel" for name, _ in s.link.calls))
        (call,) = [args for name, args in s.link.calls if name == "session/selectModel"]
        assert call["request"] == {"sessionId": SESSION, "provider": "deepseek-official", "model": "deepseek-v4-flash"}


async def test_g07_the_list_of_models_asks_too_and_escape_means_no(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.catalogue = catalogue()
        s.link.value("contextPressure", PRESSURE)
        await s.sees("31%")
        await s.type("/model")
        await s.press("enter")
        await s.sees("DeepSeek V4 Flash", "Window: 1M tokens.")
        await s.press("3")
        await s.sees("312k tokens held, window of 32k")
        await s.press("escape")
        await s.misses("window of 32k")
        assert not any(name == "session/selectModel" for name, _ in s.link.calls)


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_summed_up_stays_above_its_row_and_the_row_unfolds(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with stage(tmp_path, size=size) as s:
        s.log.begin("the first of all")
        s.log.send("compaction/start", {"compactionId": "c", "turn": 1})
        await s.sees("sum up")
        s.log.send(
            "compaction/summary",
            {
                "compactionId": "c",
                "summary": [{"type": "text", "text": "All about ships."}],
                "shadowedSeqs": [1, 2, 3],
                "tokensBefore": 120_000,
                "tokensAfter": 9_000,
            },
        )
        s.log.send("compaction/end", {"compactionId": "c", "turn": 1})
        s.log.say("and on it goes")
        s.log.end()
        await s.sees("the first of all", "▸ 3 messages summed up", "120k → 9k", "and on it goes")
        await s.press("ctrl+t")
        await s.sees("▾ 3 messages summed up", "All about ships.")
        await s.press("ctrl+t")
        await s.misses("All about ships.")


async def test_a_compaction_that_failed_by_itself_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("hello")
        error = {"message": "The summary came back empty.", "code": "SUMMARY_UNUSABLE"}
        s.log.send("compaction/end", {"compactionId": "a", "turn": 1, "error": error, "again": True})
        s.log.send("compaction/end", {"compactionId": "b", "turn": 1, "error": {"message": "It failed twice."}})
        await s.sees("! It failed twice.")
        assert "came back empty" not in s.text
