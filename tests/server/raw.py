"""Bytes over a bare socket, for what no HTTP client would send."""

import socket
import struct
from contextlib import closing
from typing import NamedTuple

import msgspec

from tests.support.daemon import LIMIT, Daemon

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


class Answer(NamedTuple):
    status: int
    body: bytes
    closed: bool


def connect(daemon: Daemon) -> socket.socket:
    return socket.create_connection(("127.0.0.1", daemon.port), LIMIT)


def exchange(daemon: Daemon, request: bytes) -> bytes:
    """Sends and reads until the daemon closes the connection."""
    with closing(connect(daemon)) as connection:
        connection.sendall(request)
        read = bytearray()
        while piece := connection.recv(1 << 16):
            read += piece
        return bytes(read)


def head(daemon: Daemon, *headers: str, host: str | None = None, cookie: bool = True) -> str:
    """Header lines with a good Host and cookie where nothing else is said, and without keep-alive."""
    lines = [f"Host: {host or f'127.0.0.1:{daemon.port}'}", "Connection: close", *headers]
    if cookie:
        lines.append(f"Cookie: {daemon.cookie}")
    return "".join(f"{line}\r\n" for line in lines)


def list_body() -> bytes:
    return msgspec.json.encode(
        {"type": "client-request", "rpcId": "r", "method": "session/list", "payload": {"args": {"_request": {}}}}
    )


def post_list(daemon: Daemon, headers: str) -> Answer:
    body = list_body()
    start = f"POST /api/session/list HTTP/1.1\r\n{headers}Content-Type: application/json\r\n"
    return parse(exchange(daemon, f"{start}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body))


def parse(answer: bytes) -> Answer:
    top, _, body = answer.partition(b"\r\n\r\n")
    return Answer(int(top.split(b" ")[1]), body, True)


def upgrade(daemon: Daemon, *headers: str, version: str = "1.1", cookie: bool = True, host: str | None = None) -> bytes:
    lines = head(daemon, *headers, host=host, cookie=cookie).replace("Connection: close", "Connection: Upgrade")
    socket_lines = f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n"
    return f"GET /api/remote.mux HTTP/{version}\r\n{lines}{socket_lines}\r\n".encode("latin-1")


def open_socket(daemon: Daemon) -> socket.socket:
    """An upgraded connection on which nothing is answered by itself, pings included."""
    connection = connect(daemon)
    connection.sendall(upgrade(daemon))
    read = bytearray()
    while b"\r\n\r\n" not in read:
        read += connection.recv(1)
    assert read.startswith(b"HTTP/1.1 101")
    return connection


def frame(payload: bytes, *, opcode: int = 1, length: int | None = None) -> bytes:
    """A masked frame (the mask is zero); `length` is what it says of itself where that is not the truth."""
    size = len(payload) if length is None else length
    start = bytes([0x80 | opcode])
    if size < 126:
        start += bytes([0x80 | size])
    elif size < 1 << 16:
        start += b"\xfe" + struct.pack(">H", size)
    else:
        start += b"\xff" + struct.pack(">Q", size)
    return start + b"\0\0\0\0" + payload


def frames(connection: socket.socket) -> list[tuple[int, bytes]]:
    """(opcode, payload) of everything that the daemon sends until it ends the connection."""
    read = bytearray()
    try:
        while piece := connection.recv(1 << 16):
            read += piece
    except ConnectionResetError:
        pass
    found: list[tuple[int, bytes]] = []
    while len(read) >= 2:
        size, start = read[1], 2
        if size == 126:
            size, start = int.from_bytes(read[2:4]), 4
        elif size == 127:
            size, start = int.from_bytes(read[2:10]), 10
        found.append((read[0] & 15, bytes(read[start : start + size])))
        del read[: start + size]
    return found


def close_code(connection: socket.socket) -> int:
    """The code with which the daemon closes."""
    (payload,) = [payload for opcode, payload in frames(connection) if opcode == 8]
    return int.from_bytes(payload[:2])
