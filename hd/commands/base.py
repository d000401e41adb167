"""What a slash command is: data about itself, and a function from a line to one result."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from hd.agent.agent import Agent
from hd.session.live import LiveSession


@dataclass(frozen=True, slots=True)
class Said:
    """The result of a command: what it says, whether as an error, and the event that it is about."""

    text: str
    ok: bool = True
    source: int | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"kind": "success" if self.ok else "error", "text": self.text}
        if self.source is not None:
            wire["sourceEventSeq"] = self.source
        return wire


def refused(text: str) -> Said:
    return Said(text, ok=False)


@dataclass(frozen=True, slots=True)
class Line:
    """One line for one command. `args` is what stands behind the name, without the blanks around it."""

    command_id: str
    args: str
    agent: Agent

    @property
    def session(self) -> LiveSession:
        return self.agent.session


@dataclass(frozen=True, slots=True)
class Command:
    """`hint` shows what may stand behind the name; `private` keeps that out of `command/run`."""

    name: str
    description: str
    run: Callable[[Line], Awaitable[Said]]
    hint: str | None = None
    private: bool = False

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"definitionId": f"hd/{self.name}", "name": self.name, "description": self.description}
        if self.hint is not None:
            wire["input"] = {"hint": self.hint}
        return wire
