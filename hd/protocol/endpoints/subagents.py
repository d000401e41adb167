"""`subagents/*` and `skills/*` (WIRE 10.5, 10.6)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import SessionRequest, Text, unary


class SubagentPrompt(TypedDict):
    requestId: Text
    parentSessionId: Text
    childSessionId: Text
    mode: Literal["continuable"]
    delivery: Literal["queue", "steer"]
    content: list[dict[str, Any]]
    clientTimeZone: NotRequired[str]


ENDPOINTS = (
    unary("skills/list", request=SessionRequest),
    unary("subagents/interruptByParent", childSessionId=Text, parentSessionId=Text, mode=Literal["continuable"]),
    unary("subagents/prompt", request=SubagentPrompt),
)
