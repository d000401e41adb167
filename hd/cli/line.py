"""A line to a house: the endpoints of the wire, straight into a house of this process.

The other kind, over the socket of a running daemon, is `hd.cli.remote`; whoever holds a line need not know which.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Protocol

import msgspec

from hd.protocol.endpoints import BY_NAME
from hd.server.login import Caller
from hd.server.rpc import NOTHING, Personal, Stream, Unary, check_arguments, open_stream


class Line(Protocol):
    async def call(self, endpoint: str, **args: Any) -> Any:
        """The value of a call, None where it has none; `HdError` when it failed."""
        ...

    def stream(self, endpoint: str, **args: Any) -> AsyncGenerator[Any, None]:
        """The items of a stream; `HdError` when it failed."""
        ...


class Direct:
    """The line into a house of this process."""

    def __init__(self, unary: Mapping[str, Unary], streams: Mapping[str, Stream]) -> None:
        self._unary = unary
        self._streams = streams

    async def call(self, endpoint: str, **args: Any) -> Any:
        function = self._unary[endpoint]
        checked = check_arguments(BY_NAME[endpoint], args)
        called = function.function(Caller(), **checked) if isinstance(function, Personal) else function(**checked)
        value = await called
        return None if value is NOTHING else value

    async def stream(self, endpoint: str, **args: Any) -> AsyncGenerator[Any, None]:
        async with aclosing(open_stream(self._streams, endpoint, {"args": args}, Caller())) as batches:
            async for batch in batches:
                for body in batch:
                    yield msgspec.json.decode(body)
