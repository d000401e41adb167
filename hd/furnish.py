"""What the house is furnished with out of its settings and keys: `hd/compose.py` puts it where it belongs."""

from contextlib import suppress
from pathlib import Path

from hd.agent.gate import Gate
from hd.agent.title import Titles
from hd.config import namespaces
from hd.config.document import Namespace
from hd.config.keys import Keys
from hd.config.settings import Settings
from hd.errors import KeyUnusable
from hd.files.guard import Guard
from hd.ledger.caps import DayCap, parse, parse_kept
from hd.llm.base import Provider
from hd.llm.deepseek import DeepSeek
from hd.llm.demo import Demo
from hd.llm.providers import Providers
from hd.llm.tape.recorder import Recorder
from hd.permit.broker import Broker
from hd.permit.presets import DEFAULT_PRESET
from hd.process.sandbox.sandbox import DEFAULT_USE, Sandbox
from hd.prompt.instructions import find, render


def secrets(keys: Keys) -> list[str]:
    """What may leave this machine in no form: the key of the environment, and the stored one where both are there."""
    found: list[str] = []
    for source in (keys, Keys(keys.home, {})):
        with suppress(KeyUnusable):
            found += [key for key in (source.load(),) if key and key not in found]
    return found


def providers_of(settings: Settings, keys: Keys, recorder: Recorder, *, demo: bool) -> Providers:
    """Whom a session may ask; only the scripted one with `demo`. Without a key the others are listed and unusable."""
    scripted: Provider = Demo()
    if demo:
        return Providers([scripted])
    real = DeepSeek(settings.base_url, keys.load, recorder=recorder)
    return Providers([real, scripted], settings.model, usable=lambda one: one is scripted or keys.status().configured)


def key_changed(providers: Providers, broker: Broker, ref: str) -> None:
    """Tells every client that another key is in force, and that other providers may be usable by it."""
    providers.refresh()
    broker.emit("credentials/reference-updated", [ref])
    broker.emit("llm/adapters-updated", [])


def settings_namespaces(
    settings: Settings, providers: Providers, sandbox: Sandbox, guard: Guard, titles: Titles, gate: Gate
) -> list[Namespace]:
    """The settings that a client reads and writes, each with the service that follows it."""
    pinned = settings.model is not None
    return [
        namespaces.default_model(providers.base, providers.complete, providers.prefer, pinned=pinned),
        namespaces.permission(DEFAULT_PRESET),
        namespaces.sandbox(DEFAULT_USE, sandbox.set),
        namespaces.secret_files(guard.own),
        namespaces.session_title(settings.titles, titles.want),
        namespaces.spending(parse, parse_kept, lambda cap, allowed: gate.bind_day(DayCap(cap, allowed))),
    ]


def instructions(workspace: Path, home: Path) -> str | None:
    """What the instruction files of a workspace and of the home say; None where there is nothing."""
    return render(find(workspace, home)) or None
