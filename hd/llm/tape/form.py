"""The file of a recording: one JSON line that says what it is, then one for each attempt. Pure.

Requests of one conversation only grow (law 2), so an attempt holds of its messages just those that the one before it
did not have. A line that was cut off, as by a kill in the middle of writing, is the last one and is left out.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, Self

import msgspec
from msgspec import Struct

from hd.errors import HdError

VERSION: Final = 1
NO_HEAD: Final = 0
"""The status of an attempt that got no answer at all."""

End = Literal["end", "broke", "left"]
"""How the body of an answer ended: the provider closed it; the connection broke; nobody read on."""


class TapeUnusable(HdError):
    """A recording that cannot be read, or not be written."""

    code = "tape/unusable"


class Piece(Struct, frozen=True, omit_defaults=True):
    """Bytes that arrived at once, `at` ms after the request was sent; in base64 where they are no text on their own."""

    at: int
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, at: int, data: bytes) -> Self:
        try:
            return cls(at, data.decode())
        except UnicodeDecodeError:
            return cls(at, None, base64.b64encode(data).decode())

    @property
    def data(self) -> bytes:
        """ValueError where it is no base64."""
        return base64.b64decode(self.base64, validate=True) if self.base64 is not None else (self.text or "").encode()


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What the program made of an answer: which tools it calls, why it ended, or the code and text of its failure.

    `stopped` says that a person, or the end of the program, ended it.
    """

    text: bool = False
    thought: bool = False
    calls: tuple[str, ...] = ()
    finish: str | None = None
    failure: str | None = None
    message: str = ""
    stopped: bool = False

    @property
    def gist(self) -> tuple[Any, ...]:
        """What is the same whenever the same answer is read in the same way."""
        return (self.text, self.thought, self.calls, self.finish, self.failure)

    def plus(self, chunks: Iterable[Mapping[str, Any]]) -> "Outcome":
        """With what these chunks of the answer say."""
        text, thought, calls, finish = self.text, self.thought, list(self.calls), self.finish
        for chunk in chunks:
            match chunk["type"]:
                case "text-delta":
                    text = True
                case "reasoning-delta":
                    thought = True
                case "block-end" if chunk["block"].get("type") == "tool-call":
                    calls.append(str(chunk["block"].get("name")))
                case "finish":
                    finish = str(chunk["reason"].get("kind"))
        return Outcome(text, thought, tuple(calls), finish, self.failure, self.message, self.stopped)


class Attempt(Struct, frozen=True, omit_defaults=True):
    """One request and what came back.

    `conversation` is the id of the first prompt in it, empty where there is none (a title). `prompts` are all that a
    person had said. The first `kept` messages of the request are those of the attempt before it in the conversation;
    `request` is the rest of its body. `time` is in ms since the epoch.
    """

    number: int
    time: int
    conversation: str
    prompts: tuple[str, ...]
    kept: int
    messages: tuple[dict[str, Any], ...]
    request: dict[str, Any]
    status: int = NO_HEAD
    headers: dict[str, str] = {}
    pieces: tuple[Piece, ...] = ()
    end: End = "end"
    outcome: Outcome = Outcome()


class Title(Struct, frozen=True):
    """The first line. `contents` says whether the results of tools are in it."""

    tape: int
    program: str
    time: int
    contents: bool = False


class Tape(Struct, frozen=True):
    """A recording; its attempts have all of their messages. `torn` says that its last line was cut off."""

    title: Title
    attempts: tuple[Attempt, ...]
    torn: bool = False

    def conversations(self) -> dict[str, tuple[Attempt, ...]]:
        """The attempts by conversation, without those that belong to none, in order of their beginning."""
        found: dict[str, tuple[Attempt, ...]] = {}
        for attempt in self.attempts:
            if attempt.conversation:
                found[attempt.conversation] = (*found.get(attempt.conversation, ()), attempt)
        return found


def line(value: Title | Attempt) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def load(data: bytes) -> Tape:
    """The recording in these bytes; `TapeUnusable` says which line cannot be read."""
    lines = data.split(b"\n")
    torn = bool(lines.pop())
    try:
        title = msgspec.json.decode(lines[0], type=Title) if lines else None
    except msgspec.DecodeError:
        title = None
    if title is None:
        raise TapeUnusable("This is no recording of `hd record`: its first line does not say so.")
    if title.tape != VERSION:
        raise TapeUnusable(f"This recording has the form {title.tape}; this program reads the form {VERSION}.")
    return Tape(title, tuple(_whole(_attempts(lines[1:]))), torn)


def _attempts(lines: Iterable[bytes]) -> Iterator[Attempt]:
    for number, one in enumerate(lines, 2):
        try:
            attempt = msgspec.json.decode(one, type=Attempt)
            for piece in attempt.pieces:
                _ = piece.data
        except ValueError as error:
            raise TapeUnusable(f"Line {number} of the recording cannot be read: {error}.") from None
        yield attempt


def _whole(attempts: Iterable[Attempt]) -> Iterator[Attempt]:
    """Each with the messages that it shares with the one before it."""
    last: dict[str, tuple[dict[str, Any], ...]] = {}
    for attempt in attempts:
        before = last.get(attempt.conversation, ())
        if not 0 <= attempt.kept <= len(before):
            raise TapeUnusable(f"The attempt {attempt.number} goes on from messages that are not in the recording.")
        messages = last[attempt.conversation] = before[: attempt.kept] + attempt.messages
        yield msgspec.structs.replace(attempt, kept=0, messages=messages)
