"""`userQuestions/*`: an answer to a question by the call that asked it (WIRE 14)."""

from typing import Any

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Text, stream, unary


class Answers(TypedDict):
    answers: list[dict[str, Any]]


ENDPOINTS = (
    unary("userQuestions/answer", agentId=Text, callId=Text, answer=Answers),
    stream("userQuestions/attachWait", agentId=Text, callId=Text),
)
