"""What the link tells its owner: small frozen values."""

from dataclasses import dataclass
from typing import Literal

from htui.mirror.changes import MirrorChange

LinkPhase = Literal["connecting", "online", "offline", "login"]


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """How the link stands. `reason` is a sentence for a person: why, and what to do.

    `offline` tries again by itself in `next_try_in` seconds (as of the change; None when it waits for `retry`), after
    `attempt` failures in a row. `login` waits for `retry`, best with a token.
    """

    phase: LinkPhase = "connecting"
    reason: str = ""
    attempt: int = 0
    next_try_in: float | None = None


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """`Link.status` is another one."""

    status: LinkStatus


@dataclass(frozen=True, slots=True)
class HostChanged:
    """`Link.host` changed.

    `keys` are out of `workspaces`, `sessions`, `projections`, `asks`, `catalogue`, `sandbox`, `commands`, `errors`,
    `clients` and `goals`, and `list` beside `sessions` when all of them were read anew; `session_ids` are those whose
    projections changed.
    """

    keys: frozenset[str]
    session_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """A followed session changed."""

    session_id: str
    change: MirrorChange


Change = LinkChanged | HostChanged | SessionChanged
