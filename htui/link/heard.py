"""The socket that remembers when it last heard from the host; imported with the first connection, not before."""

import asyncio
from typing import Any

from websockets.asyncio.client import ClientConnection, connect


class Heard(ClientConnection):
    """`heard` is the time of the loop at which the last bytes came, those of pings among them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.heard = asyncio.get_running_loop().time()

    def data_received(self, data: bytes) -> None:
        self.heard = self.loop.time()
        super().data_received(data)


async def connected(url: str, **options: Any) -> Heard:
    """An open socket; the exceptions are those of `connect`."""
    socket = await connect(url, create_connection=Heard, **options)
    assert isinstance(socket, Heard)
    return socket
