"""What an endpoint is, and the types that several of them take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta
from typing_extensions import TypedDict

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Seq = Annotated[int, Meta(ge=-1)]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`params` maps each argument name to its type; all are required. A `stream` is opened on the socket."""

    name: str
    params: Mapping[str, Any]
    stream: bool = False


def unary(name: str, **params: Any) -> Endpoint:
    return Endpoint(name, params)


def stream(name: str, **params: Any) -> Endpoint:
    return Endpoint(name, params, stream=True)


class SessionRequest(TypedDict):
    sessionId: Text
