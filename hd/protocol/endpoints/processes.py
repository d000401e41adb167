"""`process/*`: the commands that run in a session, with processes and ports, and the hand on their terminals. Of our
own; `number` is that of `[cmd #N]`."""

from typing import Annotated, Literal, NotRequired

from msgspec import Meta
from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, SessionRequest, Text, stream, unary

Key = Literal[
    "enter", "tab", "escape", "backspace", "up", "down", "left", "right", "home", "end", "insert", "delete", "page-up",
    "page-down", "back-tab", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
    "ctrl-c", "ctrl-d", "ctrl-z",
]  # fmt: skip


class ProcessRequest(TypedDict):
    sessionId: Text
    number: Count


class ProcessTail(TypedDict):
    sessionId: Text
    number: Count
    lines: NotRequired[Annotated[int, Meta(ge=1, le=2_000)]]


class ProcessSize(TypedDict):
    """In characters."""

    sessionId: Text
    number: Count
    columns: Annotated[int, Meta(ge=2, le=500)]
    rows: Annotated[int, Meta(ge=2, le=300)]


class ProcessInput(TypedDict):
    """What is typed: a text, then keys. Of a text nothing is pressed that is not in it, no Enter either."""

    sessionId: Text
    number: Count
    text: NotRequired[Annotated[str, Meta(max_length=4_000)]]
    keys: NotRequired[Annotated[list[Key], Meta(max_length=100)]]


ENDPOINTS = (
    stream("process/attach", request=ProcessRequest),
    unary("process/input", request=ProcessInput),
    unary("process/keep", request=ProcessRequest),
    unary("process/kill", request=ProcessRequest),
    unary("process/list", request=SessionRequest),
    unary("process/resize", request=ProcessSize),
    stream("process/screen", request=ProcessRequest),
    unary("process/tail", request=ProcessTail),
)
