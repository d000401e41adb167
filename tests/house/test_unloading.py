"""A session leaves memory between two turns, and neither the person nor the model can tell."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.compose import House, open_house
from hd.config.settings import Settings
from hd.permit.presets import facts, preset
from hd.server.login import Caller
from hd.server.rpc import Personal
from tests.support.mock_model import Call, MockModel, Reply


@pytest.fixture
async def house(tmp_path: Path, mock: MockModel) -> AsyncIterator[House]:
    environment = {
        "HD_HOME": str(tmp_path / "home"),
        "DEEPSEEK_API_KEY": "sk-unloading-test",
        "DEEPSEEK_BASE_URL": mock.base_url,
        "HD_TITLES": "off",
    }
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    async with open_house(settings, environment, demo=False) as opened:
        yield opened


@pytest.fixture
async def session(house: House, folder: Path) -> str:
    return (await house.services.registry.create(cwd=str(folder), opening=facts(preset("danger-full-access")))).id


async def call(house: House, endpoint: str, **request: Any) -> Any:
    route = house.unary[endpoint]
    assert not isinstance(route, Personal)
    return await route(request=request)


async def prompt(house: House, session: str, text: str, request_id: str) -> None:
    """A turn from its prompt to the moment at which nobody holds the session any more."""
    answer = await call(
        house,
        "session/prompt",
        sessionId=session,
        requestId=request_id,
        mode="queue",
        content=[{"type": "text", "text": text}],
    )
    assert answer == {"accepted": True}
    live = house.services.registry.live[session]
    async with asyncio.timeout(20):
        while live.holds.count:
            await asyncio.sleep(0)


async def unload(house: House) -> list[str]:
    return await house.services.registry.sweep(idle_s=0)


def follow(house: House, session: str) -> AsyncGenerator[list[bytes], None]:
    route = house.streams["session/follow"]
    assert isinstance(route, Personal)
    return route.function(Caller(), request={"address": {"kind": "session", "sessionId": session}})


async def snapshot(house: House, session: str) -> dict[str, Any]:
    async with aclosing(follow(house, session)) as batches:
        decoded: dict[str, Any] = msgspec.json.decode((await anext(batches))[0])
        return decoded


async def test_a_turn_goes_on_where_the_one_before_the_unloading_ended(
    house: House, mock: MockModel, folder: Path, session: str
) -> None:
    (folder / "a.txt").write_text("old\n")
    mock.add(Reply(calls=[Call("read_file", {"path": "a.txt"})]), Reply(text="read"))
    await prompt(house, session, "read it", "first")
    before = await snapshot(house, session)
    assert await unload(house) == [session]
    assert await snapshot(house, session) == before
    assert session not in house.services.registry.live, "a look at its end needs nothing in memory"
    # Stopping what does not run is no error for a client that saw the session live.
    assert await call(house, "session/cancel", sessionId=session) == {"accepted": True}
    # A prompt that was taken in before is known, so that nothing is asked twice.
    asked = len(mock.requests)
    await prompt(house, session, "read it", "first")
    assert len(mock.requests) == asked
    assert await unload(house) == [session]
    # What the model read it may still replace, as long as nobody else did.
    mock.add(Reply(calls=[Call("write_file", {"path": "a.txt", "content": "new\n"})]), Reply(text="written"))
    await prompt(house, session, "write it", "second")
    assert (folder / "a.txt").read_text() == "new\n"
    assert await unload(house) == [session]
    (folder / "a.txt").write_text("somebody else's\n")
    mock.add(Reply(calls=[Call("write_file", {"path": "a.txt", "content": "newer\n"})]), Reply(text="refused"))
    await prompt(house, session, "write it again", "third")
    assert (folder / "a.txt").read_text() == "somebody else's\n"


async def test_an_armed_goal_a_turn_and_a_follower_keep_a_session(house: House, mock: MockModel, session: str) -> None:
    async with aclosing(follow(house, session)) as batches:
        await anext(batches)
        assert await unload(house) == []
    assert await unload(house) == [session]
    async with house.services.registry.hold(session) as live:
        agent = house.services.agents.of(live)
        agent.pursuit.create("the moon")
    assert await unload(house) == []
    async with house.services.registry.hold(session) as live:
        house.services.agents.of(live).pursuit.park()
    mock.add(Reply(text="slow", stall=True))
    await call(
        house,
        "session/prompt",
        sessionId=session,
        requestId="r",
        mode="queue",
        content=[{"type": "text", "text": "x"}],
    )
    assert await unload(house) == []
    await call(house, "session/cancel", sessionId=session)
    live = house.services.registry.live[session]
    async with asyncio.timeout(20):
        while live.holds.count:
            await asyncio.sleep(0)
    del live
    assert await unload(house) == [session]
