"""Where a run takes place: in the daemon of the home where one runs, else in a house of this process.

A store has one writer. So a run is a client where a daemon has the home, and where another run has it, it waits.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from hd.cli.ending import say
from hd.cli.line import Direct, Line
from hd.cli.local import Local
from hd.cli.oneshot import Run
from hd.cli.printing import Printer
from hd.cli.record import told
from hd.cli.remote import connected
from hd.cli.wish import Wish
from hd.compose import open_house
from hd.config.footing import Footing
from hd.config.home import Home
from hd.config.keys import Keys
from hd.config.lock import HomeLock, acquire
from hd.config.logs import Redactor, log_to
from hd.config.settings import Settings
from hd.daemon import heed_signals, known_secrets
from hd.errors import HomeBusy, KeyUnusable, Stopped, UsageError
from hd.ledger.prices import prices
from hd.process.environment import HOME_MARK
from hd.process.harden import hide_environment

POLL_S: Final = 0.1


async def play(wish: Wish, printer: Printer, environment: Mapping[str, str]) -> int:
    """Runs the wish to its end and gives the exit code."""
    heed_signals(interrupted := asyncio.Event())
    tables = prices(Home.of(environment).prices)
    async with line_to(environment, interrupted, demo=wish.demo, record=wish.record) as line:
        return await Run(line, wish, printer, tables).play(interrupted)


@asynccontextmanager
async def line_to(
    environment: Mapping[str, str], interrupted: asyncio.Event, *, demo: bool, record: Path | None = None
) -> AsyncIterator[Line]:
    """A line to the home's daemon or to a house of our own; with `demo` the scripted model is enough.

    `record` is a file that what goes to the provider is written to, which only a house of our own can do.
    """
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    lock = await _lock(settings.home, environment, interrupted)
    if lock is None:
        if record is not None:
            raise UsageError(
                "A daemon has this home and plays the run, so nothing was started. `hd record on` records what it does."
            )
        local = await asyncio.to_thread(Local.find, settings.home)
        await asyncio.to_thread(_check_model, local, Keys(settings.home, environment), demo=demo)
        async with connected(local) as remote:
            yield remote
        return
    with lock:
        async with _own_house(settings, environment, record, demo=demo) as line:
            yield line


@asynccontextmanager
async def _own_house(
    settings: Settings, environment: Mapping[str, str], record: Path | None, *, demo: bool
) -> AsyncIterator[Line]:
    home = settings.home
    secrets = known_secrets(home, environment, demo=demo)
    if not secrets and not demo:
        say("No API key is set, so the scripted demo answers; `hd key set` stores one.")
    with log_to(home.log, Redactor(*secrets)):
        hide_environment()
        async with open_house(replace(settings, titles=False), environment, demo=demo) as house:
            footing = Footing(home.lock, home.database)
            if record is not None:
                await house.services.recorder.begin(record)
            yield Direct(house.unary, house.streams)
            footing.check()
            if record is not None:
                say(told((await house.services.recorder.end()).to_wire()))


async def _lock(home: Home, environment: Mapping[str, str], interrupted: asyncio.Event) -> HomeLock | None:
    """The lock of the home; None when a daemon has it. Waits while another command has it."""
    waiting = False
    while True:
        try:
            return await asyncio.to_thread(acquire, home, "run")
        except HomeBusy as busy:
            if "url" in busy.details:
                return None
            if "purpose" not in busy.details or environment.get(HOME_MARK) == str(home.root):
                # What is unknown is told. And a command of the run that we would wait for would wait for itself.
                raise
            if not waiting:
                say(
                    f"`hd {busy.details['purpose']}` (process {busy.details['pid']}) has this home; this run begins "
                    "when that ends. Start `hd web` first to have several at once."
                )
            waiting = True
        await _pause(interrupted)


async def _pause(interrupted: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(POLL_S):
            await interrupted.wait()
    except TimeoutError:
        return
    raise Stopped("Stopped before the run began; nothing was started.")


def _check_model(local: Local, keys: Keys, *, demo: bool) -> None:
    """The demo must not answer in place of what was wanted: `KeyUnusable` where there is a key that is not used."""
    if demo or local.post("/api/local/status")["providers"] != ["demo"]:
        return
    place = f"The daemon at {local.daemon.url}"
    if keys.status().configured:
        raise KeyUnusable(
            f"{place} offers only the scripted demo, although there is a key here. Start it again with the key "
            "(`hd stop`, `hd web`), or ask for the demo with --demo."
        )
    say(f"{place} has no API key, so the scripted demo answers; `hd key set` stores one.")
