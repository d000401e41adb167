"""Sessions are named by a cheap model: beside everything else, once, and never against a person."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hd.agent.title import SYSTEM
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon, is_event
from tests.support.mock_model import MockModel, Reply
from tests.support.preloaded import PreloadedDaemon

ASKED = is_event("session/title-llm-request")
USED = is_event("session/title-llm-usage")


@pytest.fixture
def daemon(tmp_path: Path, mock: MockModel) -> Iterator[Daemon]:
    environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": mock.base_url, "HD_TITLES": "on"}
    with PreloadedDaemon(tmp_path / "home", environment=environment) as running:
        yield running


def titles(log: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(title["title"], title["source"]["kind"]) for title in of(log, "session/title")]


async def test_a_session_is_named_after_its_first_turn_and_billed_for_it(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(text="It is done."), Reply(text='"Greeting the \x1bworld."'), Reply(text="More."))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello\x1b[31m world")
        await follow.until(ENDED)
        await follow.until(is_event("session/title"))
        await daemon.prompt(session, "and more")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert titles(log) == [("hello[31m world", "fallback"), ("Greeting the world", "provider")]
    first, asked, second = (request.parsed for request in mock.requests)
    assert asked["messages"][0]["content"] == SYSTEM
    assert (asked["model"], asked["max_tokens"], asked["thinking"]) == ("deepseek-flash", 48, {"type": "disabled"})
    assert "tools" not in asked
    assert second["messages"][: len(first["messages"])] == first["messages"]
    cost = (await daemon.acall("session/projections", request={"sessionId": session}))["values"]["cost"]
    assert cost["requests"] == 3
    assert of(log, "session/title-llm-usage")[0]["usage"]["outputTokens"] > 0


async def test_a_title_that_fails_is_not_asked_for_again(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="ok"), Reply(status=500), Reply(text="ok"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for _ in range(2):
            await daemon.prompt(session, "hello")
            await follow.until(ENDED)
            await mock.until(lambda: len(mock.requests) >= 2)
    log = await daemon.log(session)
    assert titles(log) == [("hello", "fallback")]
    assert of(log, "session/title-llm-usage") == []
    assert len(mock.requests) == 3


async def test_a_name_that_a_person_gives_meanwhile_stays(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="ok"), Reply(text="Another name", gates={0: gate}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        await follow.until(ASKED)
        await daemon.acall("session/rename", request={"sessionId": session, "title": "Mine"})
        gate.set()
        await follow.until(USED)
    assert titles(await daemon.log(session)) == [("hello", "fallback"), ("Mine", "user")]


async def test_no_title_is_asked_for_where_it_is_not_wanted_or_the_turn_failed(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    async with daemon.socket() as socket:

        async def turn() -> list[dict[str, Any]]:
            session = await daemon.new_session(folder)
            follow = await socket.follow(session)
            await daemon.prompt(session, "hello")
            await follow.until(ENDED)
            return await daemon.log(session)

        mock.add(Reply(status=400))
        logs = [await turn()]
        await daemon.acall("settings/update", ns="session-title", patch={"generate": False})
        mock.add(Reply(text="ok"))
        logs.append(await turn())
    assert [of(log, "session/title-llm-request") for log in logs] == [[], []]
    assert len(mock.requests) == 2


async def test_a_daemon_ends_while_a_title_is_asked_for(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="ok"), Reply(cut_after=0, stall=True))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        await follow.until(ASKED)
    assert await asyncio.to_thread(daemon.stop) == 0
