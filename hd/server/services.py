"""What the routes work with; put together by `hd.compose` alone."""

from collections.abc import Callable
from dataclasses import dataclass

from hd.agent.agents import Agents
from hd.agent.presets import AgentPresets
from hd.commands.table import CommandTable
from hd.config.credentials import Credentials
from hd.config.document import SettingsDocument
from hd.jobs.background import Background
from hd.jobs.jobs import Jobs
from hd.jobs.terminals import Terminals
from hd.llm.providers import Providers
from hd.llm.tape.recorder import Recorder
from hd.permit.broker import Broker
from hd.process.sandbox.sandbox import Sandbox
from hd.session.drafts import Drafts
from hd.session.hub import Hub
from hd.session.presence import Presence
from hd.session.registry import Registry
from hd.session.workspaces import Workspaces


@dataclass(frozen=True, slots=True)
class Services:
    """`clock` gives ms since the epoch; `home` is the home directory of the daemon's user, as clients show it."""

    registry: Registry
    workspaces: Workspaces
    agents: Agents
    agent_presets: AgentPresets
    commands: CommandTable
    jobs: Jobs
    background: Background
    terminals: Terminals
    providers: Providers
    settings: SettingsDocument
    credentials: Credentials
    sandbox: Sandbox
    recorder: Recorder
    broker: Broker
    hub: Hub
    drafts: Drafts
    presence: Presence
    clock: Callable[[], int]
    home: str
    version: str
