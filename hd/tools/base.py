"""What a tool is.

A tool says first what a call would do (`plan`, no side effect), which is what the permission policy decides by and what
an approval shows, and then does it (`run`). It reaches the world only through its `ToolContext`; it knows no session,
no model and no other tool.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hd.protocol.tools import ToolSpec

if TYPE_CHECKING:
    from hd.files.layer import FileLayer
    from hd.process.run import Ran
    from hd.process.sandbox.plan import Mode
    from hd.process.terminal import Seen


class Access(StrEnum):
    """What kind of reach a call has; the permission policy is a function of this and the preset."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    EXECUTE = "execute"
    TERMINAL = "terminal"
    TALK = "talk"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call would do, in full.

    `summary` is one line such as `edit src/a.py` or `run pytest -q`; `detail` is the whole payload (the command, the
    new content, the difference), never shortened; `paths` are the files it names, relative to the workspace. `base`
    names the state of the file that it starts from, so that two plans are equal only where they start from the same.
    """

    access: Access
    summary: str
    detail: str = ""
    paths: tuple[str, ...] = ()
    base: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call did.

    `text` is for the model. `meta` is for clients (WIRE 8.2, `tool/result`). `events` are (type, data) pairs to record
    with the result, for tools whose effect is a fact of the session itself, such as the todo list.
    """

    text: str
    meta: Mapping[str, Any] | None = None
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class ToolError(Exception):
    """A call that did not work, told to the model as `Error: …`. `name`/`code` are those of `tool/result.error`."""

    def __init__(self, message: str, *, name: str = "ToolError", code: str = "TOOL_FAILED") -> None:
        super().__init__(message)
        self.message = message
        self.name = name
        self.code = code


class InvalidArguments(ToolError):
    def __init__(self, message: str) -> None:
        super().__init__(message, name="ToolArgsError", code="INVALID_ARGS")


Asker = Callable[[Sequence[Mapping[str, Any]]], Awaitable[Mapping[str, Any]]]
"""Puts questions (`{id, question, header?, options?, multiSelect?}`) to a person, gives `{"answers": […]}`."""


class CommandRunner(Protocol):
    """Runs shell commands to their end (`hd.process.run`), held by the sandbox of a mode where there is one, and keeps
    what they wrote."""

    async def run(self, command: str, *, cwd: Path, run_id: str, mode: "Mode", timeout_s: float = ...) -> "Ran": ...

    def output(self, job_id: str) -> Iterator[str] | None:
        """All that a job of the session wrote, in pieces of whole lines; None where it is not kept. Blocks."""
        ...


class TerminalDesk(Protocol):
    """The terminals of a session (`hd.jobs.terminals`)."""

    async def open(self, command: str, call_id: str, mode: "Mode") -> "Seen":
        """Starts a command, held by the sandbox of a mode where there is one, and says how it stands once there is
        something to say; OSError, ValueError, HdError."""
        ...

    async def kill(self, index: int | None) -> Sequence[tuple[int, str]]:
        """Ends one terminal or all that run; gives index and command of each. HdError for one that does not run."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The world as one call may touch it.

    `seen` maps a path to the hash of the bytes the model last read there. `value` gives what clients see of the session
    under a projection's key, such as `plan` or `goal`; None for a key that is none. `borne_out` gives, of paths
    that are claimed to be changed, those of which the daemon knows it or could not; None where it knows too little.
    `traced` takes what the call changed, as `undo/changed` tells it; None for nothing.
    `terminals` is None for who may have none.
    """

    workspace: Path
    files: "FileLayer"
    runner: CommandRunner
    ask: Asker
    call_id: str
    seen: dict[Path, str] = field(default_factory=dict)
    value: Callable[[str], Any] = lambda key: None
    borne_out: Callable[[Collection[str]], Collection[str] | None] = lambda claimed: None
    traced: Callable[[], Mapping[str, Any] | None] = lambda: None
    terminals: TerminalDesk | None = None
    mode: "Mode" = "read-only"


class Tool(Protocol):
    """One tool. Both methods get the arguments as decoded JSON and raise `InvalidArguments` when they do not fit."""

    spec: ToolSpec

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan: ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome: ...
