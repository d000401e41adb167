"""A person's own rules on which commands run unasked in one workspace; pure.

A rule is about the words of one command, and about the file that they run. It covers no more of a line than that
command: whatever else stands there must be covered by itself or proven to only read, and a line is covered by no rule
where a shell would fill something in, set a variable or lead the output elsewhere (`hd.permit.plain`).
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

import msgspec

from hd.errors import HdError
from hd.permit import programs, reasons
from hd.permit.commands import reach
from hd.permit.expand import Arg
from hd.permit.places import Ground
from hd.permit.plain import PIPES, check_redirects, goes_on, read_plain, texts
from hd.permit.proof import Doubtful
from hd.permit.reasons import Reason
from hd.permit.reveal import reveal
from hd.permit.servers import starts_server
from hd.permit.shell import Simple

Use = Literal["command", "terminal", "outside"]
"""What a rule spares a person: to be asked before a command, before one in a terminal, or before one that runs without
the sandbox which would hold it."""

MORE: Final = frozenset({"...", "…"})
"""The last word of a typed command that stands for any further arguments."""
LONGEST: Final = 2_000
"""Characters of a command that a rule is made for: a person has to be able to read what they allow for good."""
_SHELL: Final = frozenset(
    """
    . : alias bg bind break builtin caller case cd command compgen complete continue coproc declare dirs disown do done
    elif else enable esac eval exec exit export fc fg fi for function getopts hash help history if in jobs let local
    logout mapfile popd pushd read readarray readonly return select set shift shopt source suspend then time times trap
    type typeset ulimit umask unalias unset until wait while ! { } [[ ]]
    """.split()  # noqa: SIM905 -- so many are unreadable as a list
)
"""Words of the shell itself, which change what the words after them mean, or lead elsewhere."""
_OPEN: Final = programs.INTERPRETERS | {
    *("sudo", "doas", "su", "pkexec", "runuser", "chroot", "systemd-run", "ssh", "docker", "podman", "kubectl"),
    *("find", "awk", "gawk", "mawk", "sed", "parallel", "env", "rsync", "tar"),
}
"""Programs whose further arguments can be any other command."""


class RuleRefused(HdError):
    """No rule can be made for this command, or there is none of that number; nothing was changed."""

    code = "permission/rule-refused"


class Ties(msgspec.Struct, frozen=True):
    """What the words of a command lead to on disk: the file that runs, and the digest (SHA-256, hex) of each file in
    the workspace that would be run, by its path. The agent can write there, so that a name alone says nothing."""

    program: str
    contents: tuple[tuple[str, str], ...] = ()


class Rule(msgspec.Struct, frozen=True):
    """`number` is counted in its workspace and never given again; `more` allows any arguments behind those of `argv`;
    `reason` is why such a command asks, in the words of the log, empty for one outside the sandbox; `made` is in ms
    since the epoch, in the session `session`."""

    number: int
    use: Use
    argv: tuple[str, ...]
    more: bool
    ties: Ties
    reason: str
    made: int
    session: str

    @property
    def text(self) -> str:
        """What it covers, in words."""
        return f"{shown(self.argv, more=self.more)}{_WHERE[self.use]}"

    def to_wire(self) -> dict[str, object]:
        return {
            "number": self.number,
            "use": self.use,
            "argv": list(self.argv),
            "more": self.more,
            "program": self.ties.program,
            "contents": [path for path, _ in self.ties.contents],
            "reason": self.reason,
            "made": self.made,
            "sessionId": self.session,
            "text": self.text,
        }

    def named(self) -> dict[str, object]:
        """As an event names it."""
        return {"number": self.number, "text": self.text}


_WHERE: Final = {"command": "", "terminal": " in a terminal", "outside": " outside the sandbox"}

FindTies = Callable[[Sequence[str]], Ties | None]
"""What a command is tied to now; None where its program is not found or cannot be known again. It blocks."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a line is judged by: the workspace, the ties of a command of `use`, and the proof that one only reads."""

    ground: Ground
    use: Use
    ties: FindTies
    only_reads: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a line; `fed` says that another's output is its input."""

    argv: tuple[str, ...]
    fed: bool


def shown(argv: Sequence[str], *, more: bool = False) -> str:
    """A command for people, with nothing hidden in it."""
    extent = " with any further arguments" if more else ""
    return f"`{reveal(shlex.join(argv), one_line=True)}`{extent}"


