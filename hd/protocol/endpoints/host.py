"""`$events` and what concerns the host itself (WIRE 5, 10.2, 10.4)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import stream, unary


class Outcome(TypedDict):
    kind: Literal["next", "result", "rejected"]
    value: NotRequired[Any]
    error: NotRequired[dict[str, Any]]


ENDPOINTS = (
    stream("$events"),
    unary("$events/result", clientId=str, eventId=str, outcome=Outcome),
    unary("host/describe"),
    unary("permissionPresets/catalog"),
)
