"""All slash commands, and which one a line means: pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from htui.commands import (
    Command,
    allow,
    attach,
    cache,
    cancel,
    changes,
    context,
    copy,
    coredump,
    cost,
    deny,
    down,
    export_html,
    help,
    history,
    latest,
    model,
    new,
    older,
    permission,
    prompt,
    ps,
    queue,
    quit,
    resume,
    search,
    ssearch,
    status,
    tail,
    think,
    up,
    ws,
    wsearch,
)
from htui.screens.host_commands import HostCommand

COMMANDS: tuple[Command, ...] = (
    help.COMMAND,
    new.COMMAND,
    resume.COMMAND,
    ws.COMMAND,
    model.COMMAND,
    permission.COMMAND,
    prompt.COMMAND,
    queue.COMMAND,
    changes.COMMAND,
    ps.COMMAND,
    attach.COMMAND,
    tail.COMMAND,
    cancel.COMMAND,
    think.COMMAND,
    copy.COMMAND,
    status.COMMAND,
    cost.COMMAND,
    context.COMMAND,
    cache.COMMAND,
    search.COMMAND,
    history.COMMAND,
    ssearch.COMMAND,
    wsearch.COMMAND,
    older.COMMAND,
    latest.COMMAND,
    export_html.COMMAND,
    coredump.COMMAND,
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
class Hosted:
    """A line for the host's own commands, as it was typed."""

    line: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """No command, or several: `text` says which."""

    text: str


def is_command(line: str, hosted: Sequence[HostCommand] | None = ()) -> bool:
    """True for a line that is meant as a command: a slash and a letter, and no path.

    Several lines are one where the host has the command: what it is given may be long.
    """
    word = _word(line)
    if len(word) < 2 or word[0] != "/" or not word[1].isalpha() or "/" in word[1:]:
        return False
    return "\n" not in line.strip() or _is_hosted(word[1:], hosted)


def choose(line: str, hosted: Sequence[HostCommand] | None = ()) -> Chosen | Hosted | Unclear:
    """The command of a line such as `/mod flash`. The beginning of a name is enough, except for those that end or
    decide something and for `hosted`, those of the host. Where these are not known (None), it is asked."""
    word = _word(line)[1:]
    args = line.strip()[1 + len(word) :]
    exact = BY_NAME.get(word.lower())
    if exact is not None:
        return Chosen(exact, args.strip())
    if _is_hosted(word, hosted):
        return Hosted(line)
    word = word.lower()
    found = [command for command in COMMANDS if command.name.startswith(word)]
    open_ones = [command for command in found if not command.exact]
    if len(open_ones) == 1 and len(found) == 1:
        return Chosen(open_ones[0], args.strip())
    if not open_ones and found:
        return Unclear(f"/{found[0].name} has to be typed in full.")
    if found:
        return Unclear("Which one: " + " ".join(f"/{command.name}" for command in found[:6]))
    if hosted is None:
        return Hosted(line)
    begun = next((command.name for command in hosted if command.name.lower().startswith(word)), None)
    return Unclear(no_command(f"/{word}") if begun is None else f"/{begun} has to be typed in full.")


def no_command(word: str) -> str:
    """What is told about a name that nobody knows."""
    return f"There is no command {word}. /help lists them."


def beyond(hosted: Sequence[HostCommand] | None) -> tuple[HostCommand, ...]:
    """Those of the host's commands that are not ours too: ours count, as they know what is on the screen."""
    return tuple(command for command in hosted or () if command.name not in BY_NAME)


def complete(line: str, hosted: Sequence[HostCommand] | None = ()) -> tuple[str, tuple[Command | HostCommand, ...]]:
    """The line with the command's name completed as far as it is clear, and the commands that it may still be."""
    if not is_command(line) and line != "/":
        return line, ()
    if " " in line:
        return line, ()
    every: tuple[Command | HostCommand, ...] = (*COMMANDS, *beyond(hosted))
    found = tuple(command for command in every if command.name.startswith(line[1:].lower()))
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


def _word(line: str) -> str:
    return line.split(maxsplit=1)[0] if line.strip() else ""


def _is_hosted(name: str, hosted: Sequence[HostCommand] | None) -> bool:
    return any(command.name == name for command in hosted or ())
