"""A model provider that speaks chat completions over a real socket and answers by script.

In a test: `async with MockModel(Reply(text="hello")) as mock`; see `base_url`, `requests` and `violations`.
As a process: `python -m tests.support.mock_model [--port N] [--lenient]`, which prints its base URL as the first line,
answers by the `[[…]]` commands of the prompts (`mock_commands`) and can be asked under `/_mock/…`.
"""

import argparse
import asyncio
import os
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

import msgspec
from aiohttp import web

from tests.support.mock_commands import reply_to
from tests.support.mock_reply import (
    AUTO,
    DONE,
    KEEP_ALIVE,
    Call,
    Reply,
    body_of,
    error_body,
    events,
    usage_for,
    with_ids,
)
from tests.support.mock_strict import Conversations, Head, Sent, first_problem, lasting

__all__ = ["Call", "MockModel", "Recorded", "Reply"]

REFUSALS = "HD_TEST_REFUSALS"
"""The variable that names the file in which a run of the tests gathers what any model of it had to refuse."""

MODELS = ("deepseek-flash", "deepseek-v4-pro")


class Recorded(NamedTuple):
    """One request to `/chat/completions`; `peer` is the client's port, which tells connections apart."""

    body: bytes
    parsed: Any
    headers: Mapping[str, str]
    peer: int

    @property
    def lasting(self) -> bytes:
        """The part of the body that the next one of the conversation begins with (law 2)."""
        return lasting(self.body, self.parsed)


