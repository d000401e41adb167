"""A house without a socket, for what has to be broken from inside."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from hd.agent.agent import Agent
from hd.compose import House, build, now_ms
from hd.config.keys import Keys
from hd.config.settings import Settings
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.process.sandbox.probe import Found
from hd.process.sandbox.sandbox import Sandbox
from hd.session.live import LiveSession
from hd.session.store.sqlite import SqliteStore
from tests.support.mock_model import MockModel


@dataclass(frozen=True)
class Inside:
    """One session of the house, and its agent."""

    store: SqliteStore
    session: LiveSession
    agent: Agent

    async def prompt(self, text: str, request_id: str) -> None:
        await self.agent.prompt([{"type": "text", "text": text}], request_id=request_id, steer=False)

    async def turn_ends(self) -> None:
        async with aclosing(self.session.follow()) as batches:
            async for batch in batches:
                if any(body.startswith(b'{"type":"event"') and b'"turn/end"' in body for body in batch):
                    return


@asynccontextmanager
async def house_in(
    tmp_path: Path, mock: MockModel, *, clock: Callable[[], int] = now_ms
) -> AsyncIterator[tuple[House, SqliteStore]]:
    """The house of a home and its store; the same again is the next daemon of it."""
    environment = {
        "HD_HOME": str(tmp_path / "home"),
        "DEEPSEEK_API_KEY": "sk-house-test-key",
        "DEEPSEEK_BASE_URL": mock.base_url,
        "HD_TITLES": "off",
    }
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    store = await SqliteStore.open(settings.home.database)
    sandbox = Sandbox(Found(None), own=settings.home.root, home=Path.home())
    house = build(settings, Keys(settings.home, environment), store, sandbox, demo=False, mark="test", clock=clock)
    try:
        yield house, store
    finally:
        await house.close()
        await store.close()


@asynccontextmanager
async def inside(tmp_path: Path, mock: MockModel, folder: Path) -> AsyncIterator[Inside]:
    async with house_in(tmp_path, mock) as (house, store):
        registry = house.services.registry
        header = await registry.create(cwd=str(folder), opening=facts(preset(DEFAULT_PRESET)))
        session = registry.live[header.id]
        yield Inside(store, session, house.services.agents.of(session))
