"""Followers for the soak: one that keeps what is compared, and ones that read badly."""

import asyncio
import socket as sockets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from tests.support.daemon import Daemon
from tests.support.strict_follower import StrictFollower

TINY: Final = 4096
"""Bytes of a receive buffer that holds nothing for a client that does not read."""


ORDINARY: Final = 1 << 20


class Reader:
    """A strict follower of one session, which fails at any gap, with the number of its items and bytes."""

    def __init__(self) -> None:
        self.follower = StrictFollower()
        self.items = 0
        self.bytes = 0
        self.ends = 0

    def take(self, frame: bytes | str) -> None:
        decoded = msgspec.json.decode(frame)
        assert decoded["type"] == "item", decoded
        item = decoded["value"]
        self.follower.apply(item)
        self.items += 1
        self.bytes += len(frame)
        if item["type"] == "event" and item["event"]["type"] == "turn/end":
            self.ends += 1

    def transcript(self) -> str:
        """The digest of what it shows."""
        rows = [(row.kind, row.text, row.seq, row.done, row.call_id) for row in self.follower.rows]
        return sha256(msgspec.json.encode(rows)).hexdigest()


def opening(session_id: str, stream_id: str = "follow") -> str:
    request = {"address": {"kind": "session", "sessionId": session_id}, "assistantStream": True, "maxMessages": 1000}
    frame = {
        "type": "open",
        "streamId": stream_id,
        "endpoint": "session/follow",
        "payload": {"args": {"request": request}},
    }
    return msgspec.json.encode(frame).decode()


@asynccontextmanager
async def connected(daemon: Daemon, *, tiny: bool = False) -> AsyncIterator[ClientConnection]:
    """A socket; `tiny` leaves hardly any room between the daemon and a client that does not read."""
    raw = sockets.socket()
    if tiny:
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, TINY)
    raw.connect(("127.0.0.1", daemon.port))
    raw.setblocking(False)
    address = f"ws://127.0.0.1:{daemon.port}/api/remote.mux"
    async with connect(
        address,
        sock=raw,
        additional_headers={"Cookie": daemon.cookie},
        compression=None,
        max_size=None,
        max_queue=1 if tiny else 1024,
        ping_interval=None,
        close_timeout=1,
    ) as connection:
        yield connection


async def follow(
    daemon: Daemon,
    session_id: str,
    done: Callable[[Reader], bool],
    *,
    pause_s: float = 0.0,
    began: Callable[[], None] = lambda: None,
) -> Reader:
    """Reads until `done`, with a pause behind each item; `began` is called behind the snapshot."""
    reader = Reader()
    async with connected(daemon, tiny=pause_s > 0) as connection:
        await connection.send(opening(session_id))
        reader.take(await connection.recv())
        began()
        while not done(reader):
            reader.take(await connection.recv())
            if pause_s:
                await asyncio.sleep(pause_s)
    return reader


def read_again(connection: ClientConnection) -> None:
    """Goes on with a paused connection, through a buffer of ordinary size: a tiny one takes minutes for megabytes."""
    connection.transport.get_extra_info("socket").setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, ORDINARY)
    connection.transport.resume_reading()


async def until_lagging(connection: ClientConnection) -> tuple[int, dict[str, Any]]:
    """Reads what still comes of a stream that was read too slowly: (items, the error that ended it)."""
    items = 0
    while True:
        frame = msgspec.json.decode(await connection.recv())
        if frame["type"] == "error":
            return items, frame["error"]
        items += 1
