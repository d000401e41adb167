"""All slash commands, and which one a line means: pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from htui.commands import (
    Command,
    allow,
    cancel,
    deny,
    down,
    help,
    latest,
    model,
    new,
    permission,
    queue,
    quit,
    resume,
    status,
    think,
    up,
    ws,
)

COMMANDS: tuple[Command, ...] = (
    help.COMMAND,
    new.COMMAND,
    resume.COMMAND,
    ws.COMMAND,
    model.COMMAND,
    permission.COMMAND,
    queue.COMMAND,
    cancel.COMMAND,
    think.COMMAND,
    status.COMMAND,
    latest.COMMAND,
    up.COMMAND,
    down.COMMAND,
    allow.COMMAND,
    deny.COMMAND,
    quit.COMMAND,
)

BY_NAME: Mapping[str, Command] = {command.name: command for command in COMMANDS}


@dataclass(frozen=True, slots=True)
class Chosen:
    command: Command
    args: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """No command, or several: `text` says which."""

    text: str


def is_command(line: str) -> bool:
    """True for a line that is meant as a command: a slash and a letter, and no path."""
    word = line.split(maxsplit=1)[0] if line.strip() else ""
    return len(word) > 1 and word[0] == "/" and word[1].isalpha() and "/" not in word[1:] and "\n" not in line.strip()


def choose(line: str) -> Chosen | Unclear:
    """The command of a line such as `/mod flash`. The beginning of a name is enough, except for those that end or
    decide something."""
    word, _, args = line.strip()[1:].partition(" ")
    word = word.lower()
    exact = BY_NAME.get(word)
    if exact is not None:
        return Chosen(exact, args.strip())
    found = [command for command in COMMANDS if command.name.startswith(word)]
    open_ones = [command for command in found if not command.exact]
    if len(open_ones) == 1 and len(found) == 1:
        return Chosen(open_ones[0], args.strip())
    if not open_ones and found:
        return Unclear(f"/{found[0].name} has to be typed in full.")
    if found:
        return Unclear("Which one: " + " ".join(f"/{command.name}" for command in found[:6]))
    return Unclear(f"There is no command /{word}. /help lists them.")


def complete(line: str) -> tuple[str, tuple[Command, ...]]:
    """The line with the command's name completed as far as it is clear, and the commands that it may still be."""
    if not is_command(line) and line != "/":
        return line, ()
    if " " in line:
        return line, ()
    found = tuple(command for command in COMMANDS if command.name.startswith(line[1:].lower()))
    names = [command.name for command in found if not command.exact]
    if not names:
        return line, found
    if len(names) == 1 and len(found) == 1:
        return f"/{names[0]} ", found
    shared = _shared(names)
    return (f"/{shared}" if len(shared) >= len(line) - 1 else line), found


def _shared(names: list[str]) -> str:
    first, last = min(names), max(names)
    size = next((place for place, char in enumerate(first) if last[place : place + 1] != char), len(first))
    return first[:size]
