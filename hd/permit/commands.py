"""Whether a shell command clearly reaches beyond the workspace, deletes, or destroys what cannot be brought back; pure.

The words of the command are followed as a shell would run them: where `cd` leads, what a variable holds, what is
written to by redirections and by the programs of one table (`hd.permit.writers`). A writing program whose target stays
open is asked about, and so is a command that cannot be read. This is a courtesy and no sandbox: what a program does
by itself does not stand in its words (`docs/notes/permissions.md`).
"""

from collections.abc import Sequence
from typing import Final

from hd.permit import programs, reasons, writers
from hd.permit.expand import Arg, Scope, Values, joined
from hd.permit.places import Ground
from hd.permit.programs import Call
from hd.permit.reasons import Reason
from hd.permit.shell import Piece, Redirect, Simple, Word, read

_DEPTH: Final = 4
_READABLE: Final = 16 * 1024
_WRITES: Final = frozenset({">", ">>", ">|", "<>", "&>", "&>>", ">&"})
_OTHERWISE: Final[dict[str, Reason]] = {
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), reasons.RIGHTS_BEYOND),
    **dict.fromkeys(("rm", "rmdir", "unlink"), reasons.REMOVES_BEYOND),
}
_CASE: Final = object()
"""Stands on the stack of subshells for a `case`, whose patterns end in a parenthesis that closes nothing."""


def reach(command: str, ground: Ground) -> Reason | None:
    """Why this command should be asked about; None when nothing clear speaks against it."""
    walk = _Walk(ground, ground.workspace, {"HOME": (ground.home,)}, _DEPTH)
    walk.run(command)
    return walk.reason


