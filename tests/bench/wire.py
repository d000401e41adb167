"""One conversation over the real socket, with the moments at which its parts reached the client."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from tests.support.daemon import LIMIT, Daemon, Stream, text_block


@dataclass(slots=True)
class Turn:
    """A turn as a client saw it: seconds from sending the prompt to the first text and to the end, and what came."""

    first_text: float = 0.0
    end: float = 0.0
    text: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)

    def count(self, kind: str) -> int:
        return sum(event["type"] == kind for event in self.events)

    @property
    def reason(self) -> dict[str, Any]:
        return dict(self.events[-1]["data"]["reason"])


class Line:
    """A kept-alive HTTP connection, as browsers and clients hold one; one request at a time."""

    def __init__(self, daemon: Daemon, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._head = f"Host: 127.0.0.1:{daemon.port}\r\nCookie: {daemon.cookie}\r\nContent-Type: application/json\r\n"
        self._reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, daemon: Daemon) -> "Line":
        return cls(daemon, *await asyncio.open_connection("127.0.0.1", daemon.port))

    def send(self, endpoint: str, **args: Any) -> None:
        body = {"type": "client-request", "rpcId": str(uuid4()), "method": endpoint, "payload": {"args": args}}
        content = msgspec.json.encode(body)
        head = f"POST /api/{endpoint} HTTP/1.1\r\n{self._head}Content-Length: {len(content)}\r\n\r\n"
        self._writer.write(head.encode() + content)

    async def answer(self, limit: float = LIMIT) -> Any:
        async with asyncio.timeout(limit):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = int(head.partition("content-length:")[2].partition("\r\n")[0])
            body = msgspec.json.decode(await self._reader.readexactly(size))
        assert " 200 " in head, head
        assert body["result"]["ok"], body
        return body["result"].get("value")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class Conversation:
    """One session with one follower."""

    def __init__(self, session_id: str, line: Line, stream: Stream) -> None:
        self.session_id = session_id
        self._line = line
        self._stream = stream

    async def turn(self, text: str) -> Turn:
        """Sends a prompt and follows it to the end of its turn."""
        request = {
            "sessionId": self.session_id,
            "requestId": str(uuid4()),
            "mode": "queue",
            "content": [text_block(text)],
        }
        turn, pieces = Turn(), []
        started = time.perf_counter()
        self._line.send("session/prompt", request=request)
        while not turn.end:
            item = await self._stream.item()
            if item["type"] == "event":
                turn.events.append(item["event"])
                if item["event"]["type"] == "turn/end":
                    turn.end = time.perf_counter() - started
            elif (chunk := item["frame"].get("chunk") or {}).get("type") == "text-delta":
                turn.first_text = turn.first_text or time.perf_counter() - started
                pieces.append(chunk["text"])
        turn.text = "".join(pieces)
        assert await self._line.answer() == {"accepted": True}
        assert turn.reason["kind"] == "completed", turn.reason
        return turn


@asynccontextmanager
async def follow(daemon: Daemon, session_id: str) -> AsyncIterator[Conversation]:
    """A session that exists, followed."""
    async with daemon.socket() as socket:
        stream = await socket.follow(session_id)
        assert (await stream.item())["type"] == "snapshot"
        line = await Line.to(daemon)
        try:
            yield Conversation(session_id, line, stream)
        finally:
            await line.close()


@asynccontextmanager
async def conversation(daemon: Daemon, workspace: Path) -> AsyncIterator[Conversation]:
    """A new session, followed."""
    async with follow(daemon, await daemon.new_session(workspace)) as talk:
        yield talk
