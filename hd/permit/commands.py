"""Whether a shell command clearly reaches beyond the workspace or destroys what cannot be brought back; pure.

This is a courtesy and no sandbox: it stops the blunt cases by reading words, and whoever wants to get past it can
(a script file, a variable, an interpreter's own delete call). A full shell parser replaces the reading later; the
list of what asks stays. A command that cannot be read as words is asked about.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from hd.permit import reasons
from hd.permit.reasons import Reason

_BREAKS: Final = "();<>|&`\n"
_DEPTH: Final = 4
_READABLE: Final = 16 * 1024
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})
_INTERPRETERS: Final = _SHELLS | {"python", "python3", "perl", "ruby", "node", "php", "source", "."}
_FETCHERS: Final = frozenset({"curl", "wget", "fetch", "aria2c", "http"})
_FETCH_INSIDE: Final = re.compile(r"(?:\$\(|`|<\()\s*(?:curl|wget)\b")
_SUBSTITUTED: Final = re.compile(r"\$\((.+)\)|`([^`]+)`", re.DOTALL)
_HEREDOC: Final = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)(\w+)\1")
_SHELL_READS: Final = re.compile(r"(?:^|[\s;|&/(])(?:ba|z|da|k)?sh\b")
# Words in front of the program that is really run, with the options of theirs that take a value.
_WRAPPERS: Final = {
    "env": "uSC", "nice": "n", "ionice": "cn", "timeout": "sk", "time": "fo", "stdbuf": "ioe", "xargs": "InPLsdE",
    "nohup": "", "setsid": "", "exec": "a", "command": "", "builtin": "", "then": "", "do": "", "else": "", "if": "",
    "while": "", "until": "", "!": "", "{": "",
}  # fmt: skip
_SAFE_DEVICES: Final = re.compile(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+|shm/.+|u?random)\Z")
_TEMPORARY: Final = re.compile(r"(?:/tmp|/var/tmp)/[^*?/]")

_ALWAYS: Final[dict[str, Reason]] = {
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), reasons.OTHER_USER),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), reasons.POWER),
    **dict.fromkeys(("fdisk", "parted", "wipefs", "shred", "blkdiscard", "mkswap"), reasons.DEVICE),
    **dict.fromkeys(("pkill", "killall"), reasons.OTHER_PROCESSES),
    **dict.fromkeys(("ssh", "scp", "sftp"), reasons.OTHER_MACHINE),
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One simple command: its words, the files it writes by `>`, whether the network is piped into it, and the program
    that reads it by `<(…)`."""

    words: tuple[str, ...]
    targets: tuple[str, ...]
    fetched: bool
    reader: str

    @property
    def program(self) -> tuple[str, Sequence[str]]:
        """Name and arguments of what is really run; an empty name where there is nothing."""
        words = _unwrapped(self.words)
        return (PurePosixPath(words[0]).name or words[0], words[1:]) if words else ("", ())


def reach(command: str) -> Reason | None:
    """Why this command should be asked about; None when nothing clear speaks against it."""
    return _reach(command, _DEPTH)


def _reach(command: str, depth: int) -> Reason | None:
    command = _without_heredocs(command)
    if len(command) > _READABLE:
        return reasons.UNREADABLE
    try:
        parts = list(_parts(command))
    except ValueError:
        return reasons.UNREADABLE
    found = (_reach_of(part, depth) for part in parts)
    return next((reason for reason in found if reason is not None), None)


def _reach_of(part: _Part, depth: int) -> Reason | None:
    if any(target.startswith("/dev/") and not _SAFE_DEVICES.match(target) for target in part.targets):
        return reasons.DEVICE
    program, arguments = part.program
    if program in _ALWAYS:
        return _ALWAYS[program]
    if program.startswith("mkfs"):
        return reasons.DEVICE
    if program in _FETCHERS and part.reader in _INTERPRETERS:
        return reasons.FETCHED_CODE
    if part.fetched and _runs_input(program, arguments):
        return reasons.FETCHED_CODE
    if inner := _script(program, arguments):
        if _FETCH_INSIDE.search(inner):
            return reasons.FETCHED_CODE
        return _reach(inner, depth - 1) if depth else reasons.UNREADABLE
    rule = _RULES.get(program)
    return (rule(arguments) if rule else None) or _reach_inside(part.words, depth)


def _reach_inside(words: Sequence[str], depth: int) -> Reason | None:
    """What is substituted within quotes. Text that only looks like a command, and cannot be read as one, is none."""
    for inside in (first or second for word in words if depth for first, second in _SUBSTITUTED.findall(word)):
        reason = _reach(inside, depth - 1)
        if reason not in (None, reasons.UNREADABLE):
            return reason
    return None


def _without_heredocs(command: str) -> str:
    """The command without the texts of its here-documents, which are data unless a shell reads them."""
    lines = command.split("\n")
    last = {line.strip(): place for place, line in enumerate(lines)}
    kept: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        kept.append(line)
        place += 1
        for found in _HEREDOC.finditer(line):
            is_script = _SHELL_READS.search(line, 0, found.start())
            while place <= last.get(found[2], -1):
                text, place = lines[place], place + 1
                if text.strip() == found[2]:
                    break
                if is_script:
                    kept.append(text)
    return "\n".join(kept)


