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
from hd.protocol.stream import blocks_of
from hd.session.live import HEADER_VERSION, Header

ENTRY: Final = f"session.v{HEADER_VERSION}.jsonl"
HIDDEN: Final = "[redacted]"
_FIRST_S: Final = 315_532_800
_LAST_S: Final = 4_354_819_198
"""What a ZIP file can name: the first second of 1980 and the last but one of 2107 (UTC)."""
_STREAMED = frozenset({ev.ASSISTANT_MESSAGE, ev.ASSISTANT_ATTEMPT})


def header_line(header: Header) -> bytes:
    return msgspec.json.encode({"type": "session", **header.to_wire()})


class Archive:
    """The ZIP file in the making. Both methods give the bytes that are ready, and work for a while: not on the loop."""

    def __init__(self, header: Header, secrets: Sequence[str] = ()) -> None:
        self._secrets = [secret for secret in secrets if secret]
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w")
        entry = zipfile.ZipInfo(ENTRY, _moment(header.created_at))
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
    """Whether the deltas say a secret together; those that cannot be read may."""
    data = event.get("data")
    stream = data.get("stream") if isinstance(data, Mapping) else None
    blocks = blocks_of(stream or ())
    if blocks is None:
        return True
    text = "\n".join(str(block.get("text") or block.get("arguments") or "") for block in blocks)
    return any(secret in text for secret in secrets)


def _moment(created_at: int) -> tuple[int, int, int, int, int, int]:
    """The time (ms) as a ZIP file can name it, which is the years 1980 to 2107; a wrong clock stops no export."""
    year, *rest = time.gmtime(min(max(created_at / 1000, _FIRST_S), _LAST_S))[:6]
    month, day, hour, minute, second = rest
    return year, month, day, hour, minute, second


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
