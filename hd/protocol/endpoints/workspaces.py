"""`workspace/*` (WIRE 10.1)."""

from typing import NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import SessionRequest, Text, stream, unary


class WorkspaceCreateRequest(TypedDict):
    path: str


class WorkspaceRequest(TypedDict):
    workspaceId: Text


class WorkspaceRenameRequest(TypedDict):
    workspaceId: Text
    title: str


class PlaceRequest(TypedDict):
    workspaceId: Text
    beforeWorkspaceId: NotRequired[str]


class PlaceSessionRequest(TypedDict):
    workspaceId: Text
    sessionId: Text
    beforeSessionId: NotRequired[str]


class ArchiveRequest(TypedDict):
    sessionId: Text
    stopActivity: NotRequired[bool]


ENDPOINTS = (
    unary("workspace/archiveSession", request=ArchiveRequest),
    unary("workspace/create", request=WorkspaceCreateRequest),
    unary("workspace/delete", request=WorkspaceRequest),
    stream("workspace/follow"),
    unary("workspace/initializeDefault"),
    unary("workspace/insertBefore", request=PlaceRequest),
    unary("workspace/insertSessionBefore", request=PlaceSessionRequest),
    unary("workspace/pinSession", request=SessionRequest),
    unary("workspace/rename", request=WorkspaceRenameRequest),
    unary("workspace/unarchiveSession", request=SessionRequest),
    unary("workspace/unpinSession", request=SessionRequest),
)
