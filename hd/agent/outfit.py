"""What the agents of a house share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hd.agent.dispatch import Bench
from hd.llm.providers import Providers
from hd.session.live import LiveSession
from hd.session.registry import Announce


@dataclass(frozen=True, slots=True)
class Outfit:
    """What every agent of a house works with.

    `instructions` reads the instruction files of a folder; `sections` says what the model must know of a session's
    surroundings (name → text). `announce` tells all clients a host event.
    """

    providers: Providers
    bench: Bench
    system_prompt: str
    instructions: Callable[[str], Awaitable[str | None]]
    sections: Callable[[LiveSession], Mapping[str, str]]
    announce: Announce
    default_selection: Callable[[], Mapping[str, Any]]
