"""DeepSeek's chat completions: the driver between the pure parts (encode, SSE, decode, failure) and the carrier."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from hd.errors import UsageError
from hd.llm import failure, models
from hd.llm.base import Catalogue, Chunk, Model, ProviderError, Request, Tell, quiet
from hd.llm.carrier import Body, Carrier, Tap, Transport
from hd.llm.decode import AnswerDecoder
from hd.llm.encode import encode_request
from hd.llm.limiter import Limiters
from hd.llm.payloads import Payloads
from hd.llm.tape.recorder import Recorder, Taking
from hd.protocol.messages import tool_calls_of
from hd.protocol.stream import merge

IDLE_S: Final = 120.0
QUEUED_S: Final = 600.0
"""As long as the provider itself keeps a request in its queue."""
SETTLE_S: Final = 0.25
ERROR_BODY_S: Final = 5.0
MAX_ERROR_BODY: Final = 64 * 1024
MAX_LISTING: Final = 1024 * 1024
LISTING_S: Final = 5.0
LISTING_KEPT_S: Final = 600.0
FAILED_LISTING_KEPT_S: Final = 30.0


class DeepSeek:
    """The provider `deepseek-official`. `key` is asked anew for every request, so a changed key needs no restart.

    `idle_s` bounds the time without data; comments that only keep the connection alive are no data, but while an answer
    has not begun they say that the request is queued, which is borne for `queued_s`. All requests of a key share one
    limiter. `transport` is the network unless another one is given; `recorder` takes down what goes over it.
    """

    id = "deepseek-official"
    name = "DeepSeek"
    default_model = models.DEFAULT.id
    title_model: str | None = models.CHEAP.id

    def __init__(
        self,
        base_url: str,
        key: Callable[[], str | None],
        *,
        idle_s: float = IDLE_S,
        queued_s: float = QUEUED_S,
        connect_s: float = 10.0,
        transport: Transport | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._key = key
        self._idle_s = idle_s
        self._queued_s = queued_s
        self._limiters = Limiters()
        self._carrier: Transport = transport or Carrier(endpoint(base_url), connect_s=connect_s)
        self._recorder = recorder
        self._catalogue: Catalogue | None = None
        self._catalogue_until = 0.0
        self._listing = asyncio.Lock()

    async def warm(self) -> None:
        """Loads the HTTP client off the event loop, so that the first prompt does not wait for it. Optional."""
        await self._carrier.warm()

    async def stream(self, request: Request, tell: Tell = quiet) -> AsyncGenerator[list[Chunk], None]:
        """One attempt. Closing the iterator closes the connection at once."""
        key = usable_key(self._key())
        body = encode_request(request, self.model(request.model))
        async with self._limiters.of(key).place(tell) as accepted:
            with self._taken(request, body) as taking:
                async with aclosing(self._answer(request, body, key, tell, accepted, taking)) as pieces:
                    async for chunks in pieces:
                        if taking is not None:
                            taking.said(chunks)
                        yield chunks

    def _taken(self, request: Request, body: bytes) -> AbstractContextManager[Taking | None]:
        return nullcontext() if self._recorder is None else self._recorder.attempt(request, body)

    async def _answer(
        self, request: Request, body: bytes, key: str, tell: Tell, accepted: Callable[[], None], tap: Tap | None
    ) -> AsyncGenerator[list[Chunk], None]:
        headers = {
            "authorization": f"Bearer {key}",
            "content-type": "application/json",
            "accept": "text/event-stream",
        }
        async with self._carrier.open(
            "POST", "/chat/completions", headers=headers, body=body, head_s=self._idle_s, tap=tap
        ) as answer:
            if answer.head.status // 100 != 2:
                raise await _refusal(answer, key, body)
            accepted()
            decoder = AnswerDecoder(
                _call_ids(request.messages),
                explain=partial(failure.object_failure, key=key, sent=body),
                tools=[tool.name for tool in request.tools],
            )
            source = Payloads(answer, decoder, self._idle_s, self._queued_s, tell)
            while (payloads := await source.next()) is not None:
                chunks, problem = _decode(decoder, payloads)
                if chunks:
                    yield chunks
                if problem is not None:
                    raise problem
            if rest := decoder.finish():
                yield rest
            if decoder.failure is not None:
                raise decoder.failure
            await answer.settle(SETTLE_S)

    async def catalogue(self) -> Catalogue:
        """The built-in models and what the provider lists, asked at most every ten minutes and for five seconds.

        A failure leaves the built-in ones and its own text.
        """
        try:
            key = usable_key(self._key())
        except ProviderError as problem:
            return Catalogue(models.BUILT_IN, problem.message)
        clock = asyncio.get_running_loop().time
        async with self._listing:
            if self._catalogue is None or clock() >= self._catalogue_until:
                self._catalogue = await self._list(key)
                kept = LISTING_KEPT_S if self._catalogue.failure is None else FAILED_LISTING_KEPT_S
                self._catalogue_until = clock() + kept
            return self._catalogue

    def model(self, model_id: str) -> Model:
        known = self._catalogue.models if self._catalogue is not None else models.BUILT_IN
        return next((model for model in known if model.id == model_id), None) or models.unlisted(model_id)

    async def aclose(self) -> None:
        self._limiters.close()
        await self._carrier.aclose()

    async def _list(self, key: str) -> Catalogue:
        headers = {"authorization": f"Bearer {key}", "accept": "application/json"}
        try:
            async with (
                asyncio.timeout(LISTING_S),
                self._carrier.open("GET", "/models", headers=headers, head_s=LISTING_S) as answer,
            ):
                if answer.head.status != 200:
                    raise await _refusal(answer, key, b"")
                listed = models.windows_of(msgspec.json.decode(await answer.body(MAX_LISTING)))
                return Catalogue(models.with_listed(listed))
        except ProviderError as problem:
            reason = problem.message
        except TimeoutError:
            reason = f"The provider did not list its models within {LISTING_S:g} s; the built-in ones are shown."
        except ValueError:
            reason = "The provider's list of models could not be read; the built-in ones are shown."
        return Catalogue(models.BUILT_IN, reason)


def _decode(decoder: AnswerDecoder, payloads: Sequence[str]) -> tuple[list[Chunk], ProviderError | None]:
    """The chunks of a batch, and what went wrong behind them."""
    chunks: list[Chunk] = []
    try:
        for payload in payloads:
            chunks += decoder.feed(payload)
    except ProviderError as problem:
        return merge(chunks), problem
    return merge(chunks), None


async def _refusal(answer: Body, key: str, sent: bytes) -> ProviderError:
    """The failure of an answer that is no success, read as far as it comes within a few seconds."""
    body = b""
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(ERROR_BODY_S):
            body = await answer.body(MAX_ERROR_BODY)
    return failure.status_failure(
        answer.head.status,
        body,
        retry_after=answer.head.headers.get("retry-after"),
        now=datetime.now(UTC),
        key=key,
        sent=sent,
    )


def _call_ids(messages: Iterable[Mapping[str, Any]]) -> set[str]:
    spoken = (message.get("content") or () for message in messages if message.get("role") == "assistant")
    return {call["id"] for content in spoken for call in tool_calls_of(content)}


def usable_key(text: str | None) -> str:
    """A key that can stand in a header; ProviderError AUTH for none and for one that cannot be a key."""
    key = (text or "").strip()
    if not key:
        raise failure.no_key()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise failure.unusable_key()
    return key


def endpoint(base_url: str) -> str:
    """The address that `/chat/completions` and `/models` are appended to.

    `https://api.deepseek.com`, the same with `/`, with `/v1`, and the full address of the chat completions all work;
    a `/v1` is kept, because other servers of this dialect need it. UsageError for what is no HTTP address.
    """
    base = base_url.strip().rstrip("/").removesuffix("/chat/completions").rstrip("/")
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise UsageError(
            "The provider's address cannot be used: it must look like https://api.deepseek.com. Correct "
            "DEEPSEEK_BASE_URL."
        )
    return base
