"""`drafts/*` and `presence/*`, our own: what the clients of one person share."""

from typing import Annotated, NotRequired

from msgspec import Meta

from hd.protocol.endpoints.shape import Text, stream, unary

MAX_DRAFT = 1_000_000
"""Characters of a draft."""

DraftText = Annotated[str, Meta(max_length=MAX_DRAFT)]
Cursor = Annotated[int, Meta(ge=0)]
ClientId = Annotated[str, Meta(max_length=200)]

ENDPOINTS = (
    stream("drafts/follow", sessionId=Text),
    unary("drafts/get", sessionId=Text),
    unary("drafts/set", sessionId=Text, text=DraftText, cursor=Cursor, clientId=NotRequired[ClientId]),
    stream("presence/follow"),
)