class _Walk:
    """Follows one command line. `reason` is the first that was met; after it the walk may end."""

    def __init__(self, ground: Ground, folder: str | None, variables: dict[str, Values | None], depth: int) -> None:
        self.reason: Reason | None = None
        self.folder = folder
        self.calls: list[Call] = []
        self._ground = ground
        self._variables = variables
        self._depth = depth
        self._subshells: list[object] = []
        self._pushed: list[str | None] = []
        self._pipe: list[Call] = []
        self._pipes = 0
        self._fetches = False

    def run(self, command: str) -> None:
        try:
            simples = read(command) if len(command) <= _READABLE else None
        except ValueError:
            simples = None
        if simples is None:
            self._met(reasons.UNREADABLE)
            return
        for simple in simples:
            if self.reason:
                return
            self._simple(simple)
            self._step(simple.end)

    def _met(self, reason: Reason | None) -> None:
        self.reason = self.reason or reason

    def _step(self, end: str) -> None:
        if end == "(":
            self._subshells.append(self.folder)
        elif end == ")" and self._subshells and self._subshells[-1] is not _CASE:
            folder = self._subshells.pop()
            self.folder = folder if isinstance(folder, str) else None
        if end not in {"|", "|&", "(", ")"} and self._pipe:
            self._pipe = []
            self._pipes += 1

    def _simple(self, simple: Simple) -> None:
        self._fetches = False
        words = [self._expand(word) for word in simple.words]
        said = self._redirects(simple.redirects)
        call = programs.call_of(words)
        if not call.program:
            self._assign(words, opens_list=simple.end == "(")
            return
        if call.program == "esac":
            while self._subshells and self._subshells.pop() is not _CASE:
                pass
        elif call.program == "case":
            self._subshells.append(_CASE)
        self._judge(call, said)
        printed = said if call.program == "cat" else None
        if call.program in {"echo", "printf"}:
            printed = " ".join(word.text for word in call.arguments)
        call = Call(call.program, call.arguments, call.fed, call.open, printed)
        self._pipe.append(call)
        self.calls.append(call)

    def _judge(self, call: Call, said: str | None) -> None:
        program = call.program
        if call.open:
            self._met(reasons.UNRESOLVED)
        elif self._runs_fetched(call):
            self._met(reasons.FETCHED_CODE)
        elif (script := programs.script(call)) is not None:
            self._script(script, lasts=program == "eval")
        elif program in programs.SHELLS and programs.takes_script(call):
            self._piped(said)
        elif reason := programs.judge(call, self._place):
            self._met(reason)
        elif not self._written(call) and not self._remembered(call):
            self._met(None if programs.only_looks(call) else self._here())
        if program == "find":
            for words in programs.find_calls(call.arguments):
                self._judge(programs.call_of(words), None)

    def _runs_fetched(self, call: Call) -> bool:
        if self._fetches and (call.program in programs.INTERPRETERS or call.program == "eval"):
            return True
        return programs.takes_script(call) and any(one.program in programs.FETCHERS for one in self._pipe)

    def _written(self, call: Call) -> bool:
        """Whether something was met in where the call writes."""
        named = writers.targets(call.program, call.arguments)
        if named is None:
            return False
        for word in named:
            self._met(self._place(word, _OTHERWISE.get(call.program, reasons.OUTSIDE)))
        if call.fed and not programs.lists_files(self._pipe, self._place):
            self._met(reasons.UNRESOLVED)
        return self.reason is not None

    def _place(self, word: Arg, otherwise: Reason) -> Reason | None:
        folder = self.folder or "/"
        for text in filter(None, word.texts):
            if self._ground.is_device(text, folder):
                return reasons.DEVICE
            if self._ground.is_beyond(text, folder):
                return otherwise
        return reasons.UNRESOLVED if word.unknown else None

    def _here(self) -> Reason | None:
        """The word against a program that may write in the folder where it runs."""
        if self.folder is None:
            return reasons.UNRESOLVED
        return reasons.OUTSIDE if self._ground.is_beyond(self.folder, self._ground.workspace) else None

    def _redirects(self, redirects: Sequence[Redirect]) -> str | None:
        """Judges what is written to; gives the text that the command is given to read, where the words hold it."""
        said: str | None = None
        for redirect in redirects:
            target = self._expand(redirect.target)
            if redirect.operator in {"<<", "<<-"}:
                said = self._expand(redirect.body).text
            elif redirect.operator == "<<<":
                said = target.text
            elif redirect.operator in _WRITES and not (redirect.operator == ">&" and _is_stream(target.text)):
                self._met(self._place(target, reasons.OUTSIDE))
        return said

    def _script(self, script: Arg, *, lasts: bool) -> None:
        if not self._depth:
            self._met(reasons.UNREADABLE)
            return
        for text in script.texts:
            inner = self._inner()
            inner.run(text)
            self._met(inner.reason)
            if lasts:
                self.folder = inner.folder
                self._variables.update(inner._variables)

    def _piped(self, said: str | None) -> None:
        """A shell that takes its commands from its input."""
        source = self._pipe[-1] if self._pipe else None
        text = said if said is not None or source is None else source.says
        if text is not None:
            self._script(Arg((text,)), lasts=False)
        elif source is not None and source.program != "cat":
            self._met(reasons.UNRESOLVED)

    def _inner(self) -> "_Walk":
        return _Walk(self._ground, self.folder, dict(self._variables), self._depth - 1)

    def _expand(self, word: Word) -> Arg:
        return Scope(self._variables, self.folder, self._answer).expand(word)

    def _answer(self, piece: Piece) -> Values | None:
        """Judges a substitution; what it prints, where that is names of files in the workspace."""
        if not self._depth:
            self._met(reasons.UNREADABLE)
            return None
        inner = self._inner()
        inner.run(piece.text)
        self._met(inner.reason)
        self._fetches |= any(call.program in programs.FETCHERS for call in inner.calls)
        is_list = inner.reason is None and programs.lists_files(inner.calls, inner._place) and inner._pipes == 1
        return ("listed",) if is_list else None

    def _assign(self, words: Sequence[Arg], *, opens_list: bool = False) -> None:
        for word in words:
            found = programs.ASSIGNMENT.match(word.text)
            if found is None:
                continue
            value = word.since(found.end())
            added = found[2] == "+" or opens_list
            new = None if word.unknown or added else value.texts
            name = found[1]
            self._variables[name] = joined(self._variables[name], new) if name in self._variables else new

    def _remembered(self, call: Call) -> bool:
        """Takes in what changes the folder or a variable of the shell. Whether the call was one of these."""
        arguments = call.arguments
        names = [word for word in arguments if not word.text.startswith("-")]
        match call.program:
            case "cd" | "pushd":
                if call.program == "pushd":
                    self._pushed.append(self.folder)
                self.folder = self._led(arguments)
            case "popd":
                self.folder = self._pushed.pop() if self._pushed else None
            case "for" | "select":
                self._loop(arguments)
            case "read" | "mapfile" | "readarray" | "getopts":
                listed = call.program == "read" and programs.lists_files(self._pipe, self._place)
                self._variables.update({word.text: ("listed",) if listed else None for word in names})
            case "printf" if arguments and arguments[0].text == "-v" and len(arguments) > 1:
                self._variables[arguments[1].text] = None
            case program if program in programs.ASSIGNERS:
                self._assign(names)
            case _:
                return False
        return True

    def _led(self, arguments: Sequence[Arg]) -> str | None:
        """Where `cd` goes; of several places one that is beyond."""
        named = [word for word in arguments if word.text not in {"--", "-L", "-P", "-e"}] or [Arg((self._ground.home,))]
        target = named[0]
        if target.unknown or self.folder is None or target.text == "-" or target.text.startswith("+"):
            return None
        found = []
        for text in target.texts:
            place = self._ground.at(text, self.folder)
            if self._ground.is_beyond(text, self.folder):
                # What climbed out stays beyond, also where the place has a name that counts as temporary.
                return place if self._ground.is_beyond(place, "/") else "/"
            found.append(place)
        return found[0]

    def _loop(self, arguments: Sequence[Arg]) -> None:
        if not arguments:
            return
        name, words = arguments[0].text, arguments[2:]
        values: Values | None = () if words else None
        for word in words:
            values = joined(values, None if word.unknown else word.texts)
        self._variables[name] = joined(self._variables[name], values) if name in self._variables else values


def _is_stream(text: str) -> bool:
    return text.isdigit() or text == "-"
