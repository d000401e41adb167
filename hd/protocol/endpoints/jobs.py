"""`job/*` (WIRE 14)."""

from typing import Annotated, NotRequired

from msgspec import Meta
from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import SessionRequest, Text, stream, unary


class JobRequest(TypedDict):
    sessionId: Text
    jobId: Text


# `from` is a word of the language, so this one is no class.
JobFollow = TypedDict(
    "JobFollow",
    {"sessionId": NotRequired[Text], "jobId": Text, "from": NotRequired[Annotated[int, Meta(ge=0)]]},
)

ENDPOINTS = (
    stream("job/follow", request=JobFollow),
    unary("job/kill", request=JobRequest),
    stream("job/list", request=SessionRequest),
)
