"""Sends what `abuse` makes to a daemon, each on a connection of its own, and gives what was wrong with the answer."""

import socket
from contextlib import closing
from typing import Any
from uuid import uuid4

import msgspec

from tests.support import abuse
from tests.support.daemon import LIMIT, Daemon

_HANDSHAKE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
_KEY = "dGhlIHNhbXBsZSBub25jZQ=="
_UNREAD = 2048
"""A connection that is ended while more than this of the client's bytes is on its way may be reset."""

PATIENCE_S = 0.1
"""How long a socket may be silent behind a barrier that half a frame swallowed."""


def send_wrongly(daemon: Daemon, raw: bytes) -> list[str]:
    """Sends `raw` on a new socket, then an open that must be refused as usual, and reads to either end."""
    with closing(socket.create_connection(("127.0.0.1", daemon.port), LIMIT)) as connection:
        head = f"GET /api/remote.mux HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nCookie: {daemon.cookie}\r\n"
        connection.sendall(f"{head}{_HANDSHAKE.format(key=_KEY)}\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(1)
        read, cut = _answer(connection, raw)
    wrong = abuse.judge(read)
    frames = abuse.parse(read)
    if cut and len(raw) <= _UNREAD and not any(opcode == 8 for opcode, _ in frames):
        wrong.append("the connection ended without a word")
    return wrong


def _answer(connection: socket.socket, raw: bytes) -> tuple[bytes, bool]:
    """(what the daemon sent, whether it ended the connection)."""
    read = bytearray()
    try:
        connection.sendall(raw + abuse.opening(abuse.BARRIER))
        connection.settimeout(PATIENCE_S)
        sign = f'"streamId":"{abuse.BARRIER}"'.encode()
        while sign not in read:
            piece = connection.recv(1 << 16)
            if not piece:
                return bytes(read), True
            read += piece
    except TimeoutError:
        return bytes(read), False
    except OSError:
        return bytes(read), True
    return bytes(read), False


def call_wrongly(daemon: Daemon, endpoint: str, args: dict[str, Any]) -> list[str]:
    """Makes the call; what was wrong with its answer."""
    body = {"type": "client-request", "rpcId": str(uuid4()), "method": endpoint, "payload": {"args": args}}
    headers = {"Content-Type": "application/json", "Cookie": daemon.cookie}
    status, _, answer = daemon.http("POST", f"/api/{endpoint}", body=msgspec.json.encode(body), headers=headers)
    if status not in abuse.STATUSES:
        return [f"{endpoint} was answered {status} {answer[:200]!r}"]
    if status != 200:
        return []
    result = msgspec.json.decode(answer)["result"]
    return [] if result["ok"] else list(abuse.judge_error(result["error"]))


def defects(daemon: Daemon) -> str:
    """The first traceback in the daemon's log with what follows it, empty for none."""
    _, sign, rest = daemon.log_text().partition("Traceback")
    return f"{sign}{rest}"[:4000]
