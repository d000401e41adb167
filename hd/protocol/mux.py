"""The multiplexer of the WebSocket, without I/O (WIRE 4): logical streams in text frames of one JSON object each.

`ServerMux` and `ClientMux` hold only which streams live; the carriers around them own sockets and tasks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import msgspec

from hd.protocol.envelope import WireError, wire_error

INVALID_REQUEST = "invalid Remote stream request"
CLOSE_VIOLATION = 1008
CLOSE_BINARY = 1003
CLOSE_INTERNAL = 1011

_KEYS = {"open": {"type", "streamId", "endpoint", "payload"}, "cancel": {"type", "streamId"}}


class MuxViolation(Exception):
    """A frame that breaks the protocol; the socket is closed with `code` and `reason`."""

    def __init__(self, code: int = CLOSE_VIOLATION, reason: str = INVALID_REQUEST) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Opened:
    stream_id: str
    endpoint: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Cancelled:
    stream_id: str


class ServerMux:
    """The server's side: which stream ids are live, and frames in both directions."""

    def __init__(self) -> None:
        self.live: set[str] = set()

    def receive(self, text: str | bytes) -> Opened | Cancelled | None:
        """What a client frame asks for; None for the cancel of a stream that does not live. Raises `MuxViolation`."""
        try:
            frame = msgspec.json.decode(text)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError):
            raise MuxViolation from None
        kind = frame.get("type") if isinstance(frame, dict) else None
        expected = _KEYS.get(kind) if isinstance(kind, str) else None
        if expected is None or set(frame) != expected:
            raise MuxViolation
        stream_id = frame["streamId"]
        if not isinstance(stream_id, str) or not stream_id:
            raise MuxViolation
        if kind == "cancel":
            if stream_id not in self.live:
                return None
            self.live.discard(stream_id)
            return Cancelled(stream_id)
        if stream_id in self.live or not isinstance(frame["endpoint"], str):
            raise MuxViolation
        self.live.add(stream_id)
        return Opened(stream_id, frame["endpoint"], frame["payload"])

    def item(self, stream_id: str, value: bytes) -> bytes:
        """A frame that carries `value`, which is JSON already."""
        return b'{"type":"item","streamId":%b,"value":%b}' % (msgspec.json.encode(stream_id), value)

    def end(self, stream_id: str) -> bytes | None:
        """The last frame of a stream that ran out; None when the client cancelled it, for then nothing is sent."""
        if stream_id not in self.live:
            return None
        self.live.discard(stream_id)
        return msgspec.json.encode({"type": "end", "streamId": stream_id})

    def error(self, stream_id: str, error: WireError) -> bytes | None:
        if stream_id not in self.live:
            return None
        self.live.discard(stream_id)
        return msgspec.json.encode({"type": "error", "streamId": stream_id, "error": error.to_wire()})


@dataclass(frozen=True, slots=True)
class Item:
    stream_id: str
    value: Any


@dataclass(frozen=True, slots=True)
class Ended:
    """A stream that is over; `error` is None for a regular end."""

    stream_id: str
    error: WireError | None = None


class ClientMux:
    """The client's side. A frame for a stream that is not live is dropped: it is normal after a cancel."""

    def __init__(self) -> None:
        self.live: set[str] = set()

    def open(self, endpoint: str, args: Mapping[str, Any]) -> tuple[str, str]:
        """(stream id, frame to send)."""
        stream_id = str(uuid4())
        self.live.add(stream_id)
        frame = {"type": "open", "streamId": stream_id, "endpoint": endpoint, "payload": {"args": args}}
        return stream_id, msgspec.json.encode(frame).decode()

    def cancel(self, stream_id: str) -> str | None:
        """The frame to send, None when the stream is over already."""
        if stream_id not in self.live:
            return None
        self.live.discard(stream_id)
        return msgspec.json.encode({"type": "cancel", "streamId": stream_id}).decode()

    def receive(self, text: str | bytes) -> Item | Ended | None:
        """What a server frame brings; ValueError when it is none of the dialect."""
        try:
            frame = msgspec.json.decode(text)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise ValueError("the host sent a frame that is not JSON") from error
        if not isinstance(frame, dict):
            raise ValueError("the host sent a frame that is no object")
        kind, stream_id = frame.get("type"), frame.get("streamId")
        if kind not in ("item", "end", "error"):
            raise ValueError(f"the host sent a frame of the unknown type {kind!r}")
        if not isinstance(stream_id, str) or stream_id not in self.live:
            return None
        if kind == "item":
            return Item(stream_id, frame.get("value"))
        self.live.discard(stream_id)
        return Ended(stream_id, wire_error(frame.get("error")) if kind == "error" else None)
