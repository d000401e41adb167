"""What an endpoint is, and the types that several of them take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, get_args, get_origin

from msgspec import Meta
from typing_extensions import TypedDict

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Seq = Annotated[int, Meta(ge=-1)]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`params` maps each argument name to its type; those in `optional` may be absent.

    A `stream` is opened on the socket.
    """

    name: str
    params: Mapping[str, Any]
    stream: bool = False
    optional: frozenset[str] = frozenset()


def unary(name: str, /, **params: Any) -> Endpoint:
    """A call. An argument that may be absent has the type `NotRequired[…]`."""
    return _endpoint(name, params, stream=False)


def stream(name: str, /, **params: Any) -> Endpoint:
    return _endpoint(name, params, stream=True)


def _endpoint(name: str, params: Mapping[str, Any], *, stream: bool) -> Endpoint:
    optional = frozenset(key for key, kind in params.items() if get_origin(kind) is NotRequired)
    types = {key: get_args(kind)[0] if key in optional else kind for key, kind in params.items()}
    return Endpoint(name, types, stream, optional)


class SessionRequest(TypedDict):
    sessionId: Text