class MockModel:
    """Answers from the queue of replies and, when that is empty, by the commands in the prompt.

    Strict by default: a request that the real provider would refuse, or that breaks the byte prefix of its
    conversation, gets a 400 and a line in `violations`. `reset_prefix` is for what may break it: a logged compaction, a
    fork. With `key` only that key is let in.
    """

    def __init__(
        self,
        *replies: Reply,
        strict: bool = True,
        key: str | None = None,
        models: Sequence[str] = MODELS,
        models_reply: Reply | None = None,
    ) -> None:
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self.gone = 0
        self.listings = 0
        self._replies = deque(replies)
        self._strict, self._key, self._models, self._models_reply = strict, key, models, models_reply
        self._sent: list[Sent] = []
        self._conversations = Conversations()
        self._attempts: Counter[bytes] = Counter()
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def add(self, *replies: Reply) -> None:
        self._replies.extend(replies)

    def reset_prefix(self) -> None:
        self._conversations.reset()

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Waits until something about the requests is so, such as `lambda: mock.gone == 1`."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(holds)

    async def start(self, port: int = 0) -> None:
        app = web.Application(client_max_size=256 * 1024 * 1024)
        app.router.add_post("/chat/completions", self._complete)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/models", self._list_models)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_get("/_mock/violations", self._show_violations)
        app.router.add_get("/_mock/requests", self._show_requests)
        app.router.add_post("/_mock/reset-prefix", self._reset)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        try:
            parsed = msgspec.json.decode(body)
        except msgspec.DecodeError:
            parsed = None
        peer = request.transport.get_extra_info("peername")[1] if request.transport is not None else 0
        self.requests.append(Recorded(body, parsed, dict(request.headers), peer))
        await self._notify()
        if refusal := self._refusal(request):
            return refusal
        problem = first_problem(parsed, self._sent)
        if problem is not None and (self._strict or not isinstance(parsed, Mapping)):
            return self._violated(problem)
        head, common, problem = self._conversations.take(body, parsed)
        if problem is not None and self._strict:
            return self._violated(problem)
        reply = self._replies.popleft() if self._replies else reply_to(parsed, self._attempts[body])
        self._attempts[body] += 1
        try:
            return await self._answer(request, parsed, body, common, reply, head)
        except (asyncio.CancelledError, ConnectionError):
            self.gone += 1
            raise
        finally:
            head.playing = False
            await self._notify()

    async def _answer(
        self, request: web.Request, parsed: Any, body: bytes, common: int, reply: Reply, head: Head
    ) -> web.StreamResponse:
        if not reply.is_stream():
            if 0 in reply.gates:
                await reply.gates[0].wait()
            content, kind = body_of(reply)
            headers = {"Content-Type": kind, **reply.headers}
            return web.Response(status=reply.status, body=content, headers=headers)
        calls = with_ids(reply, len(self.requests))
        self._sent.append(Sent(reply.said(), reply.thought(), tuple(str(call.id) for call in calls)))
        usage = usage_for(reply, body, common) if reply.usage == AUTO else reply.usage
        assert usage is None or isinstance(usage, Mapping)
        outgoing = events(reply, calls, usage, len(self.requests), parsed["model"])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **reply.headers})
        await response.prepare(request)
        head.answered = await self._play(request, response, reply, outgoing)
        return response

    async def _play(
        self, request: web.Request, response: web.StreamResponse, reply: Reply, outgoing: list[bytes]
    ) -> bool:
        """Sends a stream; True when it was sent to its end."""
        if reply.raw is not None:
            for piece in [reply.raw] if isinstance(reply.raw, bytes) else reply.raw:
                await response.write(piece)
            await response.write_eof()
            return True
        for _ in range(reply.comments):
            await response.write(KEEP_ALIVE)
        stop = reply.cut_after
        if stop is None and reply.stall:
            stop = len(outgoing) - (reply.finish is not None) - (reply.usage is not None)
        shown = outgoing if stop is None else outgoing[:stop]
        await _write(response, reply, shown)
        if reply.stall:
            await _stay_silent(response, reply.keep_alive)
        if reply.cut_after is not None:
            assert request.transport is not None
            request.transport.close()
            return False
        if reply.done:
            await response.write(DONE)
        await response.write_eof()
        return reply.done and reply.finish is not None

    def _refusal(self, request: web.Request) -> web.Response | None:
        if self._key is None or request.headers.get("Authorization") == f"Bearer {self._key}":
            return None
        given = request.headers.get("Authorization", "")[-4:]
        body = error_body(f"Authentication Fails, Your api key: ****{given} is invalid", "authentication_error")
        return web.Response(status=401, body=body, content_type="application/json")

    def _violated(self, problem: str) -> web.Response:
        self.violations.append(f"request {len(self.requests)}: {problem}")
        if gathered := os.environ.get(REFUSALS):
            with open(gathered, "a", encoding="utf-8") as file:
                file.write(f"{self.violations[-1]}\n")
        return web.Response(status=400, body=error_body(problem), content_type="application/json")

    async def _list_models(self, request: web.Request) -> web.StreamResponse:
        self.listings += 1
        await self._notify()
        if refusal := self._refusal(request):
            return refusal
        reply = self._models_reply
        if reply is not None and reply.stall:
            await asyncio.Event().wait()
        if reply is not None:
            content, kind = body_of(reply)
            return web.Response(status=reply.status, body=content, content_type=kind)
        rows = [{"id": model, "object": "model", "owned_by": "deepseek"} for model in self._models]
        return _json({"object": "list", "data": rows})

    async def _show_violations(self, _request: web.Request) -> web.Response:
        return _json(self.violations)

    async def _show_requests(self, _request: web.Request) -> web.Response:
        return _json([recorded.parsed for recorded in self.requests])

    async def _reset(self, _request: web.Request) -> web.Response:
        self.reset_prefix()
        return web.Response(status=204)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _write(response: web.StreamResponse, reply: Reply, outgoing: list[bytes]) -> None:
    size = reply.batch or max(1, len(outgoing))
    for start in range(0, len(outgoing), size):
        for number in range(start, min(start + size, len(outgoing))):
            if number in reply.gates:
                await reply.gates[number].wait()
        if start and reply.delay_s:
            await _pause(reply.delay_s)
        await response.write(b"".join(outgoing[start : start + size]))


async def _stay_silent(response: web.StreamResponse, keep_alive: float | None) -> None:
    """Until the client goes away, which cancels the request."""
    if keep_alive is None:
        await asyncio.Event().wait()
    else:
        while True:
            await _pause(keep_alive)
            await response.write(KEEP_ALIVE)


async def _pause(seconds: float) -> None:
    """The model is slow here, no test is: a client that goes away ends it at once."""
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), seconds)


def _json(value: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


async def _serve(port: int, *, strict: bool) -> None:
    mock = MockModel(strict=strict)
    await mock.start(port)
    print(mock.base_url, flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted model provider for tests.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--lenient", action="store_true", help="refuse nothing")
    options = parser.parse_args()
    try:
        asyncio.run(_serve(options.port, strict=not options.lenient))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
