"""The host's own slash commands, as it lists them (WIRE 10.2). What they are called and say is text from outside."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from htui.present.safe import one_line

_NAME = re.compile(r"[A-Za-z][\w-]{0,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class HostCommand:
    """`summary` and `args` are safe to show; `args` is a hint as `[NAME]`, empty where nothing follows the name."""

    name: str
    summary: str = ""
    args: str = ""
    exact: bool = False


def host_commands(value: object) -> tuple[HostCommand, ...] | None:
    """What `commands/list` answered, without rows that cannot be read; None when it is no list."""
    if not isinstance(value, list):
        return None
    return tuple([found for found in map(_command, value) if found is not None])


def _command(wire: object) -> HostCommand | None:
    name = wire.get("name") if isinstance(wire, Mapping) else None
    if not isinstance(wire, Mapping) or not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return None
    given = wire.get("input")
    return HostCommand(
        name, _text(wire.get("description")), _text(given.get("hint") if isinstance(given, Mapping) else "")
    )


def _text(value: object) -> str:
    return one_line(value, 200) if isinstance(value, str) else ""
