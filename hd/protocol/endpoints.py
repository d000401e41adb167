"""The endpoints: name, argument types, unary or stream (WIRE 2 to 10).

The table is the one description of the surface: the server checks arguments against it, the client library calls by
it, and `docs/wire.md` is made from it. Types are `TypedDict`s with the names of the wire; unknown fields inside a
request are ignored, unknown argument names are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from msgspec import Meta
from typing_extensions import TypedDict

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Seq = Annotated[int, Meta(ge=-1)]


class SessionAddress(TypedDict):
    kind: Literal["session"]
    sessionId: Text


class SubagentAddress(TypedDict):
    kind: Literal["subagent"]
    parentSessionId: Text
    childSessionId: Text
    mode: Literal["one-shot", "continuable", "unknown"]


class ListRequest(TypedDict):
    cursor: NotRequired[str]


class CreateRequest(TypedDict):
    workspaceId: NotRequired[str]
    cwd: NotRequired[str]
    sessionId: NotRequired[Text]
    agentPreset: NotRequired[str]


class PromptRequest(TypedDict):
    requestId: Text
    sessionId: Text
    mode: Literal["queue", "steer"]
    content: list[dict[str, Any]]
    clientTimeZone: NotRequired[str]


class SessionRequest(TypedDict):
    sessionId: Text


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


class WorkspaceCreateRequest(TypedDict):
    path: str


class WorkspaceRequest(TypedDict):
    workspaceId: Text


class WorkspaceRenameRequest(TypedDict):
    workspaceId: Text
    title: str


class ArchiveRequest(TypedDict):
    sessionId: Text
    stopActivity: NotRequired[bool]


class Outcome(TypedDict):
    kind: Literal["next", "result", "rejected"]
    value: NotRequired[Any]
    error: NotRequired[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`params` maps each argument name to its type; all are required. A `stream` is opened on the socket."""

    name: str
    params: Mapping[str, Any]
    stream: bool = False


def _unary(name: str, **params: Any) -> Endpoint:
    return Endpoint(name, params)


def _stream(name: str, **params: Any) -> Endpoint:
    return Endpoint(name, params, stream=True)


ENDPOINTS: tuple[Endpoint, ...] = (
    _stream("$events"),
    _unary("$events/result", clientId=str, eventId=str, outcome=Outcome),
    _unary("agentPresets/list"),
    _unary("commands/execute", agentId=str, line=str, submittedAttachments=list[Any]),
    _unary("commands/list", agentId=str),
    _unary("host/describe"),
    _unary("permissionPresets/catalog"),
    _unary("session/cancel", request=SessionRequest),
    _stream("session/control"),
    _unary("session/create", request=CreateRequest),
    _stream("session/follow", request=FollowRequest),
    _unary("session/list", _request=ListRequest),
    _unary("session/modelCatalog"),
    _unary("session/page", request=PageRequest),
    _unary("session/projections", request=SessionRequest),
    _unary("session/prompt", request=PromptRequest),
    _unary("session/rename", request=RenameRequest),
    _unary("session/selectModel", request=SelectModelRequest),
    _unary("session/updateQueue", request=UpdateQueueRequest),
    _unary("workspace/archiveSession", request=ArchiveRequest),
    _unary("workspace/create", request=WorkspaceCreateRequest),
    _unary("workspace/delete", request=WorkspaceRequest),
    _stream("workspace/follow"),
    _unary("workspace/rename", request=WorkspaceRenameRequest),
    _unary("workspace/unarchiveSession", request=SessionRequest),
)

BY_NAME: Mapping[str, Endpoint] = {endpoint.name: endpoint for endpoint in ENDPOINTS}
