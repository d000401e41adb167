"""Reads a command line of a POSIX shell into simple commands, words and redirections; pure.

It knows quoting, here-documents, comments and nested substitutions, so that what a shell would run is not mistaken for
text, nor text for what it would run. It knows no keyword: `if`, `do` and `}` are words like others, and who judges the
words steps over them. Nothing is expanded here.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

_NESTING: Final = 40
_OPERATOR: Final = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|()]")
_REDIRECT: Final = re.compile(r"(?:\d+|\{\w+\})?(<<<|<<-?|<>|<&|<|&>>|&>|>>|>\||>&|>)")
_PLAIN: Final = re.compile(r"[^ \t\r\n;&|()<>'\"\\$`]+")
_DOUBLE_PLAIN: Final = re.compile(r"[^\\$`]+")
_NAME: Final = re.compile(r"\w+|[@*#?$!-]")
_ANSI: Final = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_DULL: Final = re.compile(r"[^\\'\"`$()}<\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word that expands in one way.

    `text` is for `text` itself, for `variable` its name, for `command` and `process` the command within. `operation`
    is what follows the name in `${name…}`. `source` is the piece as it was written.
    """

    kind: Literal["text", "variable", "command", "process", "unknown"]
    text: str
    source: str
    quoted: bool
    operation: str = ""


Word = tuple[Piece, ...]


@dataclass(slots=True)
class Redirect:
    """`operator` without its file number. `body` is the text of a here-document, whose `target` is its mark."""

    operator: str
    target: Word
    body: Word = ()


@dataclass(slots=True)
class Simple:
    """A simple command and the operator that ends it; an opening parenthesis ends what stands before it."""

    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    end: str = ""


def read(command: str) -> list[Simple]:
    """The simple commands in their order. ValueError when quotes or brackets do not close or nest too deep."""
    return _Reader(command).simples()


