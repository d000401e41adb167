"""A provider that lets requests wait: one limiter for all sessions, told to whoever follows, and stopped at once."""

import asyncio
from pathlib import Path
from typing import Any

from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon, Socket, Stream, is_event
from tests.support.mock_model import MockModel, Reply


async def begun(daemon: Daemon, socket: Socket, folder: Path, prompt: str) -> tuple[str, Stream]:
    session = await daemon.new_session(folder)
    follow = await socket.follow(session)
    await daemon.prompt(session, prompt)
    return session, follow


async def stopped(daemon: Daemon, session: str, follow: Stream) -> dict[str, Any]:
    """The reason of the turn's end; a cancel has a second for it."""
    async with asyncio.timeout(1):
        await daemon.acall("session/cancel", request={"sessionId": session})
        ended = await follow.until(ENDED)
    reason: dict[str, Any] = ended["event"]["data"]["reason"]
    return reason


async def test_f08_all_sessions_wait_where_one_was_refused_and_can_be_stopped(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(status=429, headers={"Retry-After": "41"}))
    async with daemon.socket() as socket:
        first, refused = await begun(daemon, socket, folder, "one")
        retry = (await refused.until(is_event("llm/retry")))["event"]["data"]
        second, waits = await begun(daemon, socket, folder, "two")
        told = (await waits.until(is_event("llm/waiting")))["event"]
        assert (retry["delayMs"], told["data"]["reason"], told["ignorable"]) == (41_000, "limit", True)
        assert 30_000 < told["data"]["untilMs"] - told["time"] <= 42_000
        assert len(mock.requests) == 1
        for session, follow in ((second, waits), (first, refused)):
            assert (await stopped(daemon, session, follow))["kind"] == "aborted"


async def test_f08_a_daemon_that_is_stopped_does_not_wait_for_the_provider(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(status=429, headers={"Retry-After": "41"}))
    async with daemon.socket() as socket:
        _, refused = await begun(daemon, socket, folder, "one")
        await refused.until(is_event("llm/retry"))
        _, waits = await begun(daemon, socket, folder, "two")
        await waits.until(is_event("llm/waiting"))
    assert await asyncio.to_thread(daemon.stop) == 0


async def test_f06_a_request_in_the_providers_queue_says_so_and_can_be_stopped(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(cut_after=0, stall=True, keep_alive=0.05), Reply(text="fine"))
    async with daemon.socket() as socket:
        session, follow = await begun(daemon, socket, folder, "one")
        told = (await follow.until(is_event("llm/waiting")))["event"]["data"]
        assert told["reason"] == "queue"
        assert "untilMs" not in told
        assert (await stopped(daemon, session, follow))["kind"] == "aborted"
        await mock.until(lambda: mock.gone == 1, 1)
        await daemon.prompt(session, "again")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert len(of(log, "llm/waiting")) == 1
    assert of(log, "turn/end")[-1]["reason"] == {"kind": "completed"}
