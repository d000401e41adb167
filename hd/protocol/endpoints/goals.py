"""`goals/*`: the goal of a session (WIRE 10.3)."""

from typing import NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, Text, unary


class GoalRef(TypedDict):
    id: str
    revision: int


class GoalRequest(TypedDict):
    objective: str
    maxGoalRounds: NotRequired[Count]


class GoalEdit(TypedDict):
    objective: NotRequired[str]
    maxGoalRounds: NotRequired[Count]


ENDPOINTS = (
    unary("goals/clear", agentId=Text, ref=GoalRef),
    unary("goals/complete", agentId=Text, ref=GoalRef),
    unary("goals/create", agentId=Text, request=GoalRequest),
    unary("goals/edit", agentId=Text, ref=GoalRef, request=GoalEdit),
    unary("goals/get", agentId=Text),
    unary("goals/pause", agentId=Text, ref=GoalRef),
    unary("goals/resume", agentId=Text, ref=GoalRef),
)
