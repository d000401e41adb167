"""Slash commands: one a module, each data about itself and a function from what is known to one effect.

A command does nothing by itself. It is given `Facts`, and the effect that it returns is carried out by the screen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from htui.mirror.rows import PendingAsk, QueueItem

Level = Literal["info", "warning", "error"]
PanelName = Literal["help", "status", "queue", "model", "permission", "jobs", "cost", "context", "cache"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What commands decide by. `ask` is what waits in this session; `allowed` says that it may be allowed already.

    `loaded` says that it is known where the session's log ends.
    """

    session_id: str | None = None
    online: bool = False
    loaded: bool = False
    running: bool = False
    ask: PendingAsk | None = None
    allowed: bool = False
    queue: tuple[QueueItem, ...] = ()
    catalogue: Mapping[str, Any] | None = None
    pressure: Any = None
    thoughts: bool = False


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    level: Level = "info"


@dataclass(frozen=True, slots=True)
class Call:
    """Calls the host; `said` is told once it answered."""

    endpoint: str
    args: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


@dataclass(frozen=True, slots=True)
class Confirm:
    """Asks first: `title` says why, `yes` what is done then, `no` what stays."""

    title: str
    yes: str
    no: str
    then: Call


@dataclass(frozen=True, slots=True)
class Execute:
    """Sends a line to the host's own commands (`commands/execute`); its answer is told."""

    line: str


@dataclass(frozen=True, slots=True)
class Show:
    panel: PanelName


@dataclass(frozen=True, slots=True)
class Open:
    """Opens a screen: the changes from a turn on, or what a command prints or shows, by its number."""

    what: Literal["changes", "output", "terminal"]
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Find:
    """Looks through the session; `prompts` only through what a person said."""

    words: str
    prompts: bool = False


@dataclass(frozen=True, slots=True)
class FindSessions:
    """Asks the host for sessions that say it: of the workspace of this one, or of all."""

    words: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Prompts:
    """Lists the saved prompts, or saves this text as one."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Writes the session as a page to a file, which is named by the program where it is not."""

    file: str = ""


@dataclass(frozen=True, slots=True)
class CoreDump:
    """Writes what the program holds, in numbers, to a file with this tag in its name."""

    tag: str = ""


@dataclass(frozen=True, slots=True)
class Older:
    """Reads an earlier page of the session and goes to it."""


@dataclass(frozen=True, slots=True)
class Go:
    to: Literal["workspaces", "sessions", "new"]


@dataclass(frozen=True, slots=True)
class Scroll:
    """Moves the transcript; `lines` of 0 is its end."""

    pages: int = 0


@dataclass(frozen=True, slots=True)
class Thoughts:
    shown: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """Holds the screen for selecting, or copies the source of an answer or of a code block; `number` from the end."""

    what: Literal["screen", "answer", "code"]
    number: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """Answers what waits in this session."""

    ask: PendingAsk
    outcome: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Leave:
    """Ends the program; what runs at the host goes on."""


Effect = (
    Say
    | Call
    | Confirm
    | Execute
    | Show
    | Open
    | Find
    | FindSessions
    | ExportPage
    | CoreDump
    | Older
    | Prompts
    | Go
    | Scroll
    | Thoughts
    | Copy
    | Answer
    | Leave
)


@dataclass(frozen=True, slots=True)
class Command:
    """`args` is a hint as `[NAME]`. An `exact` command is never run or completed from the beginning of its name."""

    name: str
    summary: str
    run: Callable[[str, Facts], Effect]
    args: str = ""
    exact: bool = False


NO_SESSION = Say("No session is open. /new opens one, /resume lists them.", "warning")
OFFLINE = Say("Not connected: nothing was sent.", "warning")
NOT_LOADED = Say("The session is still being loaded: nothing was read. Try it again in a moment.", "warning")


def unreadable(facts: Facts) -> Say | None:
    """Why the log of the session cannot be read now; None where it can."""
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    return None if facts.loaded else NOT_LOADED
