"""`session/*` (WIRE 6, 7, 10)."""

from typing import Annotated, Any, Literal, NotRequired

from msgspec import Meta
from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, Seq, SessionRequest, Text, stream, unary


class ForkRequest(TypedDict):
    sessionId: Text
    atSeq: NotRequired[Annotated[int, Meta(ge=0)]]
    allowMigration: NotRequired[bool]


class ListRequest(TypedDict):
    cursor: NotRequired[str]


class ModelWish(TypedDict):
    """What is left out is as for any new session."""

    provider: NotRequired[Text]
    model: NotRequired[Text]


class CreateRequest(TypedDict):
    """`permissionPreset`, `model` and `budget` are ours: for this session alone, they change no default.

    `budget` is what it may cost in CNY, as text.
    """

    workspaceId: NotRequired[str]
    cwd: NotRequired[str]
    sessionId: NotRequired[Text]
    agentPreset: NotRequired[str]
    permissionPreset: NotRequired[str]
    model: NotRequired[ModelWish]
    budget: NotRequired[str]


class PromptRequest(TypedDict):
    requestId: Text
    sessionId: Text
    mode: Literal["queue", "steer"]
    content: list[dict[str, Any]]
    clientTimeZone: NotRequired[str]


class QueueAction(TypedDict):
    kind: Literal["edit", "remove", "steer"]
    content: NotRequired[list[dict[str, Any]]]


class UpdateQueueRequest(TypedDict):
    sessionId: Text
    itemId: Text
    action: QueueAction


class RenameRequest(TypedDict):
    sessionId: Text
    title: str


class SearchRequest(TypedDict):
    query: str


class SelectModelRequest(TypedDict):
    sessionId: Text
    provider: Text
    model: Text
    reasoningEffort: NotRequired[str]


class FollowRequest(TypedDict):
    address: dict[str, Any]
    maxMessages: NotRequired[Count]
    assistantStream: NotRequired[Literal[True]]


class PageRequest(TypedDict):
    address: dict[str, Any]
    throughSeq: Seq
    beforeSeq: NotRequired[Annotated[int, Meta(ge=0)]]
    maxMessages: NotRequired[Count]


ENDPOINTS = (
    unary("session/cancel", request=SessionRequest),
    stream("session/control"),
    unary("session/create", request=CreateRequest),
    stream("session/follow", request=FollowRequest),
    unary("session/fork", request=ForkRequest),
    unary("session/list", _request=ListRequest),
    unary("session/modelCatalog"),
    unary("session/page", request=PageRequest),
    unary("session/projections", request=SessionRequest),
    unary("session/prompt", request=PromptRequest),
    unary("session/rename", request=RenameRequest),
    unary("session/search", request=SearchRequest),
    unary("session/selectModel", request=SelectModelRequest),
    unary("session/updateQueue", request=UpdateQueueRequest),
)
