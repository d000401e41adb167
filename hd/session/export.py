"""A session as a ZIP file: one entry with the header and then every event, each a line of JSON.

It is made piece by piece, so that a long session costs no memory. Secrets that are known are never in it: where one
stands in an event it is replaced, also when an answer in progress brought it in pieces.
"""

import io
import time
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hd.protocol import events as ev
from hd.protocol.stream import Partial, unpack
from hd.session.live import HEADER_VERSION, Header

ENTRY: Final = f"session.v{HEADER_VERSION}.jsonl"
HIDDEN: Final = "[redacted]"
_STREAMED = frozenset({ev.ASSISTANT_MESSAGE, ev.ASSISTANT_ATTEMPT})


def header_line(header: Header) -> bytes:
    return msgspec.json.encode({"type": "session", **header.to_wire()})


class Archive:
    """The ZIP file in the making. Both methods give the bytes that are ready, and work for a while: not on the loop."""

    def __init__(self, header: Header, secrets: Sequence[str] = ()) -> None:
        self._secrets = [secret for secret in secrets if secret]
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w")
        entry = zipfile.ZipInfo(ENTRY, time.gmtime(header.created_at / 1000)[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o600 << 16
        self._entry = self._zip.open(entry, "w", force_zip64=True)
        self._entry.write(header_line(header) + b"\n")

    def add(self, bodies: Sequence[bytes]) -> bytes:
        self._entry.write(b"".join(without(body, self._secrets) + b"\n" for body in bodies))
        return self._sink.take()

    def end(self) -> bytes:
        self._entry.close()
        self._zip.close()
        return self._sink.take()


def without(body: bytes, secrets: Sequence[str]) -> bytes:
    """The event with each secret replaced; the deltas of an answer that spells one are left out as a whole."""
    if not secrets:
        return body
    event = msgspec.json.decode(body)
    if event.get("type") in _STREAMED and _spells(event, secrets):
        body = msgspec.json.encode({**event, "data": {**event["data"], "stream": []}})
    for secret in secrets:
        body = body.replace(msgspec.json.encode(secret)[1:-1], HIDDEN.encode())
    return body


def _spells(event: Mapping[str, Any], secrets: Sequence[str]) -> bool:
    joined = Partial()
    for _, chunk in unpack(event["data"].get("stream") or ()):
        joined.feed(chunk)
    text = "\n".join(str(block.get("text") or block.get("arguments") or "") for block in joined.blocks())
    return any(secret in text for secret in secrets)


class _Sink(io.RawIOBase):
    """What a ZIP file is written to: gathers the bytes, and cannot be turned back."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)