def parts(command: str, folder: str) -> list[Part]:
    """The commands of a plain line that runs in `folder`, past a `cd` to where it is; `Doubtful` for any other line."""
    found: list[Part] = []
    fed = False
    for simple in read_plain(command):
        goes_on(simple)
        check_redirects(simple.redirects)
        if not simple.words:
            continue
        argv = _words(simple)
        if argv != ("cd", folder) or fed or simple.end in PIPES:
            if argv[0] in _SHELL or programs.ASSIGNMENT.match(argv[0]):
                raise Doubtful(reasons.COMPOUND)
            found.append(Part(argv, fed))
        fed = simple.end in PIPES
    return found


def _words(simple: Simple) -> tuple[str, ...]:
    if any(piece.kind != "text" for word in simple.words for piece in word):
        raise Doubtful(reasons.FILLED_IN)
    return tuple(text for word in simple.words for text in texts(word, lambda pattern: None))


def covering(command: str, rules: Sequence[Rule], scene: Scene) -> tuple[Rule, ...]:
    """The rules that cover a line between them; empty where something in it is covered by none. It blocks by the
    scene's looks at the disk.

    A command that is fed by another is covered by none: what it does stands in its input too.
    """
    try:
        found = parts(command, scene.ground.workspace)
    except Doubtful:
        return ()
    used: list[Rule] = []
    for part in found:
        rule = None if part.fed else next((rule for rule in rules if _covers(rule, part.argv, scene)), None)
        if rule is not None:
            used.append(rule)
        elif not scene.only_reads(shlex.join(part.argv)):
            return ()
    return tuple(dict.fromkeys(used))


def _covers(rule: Rule, argv: tuple[str, ...], scene: Scene) -> bool:
    if rule.use != scene.use or argv[: len(rule.argv)] != rule.argv:
        return False
    if len(argv) > len(rule.argv) and not (rule.more and _asks(argv, scene) == rule.reason):
        return False
    return scene.ties(argv) == rule.ties


def _asks(argv: Sequence[str], scene: Scene) -> str:
    """Why one command asks where the workspace may be written; empty where it does not."""
    reason: Reason | None = reach(shlex.join(argv), scene.ground)
    if reason is None and scene.use == "terminal":
        reason = reasons.TERMINAL
    return "" if reason is None else reason.en


def make(command: str, scene: Scene, *, typed: bool, number: int = 0, made: int = 0, session: str = "") -> Rule:
    """The rule for a command as it stands now; `RuleRefused` says why there can be none.

    Only a `typed` command may end in `...`: a rule that is offered on a card covers the words on it and no others.
    """
    try:
        found = parts(command, scene.ground.workspace)
    except Doubtful as met:
        raise RuleRefused(f"No rule was made: this {met.reason.en}, and a rule is for one plain command.") from None
    if len(found) != 1 or len(command) > LONGEST:
        raise RuleRefused("No rule was made: a rule is for one plain command. Make one for each command of the line.")
    argv = found[0].argv
    more = typed and len(argv) > 1 and argv[-1] in MORE
    argv = argv[:-1] if more else argv
    reason = _asks(argv, scene)
    _demand_use(argv, reason, scene.use)
    if more and _is_open(argv):
        raise RuleRefused(
            f"No rule was made: what stands behind {shown(argv)} can be any other command. Allow it word for word."
        )
    ties = scene.ties(argv)
    if ties is None:
        raise RuleRefused(
            f"No rule was made: no program of the name {shown(argv[:1])} is found, or one too large to be known again."
        )
    return Rule(number, scene.use, argv, more, ties, reason, made, session)


def _demand_use(argv: Sequence[str], reason: str, use: Use) -> None:
    """`RuleRefused` where a rule would spare nobody anything."""
    if use != "terminal" and starts_server(shlex.join(argv)):
        raise RuleRefused(f"No rule was made: {shown(argv)} {reasons.SERVER.en}.")
    if use == "command" and not reason:
        raise RuleRefused(
            f"No rule was made, as none is needed: {shown(argv)} runs unasked in workspace-write, and in read-only and "
            "in plan mode no rule counts."
        )


def _is_open(argv: Sequence[str]) -> bool:
    call = programs.call_of([Arg((word,)) for word in argv])
    name = PurePosixPath(argv[0]).name
    return call.program != name or name.rstrip("0123456789.") in _OPEN or name in _OPEN
