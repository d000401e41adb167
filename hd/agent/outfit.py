"""What the agents of a house share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hd.agent.dispatch import Bench
from hd.agent.gate import Gate
from hd.agent.off_peak import OffPeak
from hd.agent.title import Titles
from hd.llm.providers import Providers
from hd.prompt.tree import News
from hd.session.live import LiveSession
from hd.session.registry import Announce


class Surroundings(Protocol):
    """What the model must know of the place where a session works."""

    async def look(self, session: LiveSession) -> None:
        """Looks at the place before a turn, for a bounded time."""
        ...

    def sections(self, session: LiveSession) -> Mapping[str, str]:
        """What there is to know, text by title."""
        ...

    def tree(self, session: LiveSession) -> News | None:
        """What there is to tell of the tree of its folder."""
        ...


@dataclass(frozen=True, slots=True)
class Outfit:
    """What every agent of a house works with.

    `instructions` reads the instruction files of a folder. `announce` tells all clients a host event. All that they
    send to a model goes through `gate`. `off_peak` knows when a model costs less, and which turns wait for that.
    """

    providers: Providers
    bench: Bench
    system_prompt: str
    instructions: Callable[[str], Awaitable[str | None]]
    surroundings: Surroundings
    announce: Announce
    titles: Titles
    gate: Gate
    off_peak: OffPeak
    default_selection: Callable[[], Mapping[str, Any]]
