"""A house whose clock is set by the test: a Monday without a holiday, by the shipped prices."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from hd.agent.agent import Agent
from hd.commands.table import CommandTable
from hd.compose import House
from hd.config.home import Home
from hd.later.later import Later
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.protocol.projections.later import Held
from hd.session.live import LiveSession
from hd.session.store.sqlite import SqliteStore
from tests.house.inside import house_in
from tests.pricing.moments import beijing
from tests.support.mock_model import MockModel


def time_of(hour: int, minute: int = 0, *, days: int = 0) -> int:
    return beijing(2026, 11, 30, hour, minute) + days * 86_400_000


class Monday:
    """Opens the same home again and again. `clock` gives ms."""

    def __init__(self, place: Path, mock: MockModel) -> None:
        self.place = place
        self.mock = mock
        self.clock: Callable[[], int]
        self.at(15)

    @property
    def database(self) -> Path:
        return Home(self.place / "home").database

    def at(self, hour: int, minute: int = 0, *, days: int = 0) -> None:
        """Sets the clock, by that of Beijing, to a time of the Monday or so many days later."""
        moment = time_of(hour, minute, days=days)
        self.clock = lambda: moment

    def price(self, **changes: Any) -> None:
        """Replaces the price of the model in the home, for the next one who opens it."""
        shipped = msgspec.json.decode((files("pricing") / "data" / "deepseek.json").read_bytes())
        own = [{**price, **changes} for price in shipped]
        (self.place / "home" / "prices.json").write_bytes(msgspec.json.encode(own))

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Opened"]:
        async with house_in(self.place, self.mock, clock=lambda: self.clock()) as (house, store):
            await house.prepare()
            yield Opened(house, store, self.place)


class Opened:
    """One daemon's life, without its socket."""

    def __init__(self, house: House, store: SqliteStore, place: Path) -> None:
        self.house = house
        self.store = store
        self.place = place

    @property
    def later(self) -> Later:
        return self.house.later

    async def new(self) -> str:
        registry = self.house.services.registry
        header = await registry.create(cwd=str(self.place), opening=facts(preset(DEFAULT_PRESET)))
        return header.id

    def session(self, session_id: str) -> LiveSession:
        """One that is in memory."""
        return self.house.services.registry.live[session_id]

    def held(self, session_id: str) -> tuple[Held, ...]:
        found: tuple[Held, ...] = self.session(session_id).value("later")
        return found

    async def say(self, session_id: str, line: str) -> str:
        """What a command answers."""
        commands: CommandTable = self.house.services.commands
        async with self.house.services.registry.hold(session_id) as session:
            ran = await commands.execute(self.agent(session), line)
        assert ran is not None
        return ran.said.text

    async def prompt(self, session_id: str, text: str, *, steer: bool = False) -> None:
        async with self.house.services.registry.hold(session_id) as session:
            content = [{"type": "text", "text": text}]
            await self.agent(session).prompt(content, request_id=text, steer=steer)

    def agent(self, session: LiveSession) -> Agent:
        return self.house.services.agents.of(session)

    async def log(self, session_id: str, *kinds: str) -> list[dict[str, Any]]:
        """The data of the events of these kinds."""
        bodies = await self.store.events(session_id, types=kinds)
        return [msgspec.json.decode(body)["data"] for body in bodies]

    async def until(self, session_id: str, fact: Callable[[], bool]) -> None:
        """Returns when something that is recorded has made it true."""
        follow = self.session(session_id).follow()
        try:
            async for _ in follow:
                if fact():
                    return
        finally:
            await follow.aclose()

    async def rest(self, session_id: str) -> None:
        """Returns when the running turn, if any, is over and its agent is done."""
        session = self.session(session_id)
        await self.until(session_id, lambda: not session.value("turn").running and not session.value("inbox").next_turn)
