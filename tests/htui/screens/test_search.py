"""Searching a conversation, one's own prompts, and sessions (rows T12); older pages included."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from htui.errors import RemoteError
from htui.screens.search import SearchScreen
from htui.screens.session import SessionScreen
from htui.screens.window import WindowScreen
from tests.htui.screens.stage import SESSION, Stage, stage

SIZES = [(80, 24), (20, 10)]


def talk(s: Stage, turns: int) -> list[dict[str, Any]]:
    """A conversation of so many turns at the host, of which the client holds the end; all of its records."""
    log, records = s.log, []
    for turn in range(1, turns + 1):
        log.turn = turn
        records += [
            log.event("turn/start", {"turn": turn}),
            log.event("user/message", log.user(f"question {turn} about the cache"), "append"),
            log.event("assistant/message", log.answer({"type": "text", "text": f"answer {turn}: 缓存 it"}), "append"),
            log.event("turn/end", {"turn": turn, "reason": {"kind": "completed"}}),
        ]
    s.link.answers["session/page"] = lambda request: page(records, request)
    log.snapshot(records[-8:], has_more=turns > 2)
    return records


def page(records: list[dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
    """Ten messages in front of the event, as a host gives them."""
    assert request["throughSeq"] == len(records) - 1
    assert request["address"] == {"kind": "session", "sessionId": SESSION}
    end = min(request["beforeSeq"], len(records))
    start = max(0, end - 20)
    return {"records": records[start:end], "hasMore": start > 0}


async def said(s: Stage, line: str) -> None:
    await s.type(line)
    await s.press("enter")


@pytest.mark.parametrize("size", SIZES)
async def test_t12_search_reads_older_pages_and_opens_a_window(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        talk(s, 12)
        await said(s, "/search answer 3")
        await s.until(lambda: isinstance(s.app.screen, SearchScreen))
        await s.sees("1 of 1", "1 place in 48")
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, WindowScreen))
        await s.sees("record 10", "answer 3")
        await s.press("home", "home")
        await s.sees("question 1 ")
        await s.press("end")
        await s.sees("answer 12")
        await s.press("escape", "escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_t12_one_s_own_prompts_are_listed_narrowed_and_gone_to(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        talk(s, 12)
        await said(s, "/history")
        await s.sees("Your prompts", "1 of 12", "question 12", "question 1 ")
        assert "answer" not in s.text
        await s.type("question 4")
        await s.sees("1 of 1")
        await s.press("enter")
        await s.sees("record 13")
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        assert s.chat.editor.empty


async def test_t12_reading_can_be_stopped_and_what_fails_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        talk(s, 12)
        s.link.answers["session/page"] = RemoteError("x", "The disk does not answer.")
        await said(s, "/search cache")
        await s.sees("Not all was read: The disk does not answer.")
        await s.press("escape")
        await said(s, "/search")
        await s.sees("needs words")


async def test_t12_a_window_asks_once_for_a_page_that_fails_and_again_when_scrolled(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        records, asked, broken = talk(s, 40), 0, False
        await said(s, "/search answer 3:")
        await s.sees("1 place in")

        def failing(request: dict[str, Any]) -> dict[str, Any]:
            nonlocal asked
            asked += 1
            assert asked < 9, "asked over and over for a page that fails"
            if broken:
                raise RemoteError("x", "The disk does not answer.")
            return page(records, request)

        def first(request: dict[str, Any]) -> dict[str, Any]:
            nonlocal broken
            value, broken = failing(request), True
            s.link.answers["session/page"] = failing
            return value

        s.link.answers["session/page"] = first
        await s.press("enter")
        await s.sees("record 10", "The disk does not answer.")
        assert asked == 2
        broken = False
        await s.press("home")
        await s.sees("Esc goes back")
        assert asked == 3


async def test_t12_the_list_is_bounded_and_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        talk(s, 230)
        await said(s, "/history")
        await s.sees("1 of 200", "Only the newest 200 are listed")


async def test_t12_older_reads_a_page_and_says_what_came(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        records = talk(s, 3)
        s.link.pages = [records[:4]]
        await said(s, "/older")
        await s.sees("2 earlier rows. That is all.", "question 1")
        await said(s, "/older")
        await s.sees("This is the beginning")


def sessions(items: list[Any], *, more: bool = False) -> Callable[..., Any]:
    return lambda request: {"items": items, "hasMore": more}


@pytest.mark.parametrize("size", SIZES)
async def test_t12_sessions_that_say_it_are_listed_and_opened(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        found = [{"sessionId": "other", "snippet": "\x1b[31mhere it \x07is"}, {"sessionId": SESSION, "snippet": "it"}]
        s.link.answers["session/search"] = sessions(found, more=True)
        await said(s, "/wsearch it is")
        await s.sees("2 sessions. There", "are more")
        assert "\x1b" not in s.text
        assert s.link.calls[-1] == ("session/search", {"request": {"query": "it is"}})
        await s.press("down", "enter")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_t12_a_host_that_does_not_search_is_quoted(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["session/search"] = RemoteError("x", "Search is switched off on this host.")
        await said(s, "/ssearch it")
        await s.sees("Not searched: Search is switched off on this host.")
        await s.press("escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
