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


class ArchiveRequest(TypedDict):
    sessionId: Text
    stopActivity: NotRequired[bool]


ENDPOINTS = (
    unary("workspace/archiveSession", request=ArchiveRequest),
    unary("workspace/create", request=WorkspaceCreateRequest),
    unary("workspace/delete", request=WorkspaceRequest),
    stream("workspace/follow"),
    unary("workspace/rename", request=WorkspaceRenameRequest),
    unary("workspace/unarchiveSession", request=SessionRequest),
)
