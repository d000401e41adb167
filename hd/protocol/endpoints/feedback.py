"""`messageFeedback/*` and `sessionFeedback/*` (WIRE 10.6)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import SessionRequest, Text, unary

Category = Literal[
    "other",
    "task-result",
    "instruction-following",
    "product-interaction",
    "service-stability",
    "resource-cost",
    "security-privacy-permission",
]


class MessageFeedbackPut(TypedDict):
    sessionId: Text
    messageId: Text
    rating: Literal["positive", "negative"]
    note: NotRequired[str]
    category: NotRequired[Category]
    ifVersion: str | None


class MessageFeedbackDelete(TypedDict):
    sessionId: Text
    messageId: Text
    ifVersion: str


class SessionFeedback(TypedDict):
    sessionId: Text
    text: NotRequired[str]
    category: NotRequired[Category]


ENDPOINTS = (
    unary("messageFeedback/delete", request=MessageFeedbackDelete),
    unary("messageFeedback/list", request=SessionRequest),
    unary("messageFeedback/put", request=MessageFeedbackPut),
    unary("sessionFeedback/record", request=SessionFeedback),
)
