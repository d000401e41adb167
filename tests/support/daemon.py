"""A real daemon in a process of its own, and a plain client of its wire, for tests from outside."""

import asyncio
import http.client
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol
from uuid import uuid4

import msgspec
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).parents[2]
LIMIT = 20.0
"""Seconds that a test waits for anything before it fails."""


class Process(Protocol):
    """What a daemon needs of `subprocess.Popen`."""

    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def kill(self) -> None: ...
    def send_signal(self, sig: int) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class Daemon:
    """`hd web` on a free port with a home of its own. `start` may be called again after `kill` or `stop`."""

    def __init__(
        self,
        home: Path,
        *,
        environment: Mapping[str, str] | None = None,
        arguments: list[str] | None = None,
        program: str = "hd",
    ):
        self.home = home
        self.program = program
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("DEEPSEEK_", "HD_", "HTUI_"))
        }
        # A title is asked for beside everything else, so it would stand at another place of the log each time.
        self.environment |= {"HD_HOME": str(home), "HD_TITLES": "off", **(environment or {})}
        self.arguments = arguments or []
        self.process: Process | None = None
        self.port = 0
        self.token = ""
        self.cookie = ""

    def start(self, *, port: int = 0) -> "Daemon":
        self.process = self.spawn(["web", "--json", "--port", str(port), *self.arguments])
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise AssertionError(f"the daemon did not start: {self.process.stderr.read().decode()}")
        ready = msgspec.json.decode(line)
        self.port = ready["port"]
        self.token = ready["url"].partition("token=")[2]
        self.cookie = self.login()
        return self

    def spawn(self, arguments: list[str]) -> Process:
        """`program` with these arguments, its outputs being pipes."""
        command = [sys.executable, "-m", self.program, *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def login(self) -> str:
        status, headers, _ = self.http("GET", f"/?token={self.token}")
        assert status == http.client.SEE_OTHER
        return headers["set-cookie"].partition(";")[0]

    def http(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """A bare request: status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            connection.request(method, path, body=body, headers=dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def call(self, endpoint: str, **args: Any) -> Any:
        """A unary call that works: its value, None without one."""
        result = self.result(endpoint, **args)
        assert result["ok"], result
        return result.get("value")

    async def acall(self, endpoint: str, **args: Any) -> Any:
        """The same without holding up the test's event loop, on which its mock model lives."""
        return await asyncio.to_thread(partial(self.call, endpoint, **args))

    def result(self, endpoint: str, **args: Any) -> dict[str, Any]:
        body = {"type": "client-request", "rpcId": str(uuid4()), "method": endpoint, "payload": {"args": args}}
        status, _, answer = self.http(
            "POST",
            f"/api/{endpoint}",
            body=msgspec.json.encode(body),
            headers={"Content-Type": "application/json", "Cookie": self.cookie},
        )
        assert status == http.client.OK, (status, answer)
        decoded = msgspec.json.decode(answer)
        assert decoded["rpcId"] == body["rpcId"]
        return dict(decoded["result"])

    async def new_session(self, folder: Path) -> str:
        workspace = (await self.acall("workspace/create", request={"path": str(folder)}))["workspace"]["workspaceId"]
        return str((await self.acall("session/create", request={"workspaceId": workspace}))["sessionId"])

    async def prompt(self, session_id: str, text: str, *, mode: str = "queue", request_id: str | None = None) -> None:
        request = {
            "sessionId": session_id,
            "requestId": request_id or str(uuid4()),
            "mode": mode,
            "content": [{"type": "text", "text": text}],
        }
        assert await self.acall("session/prompt", request=request) == {"accepted": True}

    async def log(self, session_id: str) -> list[dict[str, Any]]:
        """The whole log, over the wire."""
        address = {"kind": "session", "sessionId": session_id}
        page: dict[str, Any] = {"hasMore": True, "records": []}
        last = (await self.acall("session/projections", request={"sessionId": session_id}))["asOfSeq"]
        events: list[dict[str, Any]] = []
        while page["hasMore"]:
            request: dict[str, Any] = {"address": address, "throughSeq": last, "maxMessages": 200}
            if events:
                request["beforeSeq"] = events[0]["seq"]
            page = await self.acall("session/page", request=request)
            events = [record["event"] for record in page["records"]] + events
        assert [event["seq"] for event in events] == list(range(len(events)))
        return events

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def log_text(self) -> str:
        """What the daemon has logged so far."""
        return (self.home / "logs" / "hd.log").read_text()

    def kill(self) -> None:
        """As the out-of-memory killer would."""
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end; the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None
        code = self.process.wait(LIMIT)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self.process = None
        return code

    def __enter__(self) -> "Daemon":
        return self.start()

    def __exit__(self, *error: object) -> None:
        if self.process is not None:
            self.stop()

    @asynccontextmanager
    async def socket(self) -> AsyncIterator["Socket"]:
        address = f"ws://127.0.0.1:{self.port}/api/remote.mux"
        headers = {"Cookie": self.cookie}
        async with connect(address, additional_headers=headers, compression=None, max_size=None) as connection:
            socket = Socket(connection)
            reader = asyncio.create_task(socket.read())
            try:
                yield socket
            finally:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)


class Stream:
    """The items of one logical stream, in order."""

    def __init__(self, stream_id: str) -> None:
        self.id = stream_id
        self._frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def put(self, frame: dict[str, Any]) -> None:
        self._frames.put_nowait(frame)

    async def frame(self) -> dict[str, Any]:
        async with asyncio.timeout(LIMIT):
            return await self._frames.get()

    def waiting(self) -> int:
        """How many frames came that nobody took yet."""
        return self._frames.qsize()

    async def item(self) -> Any:
        frame = await self.frame()
        assert frame["type"] == "item", frame
        return frame["value"]

    async def until(self, condition: Any) -> Any:
        """The first item for which the condition holds."""
        while not condition(item := await self.item()):
            pass
        return item


class Socket:
    """One WebSocket with its streams."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.streams: dict[str, Stream] = {}

    def expect(self, stream_id: str) -> Stream:
        """The stream that will have this id, for a test that sends the frame of its opening itself."""
        stream = self.streams[stream_id] = Stream(stream_id)
        return stream

    async def open(self, endpoint: str, *, stream_id: str | None = None, **args: Any) -> Stream:
        stream = self.expect(stream_id or str(uuid4()))
        frame = {"type": "open", "streamId": stream.id, "endpoint": endpoint, "payload": {"args": args}}
        await self.connection.send(msgspec.json.encode(frame).decode())
        return stream

    async def follow(self, session_id: str, **more: Any) -> Stream:
        request = {"address": {"kind": "session", "sessionId": session_id}, "assistantStream": True, **more}
        return await self.open("session/follow", request=request)

    async def cancel(self, stream: Stream) -> None:
        await self.connection.send(msgspec.json.encode({"type": "cancel", "streamId": stream.id}).decode())

    async def read(self) -> None:
        async for message in self.connection:
            frame = msgspec.json.decode(message)
            self.streams[frame["streamId"]].put(frame)


def is_event(kind: str) -> Any:
    """A condition: the item is an event of this type."""
    return lambda item: item["type"] == "event" and item["event"]["type"] == kind


def text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