def written(word: Word) -> str:
    """The word without its quotes, and with its variables and substitutions as they were written."""
    return "".join(piece.text if piece.kind == "text" else piece.source for piece in word)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def simples(self) -> list[Simple]:
        text, at = self._text, 0
        found = [Simple()]
        documents: list[Redirect] = []
        while at < len(text):
            simple = found[-1]
            if text[at] in " \t\r":
                at += 1
            elif text.startswith("\\\n", at):
                at += 2
            elif text[at] == "#":
                at = self._line_end(at)
            elif text[at] == "\n":
                at = self._fill(documents, at + 1)
                simple.end = "\n"
                found.append(Simple())
            elif text[at] in "<>" and simple.words and written(simple.words[0]) == "[[":
                at += 1
            elif text.startswith(("<(", ">("), at):
                word, at = self._word(at)
                simple.words.append(word)
            elif sign := _REDIRECT.match(text, at):
                target, at = self._word(self._past_blanks(sign.end()))
                simple.redirects.append(Redirect(sign[1], target))
                if sign[1] in {"<<", "<<-"}:
                    documents.append(simple.redirects[-1])
            elif sign := _OPERATOR.match(text, at):
                simple.end, at = sign[0], sign.end()
                found.append(Simple())
            else:
                word, at = self._word(at)
                simple.words.append(word)
        return found

    def _word(self, at: int) -> tuple[Word, int]:
        text = self._text
        pieces: list[Piece] = []
        while at < len(text):
            start = at
            character = text[at]
            if found := _PLAIN.match(text, at):
                at = found.end()
                pieces.append(Piece("text", found[0], found[0], False))
            elif character == "'":
                at = text.index("'", at + 1) + 1
                pieces.append(Piece("text", text[start + 1 : at - 1], text[start:at], True))
            elif character == '"' or text.startswith('$"', at):
                inner = at + (1 if character == '"' else 2)
                at = self._close(inner, '"') + 1
                pieces += [Piece("text", "", "", True), *_Reader(text[inner : at - 1]).quoted()]
            elif found := _ANSI.match(text, at):
                at = found.end()
                kind: Literal["text", "unknown"] = "unknown" if "\\" in found[1] else "text"
                pieces.append(Piece(kind, found[1], found[0], True))
            elif text.startswith("\\\n", at):
                at += 2
            elif character == "\\":
                at += 2
                pieces.append(Piece("text", text[start + 1 : at], text[start:at], True))
            elif character in "$`":
                piece, at = self._expansion(at, quoted=False)
                pieces.append(piece)
            elif text.startswith(("<(", ">("), at):
                at = self._close(at + 2, ")") + 1
                pieces.append(Piece("process", text[start + 2 : at - 1], text[start:at], False))
            else:
                break
        return tuple(pieces), at

    def quoted(self) -> Word:
        """The pieces of a text within double quotes."""
        text, at = self._text, 0
        pieces: list[Piece] = []
        while at < len(text):
            if found := _DOUBLE_PLAIN.match(text, at):
                pieces.append(Piece("text", found[0], found[0], True))
                at = found.end()
            elif text[at] == "\\":
                kept = {"$": "$", "`": "`", '"': '"', "\\": "\\", "\n": ""}.get(text[at + 1 : at + 2])
                shown = text[at : at + 2] if kept is None else kept
                pieces.append(Piece("text", shown, text[at : at + 2], True))
                at += 2
            else:
                piece, at = self._expansion(at, quoted=True)
                pieces.append(piece)
        return tuple(pieces)

    def _expansion(self, at: int, *, quoted: bool) -> tuple[Piece, int]:
        text = self._text
        if text[at] == "`":
            end = self._close(at + 1, "`") + 1
            inner = re.sub(r"\\([\\`$])", r"\1", text[at + 1 : end - 1])
            return Piece("command", inner, text[at:end], quoted), end
        if text.startswith("$(", at):
            end = self._close(at + 2, ")") + 1
            return Piece("command", text[at + 2 : end - 1], text[at:end], quoted), end
        if text.startswith("${", at):
            end = self._close(at + 2, "}") + 1
            name = _NAME.match(text, at + 2, end - 1)
            operation = text[name.end() if name else at + 2 : end - 1]
            return Piece("variable", name[0] if name else "", text[at:end], quoted, operation), end
        if name := _NAME.match(text, at + 1):
            end = name.end() if not name[0][0].isdigit() else at + 2
            return Piece("variable", text[at + 1 : end], text[at:end], quoted), end
        return Piece("text", "$", "$", quoted), at + 1

    def _close(self, at: int, close: str, depth: int = 0) -> int:
        """Where the `close` stands that ends what begins at `at`."""
        text = self._text
        if depth > _NESTING:
            raise ValueError("nested too deep")
        documents: list[Redirect] = []
        while at < len(text):
            character = text[at]
            if character == close:
                return at
            if found := _DULL.match(text, at):
                at = found.end()
            elif character == "\\":
                at += 2
            elif character == "'" and close in ")}":
                at = text.index("'", at + 1) + 1
            elif character == '"' and close != '"':
                at = self._close(at + 1, '"', depth + 1) + 1
            elif character == "`" and close != "`":
                at = self._close(at + 1, "`", depth + 1) + 1
            elif text.startswith("$(", at) or (character == "(" and close == ")"):
                at = self._close(at + (1 if character == "(" else 2), ")", depth + 1) + 1
            elif text.startswith("${", at):
                at = self._close(at + 2, "}", depth + 1) + 1
            elif close == ")" and (sign := _REDIRECT.match(text, at)):
                at = sign.end()
                if sign[1] in {"<<", "<<-"}:
                    target, at = self._word(self._past_blanks(at))
                    documents.append(Redirect(sign[1], target))
            elif character == "\n":
                at = self._fill(documents, at + 1)
            else:
                at += 1
        raise ValueError(f"no {close} to end it")

    def _fill(self, documents: list[Redirect], at: int) -> int:
        """Reads the here-documents that begin with the line at `at`, and empties the list. Gives where they end.

        One whose mark never comes stays unread: its lines are then taken for commands.
        """
        for document in documents:
            mark = written(document.target)
            lines: list[str] = []
            place = at
            while place <= self._last.get(mark, -1):
                end = self._line_end(place)
                line = self._text[place:end]
                place = end + 1
                if (line.lstrip("\t") if document.operator == "<<-" else line) == mark:
                    at = place
                    literal = any(piece.quoted for piece in document.target)
                    body = "\n".join(lines)
                    plain = (Piece("text", body, body, True),)
                    document.body = plain if literal else _Reader(body).quoted()
                    break
                lines.append(line)
        documents.clear()
        return min(at, len(self._text))

    @cached_property
    def _last(self) -> dict[str, int]:
        """Where each line stands for the last time: a mark that never comes is not looked for again and again."""
        found: dict[str, int] = {}
        at = 0
        for line in self._text.split("\n"):
            found[line] = found[line.lstrip("\t")] = at
            at += len(line) + 1
        return found

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return end if end >= 0 else len(self._text)

    def _past_blanks(self, at: int) -> int:
        while self._text[at : at + 1] in {" ", "\t"}:
            at += 1
        return at
