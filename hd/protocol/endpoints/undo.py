"""`undo/*`: what the agent changed in files, and taking it back. Of our own."""

from typing import NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, Text, unary


class ChangesRequest(TypedDict):
    sessionId: Text
    turn: NotRequired[Count]


class DifferenceRequest(TypedDict):
    sessionId: Text
    turn: Count
    path: Text


class TakeRequest(TypedDict):
    """Without a turn the latest one is meant, without paths all of its files."""

    sessionId: Text
    turn: NotRequired[Count]
    paths: NotRequired[list[Text]]


ENDPOINTS = (
    unary("undo/accept", request=TakeRequest),
    unary("undo/changes", request=ChangesRequest),
    unary("undo/difference", request=DifferenceRequest),
    unary("undo/redo", request=TakeRequest),
    unary("undo/undo", request=TakeRequest),
)