def _parts(command: str) -> Iterator[_Part]:
    """The simple commands of a line, in order; ValueError when quotes do not close."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=_BREAKS)
    lexer.commenters = ""
    lexer.whitespace = " \t\r"
    words: list[str] = []
    targets: list[str] = []
    fetched, reader = False, ""
    redirects = False
    for token in lexer:
        if not set(token) <= set(_BREAKS):
            (targets if redirects else words).append(token)
            redirects = False
        elif token.startswith((">", "&>")) and "(" not in token:
            redirects = True
        else:
            part = _Part(tuple(words), tuple(targets), fetched, reader)
            yield part
            program = part.program[0]
            fetched = token in {"|", "|&"} and (fetched or program in _FETCHERS)
            reader = program if token == "<(" else ""
            words, targets, redirects = [], [], False
    yield _Part(tuple(words), tuple(targets), fetched, reader)


def _runs_input(program: str, arguments: Sequence[str]) -> bool:
    """Whether it takes what is piped into it for a program, and not for the input of one."""
    if program not in _INTERPRETERS or {"-c", "-m", "-e", "-r"} & set(arguments):
        return False
    operands = _operands(arguments)
    return not operands or operands[0] == "/dev/stdin" or "-" in arguments or "s" in _flags(arguments)


def _unwrapped(words: Sequence[str]) -> Sequence[str]:
    """The words from the program on that is really run, past assignments and `env`, `nice`, `timeout 5`, `xargs` …"""
    while words:
        if _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        name = PurePosixPath(words[0]).name
        if name not in _WRAPPERS:
            return words
        words = words[1:]
        while words and words[0].startswith("-"):
            takes_value = len(words[0]) == 2 and words[0][1] in _WRAPPERS[name]
            words = words[2:] if takes_value else words[1:]
        if name == "timeout":
            words = words[1:]
    return words


def _script(program: str, arguments: Sequence[str]) -> str:
    """The text that a shell is given on its command line to run."""
    if program == "eval":
        return " ".join(arguments)
    if program not in _SHELLS:
        return ""
    for place, word in enumerate(arguments[:-1]):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return arguments[place + 1]
    return ""


def _flags(arguments: Sequence[str]) -> set[str]:
    """Options as single letters and long names: `-rf --force` gives r, f, force."""
    found: set[str] = set()
    for word in arguments:
        if word.startswith("--"):
            found.add(word[2:].partition("=")[0])
        elif word.startswith("-"):
            found.update(word[1:])
    return found


def _operands(arguments: Sequence[str]) -> list[str]:
    return [word for word in arguments if not word.startswith("-")]


def _beyond(path: str) -> bool:
    """Whether a path leads out of the workspace: home, absolute other than temporary, or upwards."""
    if ".." in PurePosixPath(path).parts or path.startswith(("~", "$HOME", "${HOME")):
        return True
    return path.startswith("/") and not _TEMPORARY.match(path)


def _everything(path: str) -> bool:
    return path in {".", "./", "*", "./*", ".*", ".git", "./.git"}


def _rm(arguments: Sequence[str]) -> Reason | None:
    recursive = bool(_flags(arguments) & {"r", "R", "recursive"})
    bad = any(_beyond(path) or (recursive and _everything(path)) for path in _operands(arguments))
    return reasons.REMOVES_BEYOND if bad else None


def _find(arguments: Sequence[str]) -> Reason | None:
    removes = "-delete" in arguments or any(word in {"rm", "shred"} for word in arguments)
    return reasons.REMOVES_BEYOND if removes and any(map(_beyond, arguments)) else None


def _rights(arguments: Sequence[str]) -> Reason | None:
    return reasons.RIGHTS_BEYOND if any(map(_beyond, _operands(arguments)[1:])) else None


def _dd(arguments: Sequence[str]) -> Reason | None:
    bad = any(word.startswith("of=/dev/") and not _SAFE_DEVICES.match(word[3:]) for word in arguments)
    return reasons.DEVICE if bad else None


def _tee(arguments: Sequence[str]) -> Reason | None:
    bad = any(word.startswith("/dev/") and not _SAFE_DEVICES.match(word) for word in arguments)
    return reasons.DEVICE if bad else None


def _kill(arguments: Sequence[str]) -> Reason | None:
    targets = arguments[1:] if arguments and arguments[0].startswith("-") else arguments
    return reasons.OTHER_PROCESSES if {"-1", "1"} & set(targets) else None


def _git(arguments: Sequence[str]) -> Reason | None:
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in {"-C", "-c", "--git-dir", "--work-tree"} else rest[1:]
    if not rest:
        return None
    verb, flags, operands = rest[0], _flags(rest[1:]), _operands(rest[1:])
    if verb == "push":
        over = flags & {"f", "force", "force-with-lease", "mirror", "delete", "d", "prune"}
        return reasons.HISTORY if over or any(word.startswith(("+", ":")) for word in operands) else None
    if (verb == "reset" and "hard" in flags) or (verb in {"clean", "checkout", "switch"} and flags & {"f", "force"}):
        return reasons.UNCOMMITTED
    return None


def _publish(arguments: Sequence[str]) -> Reason | None:
    return reasons.PUBLISHES if _operands(arguments)[:1] in (["publish"], ["upload"], ["push"]) else None


def _systemctl(arguments: Sequence[str]) -> Reason | None:
    return reasons.POWER if {"poweroff", "reboot", "halt", "suspend", "hibernate"} & set(arguments) else None


def _init(arguments: Sequence[str]) -> Reason | None:
    return reasons.POWER if {"0", "6"} & set(arguments) else None


_RULES: Final[dict[str, Callable[[Sequence[str]], Reason | None]]] = {
    "rm": _rm, "rmdir": _rm, "unlink": _rm, "find": _find, "chmod": _rights, "chown": _rights, "chgrp": _rights,
    "dd": _dd, "tee": _tee, "kill": _kill, "git": _git, "systemctl": _systemctl, "init": _init, "telinit": _init,
    **dict.fromkeys(("npm", "pnpm", "yarn", "cargo", "twine", "gem", "poetry", "uv"), _publish),
}  # fmt: skip
