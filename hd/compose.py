"""The one assembly point: from settings and a home to a house that works. It builds edges and decides nothing."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from aiohttp import web

from hd.agent.agents import Agents
from hd.agent.dispatch import Bench
from hd.agent.gate import Gate
from hd.agent.history import HISTORY
from hd.agent.off_peak import OffPeak
from hd.agent.outfit import Outfit
from hd.agent.permission import Grounds
from hd.agent.presets import STANDARD, AgentPresets, described
from hd.agent.repeats import REPEATS
from hd.agent.title import Titles
from hd.billing.cost import cost_projection
from hd.commands.table import default_commands
from hd.config import namespaces
from hd.config.credentials import Credentials
from hd.config.document import SettingsDocument
from hd.config.keys import Keys
from hd.config.settings import Settings
from hd.desks import Desks
from hd.files.folders import Folders
from hd.files.guard import Guard
from hd.files.references import References
from hd.furnish import instructions, key_changed, providers_of, secrets, settings_namespaces
from hd.jobs.jobs import Jobs
from hd.later.later import Later
from hd.ledger.accounts import Accounts
from hd.ledger.cache import cache_projection
from hd.ledger.caps import BUDGET
from hd.ledger.prices import prices
from hd.llm.base import Provider
from hd.llm.providers import Providers
from hd.llm.tape.recorder import Recorder
from hd.llm.tape.veil import Veil
from hd.permit.broker import Broker
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.permit.rulebook import Rulebook
from hd.process.run import Runner
from hd.process.sandbox.probe import probe
from hd.process.sandbox.sandbox import Sandbox
from hd.prompt.guidance import GUIDANCE
from hd.prompt.system import system_prompt
from hd.prompt.tree import TREE
from hd.protocol.projections import DAEMON
from hd.secrets.mask import Mask
from hd.secrets.values import environment_values
from hd.server.routes.agent_presets import AgentPresetRoutes
from hd.server.routes.commands import CommandRoutes
from hd.server.routes.directory_picker import DirectoryPickerRoutes
from hd.server.routes.export import ExportRoutes
from hd.server.routes.feedback import FeedbackRoutes
from hd.server.routes.files import FileRoutes
from hd.server.routes.forks import ForkRoutes
from hd.server.routes.goals import GoalRoutes
from hd.server.routes.host import HostRoutes
from hd.server.routes.jobs import JobRoutes
from hd.server.routes.money import MoneyRoutes
from hd.server.routes.permission_rules import PermissionRuleRoutes
from hd.server.routes.processes import ProcessRoutes
from hd.server.routes.prompts import PromptRoutes
from hd.server.routes.questions import QuestionRoutes
from hd.server.routes.search import SearchRoutes
from hd.server.routes.sessions import SessionRoutes
from hd.server.routes.settings import SettingsRoutes
from hd.server.routes.sharing import SharingRoutes
from hd.server.routes.subagents import SubagentRoutes
from hd.server.routes.undo import UndoRoutes
from hd.server.routes.uploads import UploadRoutes
from hd.server.routes.workspaces import WorkspaceRoutes
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.session.drafts import Drafts
from hd.session.hub import Hub
from hd.session.presence import Presence
from hd.session.registry import Registry
from hd.session.store.base import Store
from hd.session.store.sqlite import SqliteStore
from hd.session.workspaces import Workspaces
from hd.surroundings import Source, Surroundings, local_time
from hd.tools.table import default_tools
from hd.undo.settle import forget, settle
from hd.undo.undo import Undo
from hd.uploads.uploads import Uploads
from hd.version import __version__
from pricing import plain as text_of


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class House:
    """A running set of services. Close it before the store."""

    services: Services
    unary: Mapping[str, Unary]
    streams: Mapping[str, Stream]
    plain: Sequence[web.RouteDef]
    undo: Undo
    surroundings: Surroundings
    later: Later
    """Its `run` belongs to a daemon: what is held is not sent by a house that ends with one turn."""

    async def prepare(self) -> None:
        """Loads the settings and closes what the last daemon left open; to be done before anybody is let in."""
        await self.services.settings.load()
        await self.services.registry.repair_interrupted()
        await settle(self.undo, self.services.registry)
        await self.later.load()

    async def close(self) -> None:
        """Ends all turns as interrupted, then everything that follows them."""
        await self.quiet()
        await forget(self.undo, self.services.registry)
        await self.services.providers.aclose()
        await self.services.recorder.aclose()

    async def quiet(self) -> None:
        """Ends all work while clients can still see it: first turns, then streams."""
        services = self.services
        await services.agents.close()
        await self.surroundings.close()
        await services.terminals.close()
        await services.background.close()
        for told in (
            services.jobs,
            services.hub,
            services.workspaces,
            services.broker,
            services.drafts,
            services.presence,
        ):
            told.close()


@asynccontextmanager
async def open_house(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    demo: bool,
    now: Callable[[], datetime] = local_time,
    sources: Sequence[Source] = (),
    provider: Provider | None = None,
) -> AsyncIterator[House]:
    """A house on the home's store, closed in order at the end, whatever ends it.

    `provider` is the only one, instead of those of the settings. `now` is what the model is told as the date, `sources`
    are what it is told besides of its surroundings.
    """
    store = await SqliteStore.open(settings.home.database, clock=now_ms)
    try:
        keys, mark = Keys(settings.home, environment), str(settings.home.root)
        sandbox = Sandbox(await asyncio.to_thread(probe), own=settings.home.root, home=Path.home())
        house = build(settings, keys, store, sandbox, demo=demo, mark=mark, now=now, sources=sources, provider=provider)
        sweeping = asyncio.create_task(house.services.registry.keep_sweeping(), name="sweep sessions")
        try:
            await house.prepare()
            yield house
        finally:
            sweeping.cancel()
            await asyncio.wait({sweeping})
            await house.close()
    finally:
        await store.close()


def build(
    settings: Settings,
    keys: Keys,
    store: Store,
    sandbox: Sandbox,
    *,
    demo: bool,
    mark: str,
    now: Callable[[], datetime] = local_time,
    sources: Sequence[Source] = (),
    provider: Provider | None = None,
    clock: Callable[[], int] = now_ms,
) -> House:
    """The house. With `demo`, or where no key is set, the scripted demo provider is the only one.

    `clock` gives ms since the epoch.
    """
    home = settings.home
    hub, broker = Hub(), Broker()
    tables = prices(home.prices)
    registry = Registry(
        store,
        hub,
        projections=(
            *(*DAEMON, cost_projection(tables), BUDGET, cache_projection(tables)),
            *(HISTORY, REPEATS, GUIDANCE, TREE),
        ),
        clock=clock,
        announce=broker.emit,
        opening=facts(preset(DEFAULT_PRESET)),
    )
    recorder = Recorder(
        home.recordings, lambda: Veil(desks.masks().named, str(Path.home())), program=f"hd {__version__}"
    )
    providers = (
        providers_of(settings, keys, recorder, demo=demo) if provider is None else Providers([provider], settings.model)
    )
    runner = Runner(mark=mark, spills=home.spill)
    guard = Guard((home.root,), sandbox.rules)
    jobs = Jobs()
    surroundings = Mask(environment_values(keys.environment))
    undo = Undo(home.undo, guard, home.scratch)
    desks = Desks(
        runner,
        sandbox,
        jobs,
        guard,
        home.scratch,
        undo,
        lambda: Mask(dict.fromkeys(secrets(keys), "api-key")) | surroundings,
    )
    rules = Rulebook(store, clock, runner.search_path)
    grounds = Grounds(broker, rules, lambda session, mode: sandbox.holds(mode, session.value("sandbox")))
    around = Surroundings(guard, sandbox, runner.shell, Path.home().resolve(), now, sources)
    tools = default_tools()
    accounts = Accounts(store, clock, tables)

    def keep_allowed(day: date, amount: Decimal) -> Awaitable[object]:
        allowed = {"date": day.isoformat(), "amount": text_of(amount)}
        return document.update(namespaces.SPENDING, {"allowed": allowed})

    gate = Gate(broker, registry, accounts, keep_allowed)
    titles = Titles(providers, gate, wanted=settings.titles)
    off_peak = OffPeak(tables, providers.default)
    outfit = Outfit(
        providers=providers,
        bench=Bench(tools, grounds, desks.context_for, desks.mask_for, desks),
        system_prompt=system_prompt(),
        instructions=lambda cwd: asyncio.to_thread(instructions, Path(cwd), home.root),
        surroundings=around,
        announce=broker.emit,
        titles=titles,
        gate=gate,
        off_peak=off_peak,
        default_selection=providers.default,
    )
    agents = Agents(outfit)
    later = Later(registry, agents, off_peak, clock)
    registry.admit(agents, jobs, desks, desks.terminals, desks.background, undo, around)
    document = SettingsDocument(
        store, settings_namespaces(settings, providers, sandbox, guard, titles, gate), broker.emit
    )

    def keep_day(amount: Decimal | None) -> Awaitable[object]:
        day = None if amount is None else text_of(amount)
        return document.update(namespaces.SPENDING, {"day": day, "allowed": None})

    services = Services(
        registry=registry,
        workspaces=Workspaces(store),
        agents=agents,
        agent_presets=AgentPresets(
            {STANDARD: described(system_prompt(), [spec.name for spec in tools.specs()])}, broker.emit
        ),
        commands=default_commands(undo, jobs, desks.background, guard, rules, sandbox, gate, keep_day, later),
        jobs=jobs,
        background=desks.background,
        terminals=desks.terminals,
        providers=providers,
        settings=document,
        credentials=Credentials(keys, lambda ref: key_changed(providers, broker, ref)),
        sandbox=sandbox,
        recorder=recorder,
        broker=broker,
        hub=hub,
        drafts=Drafts(store, clock),
        presence=Presence(clock),
        clock=clock,
        home=os.path.expanduser("~"),
        version=__version__,
    )
    uploads = Uploads(home.uploads, store)
    upload_routes = UploadRoutes(uploads)
    routes = (
        SessionRoutes(services),
        PromptRoutes(services, uploads),
        WorkspaceRoutes(services),
        HostRoutes(services),
        CommandRoutes(services),
        GoalRoutes(services),
        QuestionRoutes(services),
        PermissionRuleRoutes(services, rules, guard),
        AgentPresetRoutes(services),
        SettingsRoutes(services),
        FeedbackRoutes(services),
        JobRoutes(services),
        ProcessRoutes(services),
        SubagentRoutes(services),
        ForkRoutes(services),
        DirectoryPickerRoutes(Folders(guard, Path.home())),
        upload_routes,
        SearchRoutes(services),
        SharingRoutes(services),
        UndoRoutes(services, undo),
        MoneyRoutes(accounts, lambda: gate.cap_of_day(now_ms())),
        FileRoutes(services, guard, References(guard, time.monotonic)),
    )
    unary: dict[str, Unary] = {}
    streams: dict[str, Stream] = {}
    for part in routes:
        unary |= part.unary()
        streams |= part.streams()
    plain = (*ExportRoutes(services, lambda: secrets(keys)).plain(), *upload_routes.plain())
    return House(services, unary, streams, plain, undo, around, later)
