"""A full disk in the middle of work: told in words, nothing lost, and the work goes on once there is room."""

from contextlib import aclosing
from pathlib import Path

import msgspec
import pytest

from hd.compose import build
from hd.config.keys import Keys
from hd.config.settings import Settings
from hd.errors import StoreFull
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.process.sandbox.probe import Found
from hd.process.sandbox.sandbox import Sandbox
from hd.session.store.sqlite import SqliteStore
from tests.session.store.test_full import limit_pages
from tests.support.mock_model import Call, MockModel, Reply

PLENTY = 1_000_000


async def test_i03_a_prompt_waits_for_room_and_nothing_is_lost(tmp_path: Path, mock: MockModel, folder: Path) -> None:
    environment = {
        "HD_HOME": str(tmp_path / "home"),
        "DEEPSEEK_API_KEY": "sk-full-disk-test",
        "DEEPSEEK_BASE_URL": mock.base_url,
    }
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    store = await SqliteStore.open(settings.home.database)
    sandbox = Sandbox(Found(None), own=settings.home.root, home=Path.home())
    house = build(settings, Keys(settings.home, environment), store, sandbox, demo=False, mark="test")
    registry = house.services.registry
    header = await registry.create(cwd=str(folder), opening=facts(preset(DEFAULT_PRESET)))
    session = registry.live[header.id]
    agent = house.services.agents.of(session)

    async def prompt(text: str, request_id: str) -> None:
        await agent.prompt([{"type": "text", "text": text}], request_id=request_id, steer=False)

    async def turn_ends() -> None:
        async with aclosing(session.follow()) as batches:
            async for batch in batches:
                if any(body.startswith(b'{"type":"event"') and b'"turn/end"' in body for body in batch):
                    return

    pages = store._writer._connection.execute("PRAGMA page_count").fetchone()[0]
    limit_pages(store, pages + 2)
    with pytest.raises(StoreFull, match="held in memory"):
        await prompt("x" * 100_000, "first")
    assert not agent.running
    assert len(session.value("inbox").next_turn) == 1
    assert mock.requests == []
    mock.add(Reply(calls=[Call("write_file", {"path": "a.txt", "content": "a\n"})]), Reply(text="done"))
    limit_pages(store, PLENTY)
    ended = turn_ends()
    await prompt("x" * 100_000, "first")
    await ended
    assert (folder / "a.txt").read_text() == "a\n"
    seqs = [msgspec.json.decode(body)["seq"] for body in await store.events(session.id)]
    assert seqs == list(range(session.state.seq + 1))
    await house.close()
    await store.close()
