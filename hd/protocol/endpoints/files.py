"""`fileReferences/*` and `workspaceFiles/*`: the files of a session's workspace (WIRE 10.6)."""

from typing import Annotated, NotRequired

from msgspec import Meta
from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, Text, stream, unary

Offset = Annotated[int, Meta(ge=0)]


class LineRange(TypedDict):
    offset: NotRequired[Count]
    limit: NotRequired[Count]


class ByteRange(TypedDict):
    offset: NotRequired[Offset]
    length: NotRequired[Count]


class ByteOptions(TypedDict):
    range: NotRequired[ByteRange]
    baseFile: NotRequired[str]


ENDPOINTS = (
    unary("fileReferences/list", agentId=Text, query=str),
    # Clients of 0.1.5 name no path, and give the range of bytes itself.
    stream("workspaceFiles/changes", workspaceFileScopeId=Text, path=NotRequired[str]),
    unary("workspaceFiles/list", workspaceFileScopeId=Text, path=str),
    unary("workspaceFiles/read", workspaceFileScopeId=Text, path=str, range=LineRange),
    unary(
        "workspaceFiles/readBytes",
        workspaceFileScopeId=Text,
        path=str,
        options=NotRequired[ByteOptions],
        range=NotRequired[ByteRange],
    ),
    unary("workspaceFiles/stat", workspaceFileScopeId=Text, path=str),
)
