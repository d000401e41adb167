"""`fileUploads/*` and `session/attachment`: files that come with prompts (WIRE 10, 10.6)."""

from typing import NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Text, unary


class UploadRequest(TypedDict):
    data: str
    name: NotRequired[str]


class AttachmentRequest(TypedDict):
    sessionId: Text
    attachmentId: Text


ENDPOINTS = (
    unary("fileUploads/upload", agentId=Text, request=UploadRequest),
    unary("session/attachment", request=AttachmentRequest),
)
