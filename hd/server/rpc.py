"""The carrier of unary calls: HTTP in, an endpoint's function, HTTP out (WIRE 3). It decides nothing."""

import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec
from aiohttp import web

from hd.errors import ArgumentsInvalid, BadRequest, HdError, InputInvalid, SignatureInvalid
from hd.protocol import codes
from hd.protocol.endpoints import BY_NAME
from hd.protocol.endpoints.shape import Endpoint
from hd.protocol.envelope import WireError, failure, parse_request, payload_args, rpc_id_of, success
from hd.server.body import read_body
from hd.server.login import Caller

_log = logging.getLogger(__name__)

NOTHING = msgspec.UNSET
"""What a call returns that has no result: the answer then has no `value` key."""

Call = Callable[..., Awaitable[Any]]
Opening = Callable[..., AsyncGenerator[list[bytes], None]]
"""Gives the items of a stream as JSON, several at a time."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Personal(Generic[F]):
    """A function that has to know who calls: it takes the `Caller` before the arguments."""

    function: F


Unary = Call | Personal[Call]
Stream = Opening | Personal[Opening]


def _of_caller(found: Callable[..., Any] | Personal[Callable[..., Any]], caller: Caller) -> Callable[..., Any]:
    return partial(found.function, caller) if isinstance(found, Personal) else found


def wire_error(error: Exception) -> WireError:
    """What a client is told of an error. A defect is logged with its traceback and told without its text."""
    if isinstance(error, WireError):
        return error
    if isinstance(error, HdError):
        return WireError(error.code, error.message, error.details)
    _log.exception("an endpoint failed", exc_info=error)
    return WireError(codes.INTERNAL, f"internal error ({type(error).__name__}); the daemon's log has more", {})


_NO_SUCH_NUMBER = re.compile(r"^Expected `int` [<>]|, got `float`")


def check_arguments(endpoint: Endpoint, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments decoded to their types.

    `ArgumentsInvalid` for other names, `InputInvalid` for other shapes, and, because the dialect makes a difference
    there, `BadRequest` for a number that is no such count or seq (WIRE 7.1, 7.5).
    """
    details = {"endpoint": endpoint.name}
    missing = sorted(set(endpoint.params) - set(args) - endpoint.optional)
    extra = sorted(set(args) - set(endpoint.params))
    if missing or extra:
        said = [f"missing {name!r}" for name in missing] + [f"unexpected {name!r}" for name in extra]
        raise ArgumentsInvalid(f"{endpoint.name}: the arguments do not match: {', '.join(said)}", details)
    checked: dict[str, Any] = {}
    for name, kind in endpoint.params.items():
        if name not in args:
            continue
        try:
            checked[name] = msgspec.convert(args[name], kind)
        except msgspec.ValidationError as error:
            text = f"{endpoint.name}: the argument {name!r} is not usable: {error}"
            if _NO_SUCH_NUMBER.search(str(error)):
                raise BadRequest(text) from error
            raise InputInvalid(text, {**details, "field": name}) from error
    return checked


class Rpc:
    """Answers `POST /api/<namespace>/<method>`.

    `caller_of` is asked when the whole request is there: a login may have been revoked while its body was still coming.
    `silence_s` is how long that may pause.
    """

    def __init__(
        self, unary: Mapping[str, Unary], caller_of: Callable[[web.Request], Caller | None], silence_s: float
    ) -> None:
        self._unary = unary
        self._caller_of = caller_of
        self._silence_s = silence_s

    async def respond(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        endpoint = BY_NAME.get(method)
        if request.method != "POST" or endpoint is None or method == "$events":
            return web.Response(status=404, text="not found")
        if request.content_type != "application/json":
            return web.Response(status=415, text="content type must be application/json")
        try:
            body = msgspec.json.decode(await read_body(request, silence_s=self._silence_s))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, web.RequestPayloadError):
            return web.Response(status=400, text="body is not JSON")
        caller = self._caller_of(request)
        if caller is None:
            return web.Response(status=401, text="unauthorized")
        answer = await self._answer(endpoint, body, caller)
        response = web.Response(body=answer, content_type="application/json", zlib_executor_size=_COMPRESS_ASIDE)
        if len(answer) > _COMPRESS_FROM:
            response.enable_compression()
        return response

    async def _answer(self, endpoint: Endpoint, body: object, caller: Caller) -> bytes:
        rpc_id = rpc_id_of(body)
        try:
            call = parse_request(body, endpoint.name)
            if endpoint.stream:
                raise SignatureInvalid(
                    f"{endpoint.name} is a stream; open it on the socket", {"endpoint": endpoint.name}
                )
            function = _of_caller(self._unary[endpoint.name], caller)
            value = await function(**check_arguments(endpoint, call.args))
        except Exception as error:
            return failure(rpc_id, wire_error(error))
        return success(rpc_id, value)


_COMPRESS_FROM = 16 * 1024
"""Smaller answers cost more time to compress than to send."""

_COMPRESS_ASIDE = 256 * 1024
"""Larger pieces are compressed in a thread, so that nobody waits for them."""


def open_stream(
    streams: Mapping[str, Stream], name: str, payload: object, caller: Caller
) -> AsyncGenerator[list[bytes], None]:
    """The items of the stream that a client opened; raises what the dialect answers to a wrong open."""
    endpoint = BY_NAME.get(name)
    if endpoint is None:
        raise WireError(codes.INVOCATION_UNAVAILABLE, f"there is no endpoint {name!r}", {"endpoint": name})
    args = payload_args(payload)
    if not endpoint.stream:
        raise SignatureInvalid(f"{name} is a call; send it by POST", {"endpoint": name})
    items: AsyncGenerator[list[bytes], None] = _of_caller(streams[name], caller)(**check_arguments(endpoint, args))
    return items
