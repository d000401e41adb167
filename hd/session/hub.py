"""Fan-out: what is published of a session reaches each follower at that follower's own pace.

A follower never blocks the session. What waits for it is merged where nothing is lost by it (neighbouring deltas,
projection values), and where too much waits all the same, the follower is cut off and must follow again; it then gets
a fresh snapshot. `revision` and `index` are numbered here, per follower, because merging makes them differ (WIRE 7.4).
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from hd.errors import FollowerLagging
from hd.protocol.projections.inbox import queue_items
from hd.protocol.stream import Chunk, delta_text, joinable, with_text

FRAME_INTERVAL = 0.016
"""Seconds between two deliveries that hold nothing but deltas."""

MERGE_WINDOW = 0.02
"""Seconds for which changes of a projection are collected into one frame."""

MAX_WAITING = 20_000
MAX_WAITING_BYTES = 16 * 1024 * 1024

_encode = msgspec.json.encode


class _Delta:
    """A chunk that waits for a follower; the texts of later deltas of the same block gather in it while it waits."""

    __slots__ = ("_texts", "attempt_id", "chunk", "time")

    def __init__(self, attempt_id: str, time: int, chunk: Chunk) -> None:
        self.attempt_id = attempt_id
        self.time = time
        self.chunk = chunk
        self._texts: list[str] = []

    def takes(self, attempt_id: str, chunk: Chunk) -> bool:
        if self.attempt_id != attempt_id or not joinable(self.chunk, chunk):
            return False
        self._texts.append(delta_text(chunk))
        return True

    def joined(self) -> Chunk:
        return with_text(self.chunk, delta_text(self.chunk) + "".join(self._texts)) if self._texts else self.chunk


class Follower:
    """One reader of one session. The hub pushes, the carrier iterates `batches`."""

    def __init__(self, *, stream: bool) -> None:
        self.stream = stream
        self._waiting: deque[bytes | _Delta | Mapping[str, Any]] = deque()
        self._bytes = 0
        self._wake = asyncio.Event()
        self._urgent = asyncio.Event()
        self._lagging = False
        self._closed = False
        self._revision = 0
        self._index = 0

    def resume(self, index: int) -> None:
        """Sets the number of chunks that the snapshot already held of the running attempt."""
        self._index = index

    def push_event(self, body: bytes) -> None:
        self._push(b'{"type":"event","event":%b}' % body, len(body))

    def push_frame(self, frame: Mapping[str, Any]) -> None:
        """A `start` or `end` frame of the assistant stream, without its `revision` and `index`."""
        if self.stream:
            self._push(frame, 100)

    def push_chunks(self, attempt_id: str, time: int, chunks: list[Chunk]) -> None:
        if not self.stream:
            return
        for chunk in chunks:
            last = self._waiting[-1] if self._waiting else None
            if not isinstance(last, _Delta) or not last.takes(attempt_id, chunk):
                self._waiting.append(_Delta(attempt_id, time, chunk))
        self._limit()
        self._wake.set()

    def _push(self, item: bytes | Mapping[str, Any], size: int) -> None:
        self._waiting.append(item)
        self._bytes += size
        self._limit()
        self._wake.set()
        self._urgent.set()

    def _limit(self) -> None:
        if len(self._waiting) > MAX_WAITING or self._bytes > MAX_WAITING_BYTES:
            self._lagging = True
            self._waiting.clear()
            self._bytes = 0
            self._urgent.set()

    def close(self) -> None:
        """Ends the iteration after what still waits."""
        self._closed = True
        self._wake.set()
        self._urgent.set()

    async def batches(self) -> AsyncGenerator[list[bytes], None]:
        """The items in order, as JSON, several at a time. Raises `FollowerLagging` when the reader was too slow."""
        while True:
            await self._wake.wait()
            if self._lagging:
                raise FollowerLagging("This client read more slowly than the session wrote. Follow it again.")
            urgent = self._urgent.is_set()
            self._wake.clear()
            self._urgent.clear()
            waiting, self._waiting, self._bytes = self._waiting, deque(), 0
            if waiting:
                yield [self._number(item) for item in waiting]
            if self._closed and not self._waiting:
                return
            if not urgent and not self._closed:
                await _wait(self._urgent, FRAME_INTERVAL)

    def _number(self, item: bytes | _Delta | Mapping[str, Any]) -> bytes:
        if isinstance(item, bytes):
            return item
        self._revision += 1
        frame: dict[str, Any]
        if isinstance(item, _Delta):
            frame = {
                "type": "chunk",
                "attemptId": item.attempt_id,
                "revision": self._revision,
                "index": self._index,
                "time": item.time,
                "chunk": item.joined(),
            }
            self._index += 1
        elif item["type"] == "start":
            self._index = 0
            frame = {**item, "revision": self._revision}
        else:
            frame = {**item, "revision": self._revision, "index": self._index}
        return _encode({"type": "assistant-stream", "frame": frame})


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


class ControlFollower:
    """One reader of the live state of all sessions; changes are merged per session and key.

    A state may change where its value does not (the outline of a long session, at every step of a turn); a value that
    is the same as the last one sent is not sent again.
    """

    def __init__(self) -> None:
        self._changed: dict[tuple[str, str], tuple[int, Any]] = {}
        self._sent: dict[tuple[str, str], bytes] = {}
        """The digest of the last value sent, by session and key."""
        self._wake = asyncio.Event()
        self._closed = False

    def push(self, session_id: str, key: str, seq: int, value: Any) -> None:
        """`value` is a function without arguments that gives the wire value; it is called once a delivery."""
        self._changed[session_id, key] = (seq, value)
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def batches(self) -> AsyncGenerator[list[bytes], None]:
        while not self._closed:
            await self._wake.wait()
            await asyncio.sleep(MERGE_WINDOW)
            self._wake.clear()
            changed, self._changed = self._changed, {}
            items: list[bytes] = []
            for (session_id, key), (seq, value) in changed.items():
                shown = value()
                body = _encode(shown)
                if not self._is_news(session_id, key, body):
                    continue
                frame = {
                    "type": "projection",
                    "sessionId": session_id,
                    "key": key,
                    "seq": seq,
                    "value": msgspec.Raw(body),
                }
                items.append(_encode(frame))
                if key == "inbox":
                    items.append(_queue_frame(session_id, shown))
            if items:
                yield items

    def _is_news(self, session_id: str, key: str, body: bytes) -> bool:
        digest = blake2b(body, digest_size=16).digest()
        news = self._sent.get((session_id, key)) != digest
        self._sent[session_id, key] = digest
        return news


def _queue_frame(session_id: str, inbox: Mapping[str, Any]) -> bytes:
    """The same fact in the shape that 0.1.5 clients read."""
    return _encode({"type": "queue", "sessionId": session_id, "items": queue_items(inbox)})


class Hub:
    """Who follows what."""

    def __init__(self) -> None:
        self._followers: dict[str, set[Follower]] = {}
        self._control: set[ControlFollower] = set()

    def followers(self, session_id: str) -> set[Follower]:
        return self._followers.get(session_id, set())

    def attach(self, session_id: str, follower: Follower) -> None:
        self._followers.setdefault(session_id, set()).add(follower)

    def detach(self, session_id: str, follower: Follower) -> None:
        following = self._followers.get(session_id, set())
        following.discard(follower)
        if not following:
            self._followers.pop(session_id, None)

    def attach_control(self, follower: ControlFollower) -> None:
        self._control.add(follower)

    def detach_control(self, follower: ControlFollower) -> None:
        self._control.discard(follower)

    def publish_event(self, session_id: str, body: bytes) -> None:
        for follower in self.followers(session_id):
            follower.push_event(body)

    def publish_frame(self, session_id: str, frame: Mapping[str, Any]) -> None:
        for follower in self.followers(session_id):
            follower.push_frame(frame)

    def publish_chunks(self, session_id: str, attempt_id: str, time: int, chunks: list[Chunk]) -> None:
        for follower in self.followers(session_id):
            follower.push_chunks(attempt_id, time, chunks)

    def publish_projection(self, session_id: str, key: str, seq: int, value: Any) -> None:
        for follower in self._control:
            follower.push(session_id, key, seq, value)

    def close(self) -> None:
        for following in list(self._followers.values()):
            for follower in list(following):
                follower.close()
        for control in list(self._control):
            control.close()
