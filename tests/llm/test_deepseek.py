"""The driver against a provider on a real socket."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hd.errors import UsageError
from hd.llm import carrier, deepseek
from hd.llm.base import Waiting
from hd.llm.carrier import proxy_of
from hd.llm.deepseek import DeepSeek, endpoint
from hd.protocol.messages import tool_message
from tests.llm.ask import KEY, answered, attempt, check_order, chunks_of, ended, human, partial_of, request_of
from tests.support.mock_model import Call, MockModel, Reply


@asynccontextmanager
async def provider_of(mock: MockModel, **limits: Any) -> AsyncIterator[DeepSeek]:
    provider = DeepSeek(mock.base_url, lambda: KEY, **limits)
    try:
        yield provider
    finally:
        await provider.aclose()


async def test_a_turn_with_reasoning_a_call_and_its_answer() -> None:
    replies = (
        Reply(reasoning="I should look.", text="I look.", calls=[Call("grep", {"pattern": "x"}, "c1")]),
        Reply(text="Found it."),
    )
    async with MockModel(*replies, key=KEY) as mock, provider_of(mock) as provider:
        prompt = human("Look for x")
        first = await chunks_of(provider, request_of(prompt, tools=["grep"]))
        check_order(first)
        answer = answered(*partial_of(first).blocks())
        result = tool_message("c1", "a.py:1: x", is_error=False)
        second = await chunks_of(provider, request_of(prompt, answer, result, tools=["grep"]))
        assert mock.violations == []
        assert [block["type"] for block in ended(first)] == ["reasoning", "text", "tool-call"]
        assert first[-1] == {"type": "finish", "reason": {"kind": "tool-calls"}}
        assert ended(second) == [{"type": "text", "text": "Found it."}]
        assert second[-2]["usage"]["cacheReadTokens"] > 0
        assert mock.requests[1].body.startswith(mock.requests[0].lasting)
        assert mock.requests[0].headers["Authorization"] == f"Bearer {KEY}"
        assert mock.requests[0].peer == mock.requests[1].peer


async def test_deltas_arrive_while_the_answer_is_being_written() -> None:
    gate = asyncio.Event()
    async with (
        MockModel(Reply(text="one two", gates={1: gate})) as mock,
        provider_of(mock) as provider,
        aclosing(provider.stream(request_of("go"))) as batches,
    ):
        assert (await anext(batches))[-1]["text"] == "one "
        gate.set()
        rest = [chunk async for batch in batches for chunk in batch]
        assert [chunk["text"] for chunk in rest if chunk["type"] == "text-delta"] == ["two"]


async def test_a_burst_is_a_few_batches() -> None:
    words = [f"w{number} " for number in range(5000)]
    async with MockModel(Reply(text=words, batch=0)) as mock, provider_of(mock) as provider:
        batches = [batch async for batch in provider.stream(request_of("go"))]
        assert len(batches) < 100
        assert ended([chunk for batch in batches for chunk in batch])[0]["text"] == "".join(words)


async def test_a_reader_that_falls_behind_gets_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrier, "MAX_BUFFERED", 1000)
    words = [f"w{number} " for number in range(5000)]
    async with MockModel(Reply(text=words, batch=10)) as mock, provider_of(mock) as provider:
        assert ended(await chunks_of(provider, request_of("go")))[0]["text"] == "".join(words)


def test_the_http_client_is_not_loaded_before_it_is_needed() -> None:
    check = "import sys, hd.llm.deepseek, hd.llm.demo; sys.exit(bool({'httpx', 'anyio', 'aiohttp'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


UNFINISHED = {
    "in reasoning": {"reasoning": "a b c"},
    "in text": {"text": "a b c"},
    "in a call": {"calls": [Call("rm", {"path": "everything"})]},
}


@pytest.mark.parametrize("content", UNFINISHED.values(), ids=UNFINISHED.keys())
@pytest.mark.parametrize("end", [{"finish": None, "done": False}, {"finish": None}, {"cut_after": 2}])
async def test_f04_an_early_end_is_never_taken_for_the_whole(content: dict[str, Any], end: dict[str, Any]) -> None:
    async with MockModel(Reply(**content, **end)) as mock, provider_of(mock) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == "CUT_OFF"
        assert chunks[0]["type"] == "block-start"
        assert not [chunk for chunk in chunks if chunk["type"] in ("block-end", "finish")]


async def test_f04_usage_that_came_before_a_cut_is_kept() -> None:
    usage = {"prompt_tokens": 4, "completion_tokens": 1}
    async with MockModel(Reply(text="a", finish=None, usage=usage)) as mock, provider_of(mock) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert chunks[-1]["type"] == "usage"


async def test_a_drop_behind_the_finish_loses_nothing() -> None:
    async with MockModel(Reply(text="a", cut_after=2)) as mock, provider_of(mock) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is None
        assert chunks[-1]["type"] == "finish"


async def test_a_drop_before_the_answer_is_a_matter_of_transport() -> None:
    async with MockModel(Reply(text="a", cut_after=0)) as mock, provider_of(mock) as provider:
        _, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == "TRANSPORT"


@pytest.mark.parametrize("keep_alive", [None, 0.02])
async def test_f06_silence_is_bounded_and_comments_are_silence(keep_alive: float | None) -> None:
    stall = Reply(text="a b", cut_after=1, stall=True, keep_alive=keep_alive)
    async with MockModel(stall) as mock, provider_of(mock, idle_s=0.2) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == "TIMEOUT"
        assert ("queue" in failure.message) is (keep_alive is not None)
        assert chunks[-1]["text"] == "a "
        await mock.until(lambda: mock.gone == 1)


async def test_f06_a_provider_that_answers_nothing_at_all() -> None:
    async with asyncio.timeout(10):
        accepted: list[asyncio.StreamWriter] = []
        server = await asyncio.start_server(lambda _reader, writer: accepted.append(writer), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            provider = DeepSeek(f"http://127.0.0.1:{port}", lambda: KEY, idle_s=0.1)
            _, failure = await attempt(provider, request_of("go"))
            await provider.aclose()
            for writer in accepted:
                writer.close()
        assert failure is not None
        assert failure.code == "TIMEOUT"


async def test_f06_comments_before_the_answer_do_no_harm() -> None:
    gate = asyncio.Event()
    told: list[Waiting | None] = []

    def tell(waiting: Waiting | None) -> None:
        told.append(waiting)
        gate.set()

    async with MockModel(Reply(text="ok", comments=3, gates={0: gate})) as mock, provider_of(mock) as provider:
        chunks = [chunk async for batch in provider.stream(request_of("go"), tell) for chunk in batch]
        assert ended(chunks)[0]["text"] == "ok"
    assert told[-1] is None
    assert {waiting.reason for waiting in told[:-1] if waiting is not None} == {"queue"}


async def test_f06_a_queued_request_is_borne_longer_than_silence() -> None:
    waits = Reply(cut_after=0, stall=True, keep_alive=0.02)
    async with MockModel(waits) as mock, provider_of(mock, idle_s=0.1, queued_s=0.5) as provider:
        told: list[Waiting | None] = []
        _, failure = await attempt(provider, request_of("go"), told.append)
        assert failure is not None
        assert failure.code == "TIMEOUT"
        assert len(told) > 10


async def test_a_netrc_file_does_not_stand_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("default login somebody password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with MockModel(Reply(text="ok")) as mock, provider_of(mock) as provider:
        assert ended(await chunks_of(provider, request_of("go")))[0]["text"] == "ok"
        assert mock.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "https://api.example/v1", None),
        ({"https_proxy": "http://p:1"}, "https://api.example/v1", "http://p:1"),
        ({"https_proxy": "http://p:1", "no_proxy": "api.example"}, "https://api.example/v1", None),
        ({"http_proxy": "http://p:1"}, "http://127.0.0.1:9/v1", None),
        ({"all_proxy": "http://p:1"}, "https://api.example/v1", "http://p:1"),
    ],
)
def test_the_proxy_is_the_one_of_the_environment(
    environment: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(url) == proxy


async def test_f06_closing_the_iterator_closes_the_connection_at_once() -> None:
    async with MockModel(Reply(text="a b", cut_after=1, stall=True)) as mock, provider_of(mock) as provider:
        async with asyncio.timeout(1), aclosing(provider.stream(request_of("go"))) as batches:
            await anext(batches)
        await mock.until(lambda: mock.gone == 1, 1)


async def test_f06_cancelling_the_reader_closes_the_connection_at_once() -> None:
    async with MockModel(Reply(cut_after=0, stall=True)) as mock, provider_of(mock) as provider:
        reader = asyncio.create_task(attempt(provider, request_of("go")))
        await mock.until(lambda: len(mock.requests) == 1)
        reader.cancel()
        async with asyncio.timeout(1):
            with pytest.raises(asyncio.CancelledError):
                await reader
        await mock.until(lambda: mock.gone == 1, 1)


@pytest.mark.parametrize(
    ("headers", "retry_after"), [({"Retry-After": "2"}, 2000), ({"Retry-After": "999999"}, 999_999_000), ({}, None)]
)
async def test_f08_rate_limit(headers: dict[str, str], retry_after: int | None) -> None:
    async with MockModel(Reply(status=429, headers=headers)) as mock, provider_of(mock) as provider:
        _, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.to_wire().get("providerRetryAfterMs") == retry_after
        assert failure.code == "RATE_LIMIT"


async def test_f08_a_spent_quota_is_no_rate_limit() -> None:
    spent = Reply(status=429, body={"error": {"message": "quota exhausted"}})
    async with MockModel(spent) as mock, provider_of(mock) as provider:
        _, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == "QUOTA"


PAGE = "<!doctype html><title>502</title>"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(status=400), "INVALID_REQUEST"),
        (Reply(status=401), "AUTH"),
        (Reply(status=402), "QUOTA"),
        (Reply(status=422), "INVALID_REQUEST"),
        (Reply(status=302, headers={"Location": "http://127.0.0.1:1/"}), "INVALID_REQUEST"),
        (Reply(status=500, body=b""), "SERVER"),
        (Reply(status=502, body=PAGE), "SERVER"),
        (Reply(status=503), "SERVER"),
        (Reply(body=PAGE), "INVALID_REQUEST"),
        (Reply(body={"error": {"message": "Insufficient Balance"}}), "QUOTA"),
        (Reply(body={"error": {"message": "boom"}}), "SERVER"),
        (Reply(body={"hello": "world"}), "CUT_OFF"),
        (Reply(raw=b""), "CUT_OFF"),
        (Reply(raw=b'data: {"error":{"message":"overloaded"}}\n\n'), "SERVER"),
        (Reply(raw=b"data: no json\n\n"), "SERVER"),
    ],
)
async def test_f09_status_classes(reply: Reply, code: str) -> None:
    async with MockModel(reply) as mock, provider_of(mock) as provider:
        _, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == code
        assert KEY not in failure.message
        assert "<" not in failure.message


async def test_f09_a_refused_key_is_not_shown() -> None:
    async with MockModel(key="sk-another") as mock, provider_of(mock) as provider:
        _, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert (failure.code, failure.status) == ("AUTH", 401)
        assert KEY[-4:] not in failure.message


async def test_what_came_before_an_error_in_the_stream_is_delivered() -> None:
    raw = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"error":{"message":"x"}}\n\n'
    async with MockModel(Reply(raw=raw)) as mock, provider_of(mock) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert [chunk["type"] for chunk in chunks] == ["block-start", "text-delta"]


async def test_an_answer_that_is_not_streamed_is_read_as_well() -> None:
    message = {"role": "assistant", "content": "Yes"}
    whole = Reply(body={"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    async with MockModel(whole) as mock, provider_of(mock) as provider:
        assert ended(await chunks_of(provider, request_of("go"))) == [{"type": "text", "text": "Yes"}]


STREAM = (
    "\ufeff: keep-alive\r\n\r\n"
    'data: {"choices":null}\r\n\r\n'
    'data: {"choices":[{"index":0,"delta":{"content":"你好 "}}]}\r\n\r\n: keep-alive\n\n'
    'data: {"choices":[{"index":0,\ndata: "delta":{"content":"world"}}]}\n\n'
    'data: {"id":"keep-alive","choices":[]}\n\n'
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_cache_hit_tokens":4}}\n\n'
    "data: [DONE]\n\n"
).encode()


@pytest.mark.parametrize("size", [1, 2, 7, 64, 10_000])
async def test_f10_f11_odd_events_in_odd_packets(size: int) -> None:
    raw = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    async with MockModel(Reply(raw=raw)) as mock, provider_of(mock) as provider:
        chunks = await chunks_of(provider, request_of("go"))
        assert ended(chunks) == [{"type": "text", "text": "你好 world"}]
        assert chunks[-2]["usage"]["cacheReadTokens"] == 4


async def test_f10_missing_usage_is_no_usage() -> None:
    async with MockModel(Reply(text="ok", usage=None)) as mock, provider_of(mock) as provider:
        assert all(chunk["type"] != "usage" for chunk in await chunks_of(provider, request_of("go")))


@pytest.mark.parametrize("reply", [Reply(), Reply(reasoning="Only a thought.")])
async def test_f13_an_empty_answer_is_a_failure_with_its_usage(reply: Reply) -> None:
    async with MockModel(reply) as mock, provider_of(mock) as provider:
        chunks, failure = await attempt(provider, request_of("go"))
        assert failure is not None
        assert failure.code == "EMPTY_RESPONSE"
        assert chunks[-1]["type"] == "usage"


async def test_f14_a_cut_by_length_is_told_as_such() -> None:
    async with MockModel(Reply(text="Once upon", finish="length")) as mock, provider_of(mock) as provider:
        assert (await chunks_of(provider, request_of("go")))[-1]["reason"] == {"kind": "max-tokens"}


async def test_h01_figures_of_the_cache_go_through_once() -> None:
    figures = {"prompt_cache_hit_tokens": 90, "prompt_tokens_details": {"cached_tokens": 90}}
    usage = {"prompt_tokens": 100, "completion_tokens": 1, **figures}
    async with MockModel(Reply(text="ok", usage=usage)) as mock, provider_of(mock) as provider:
        found = (await chunks_of(provider, request_of("go")))[-2]["usage"]
        assert (found["inputTokens"], found["cacheReadTokens"], found["totalTokens"]) == (10, 90, 101)


async def test_a_call_id_of_the_conversation_is_not_used_again() -> None:
    reply = Reply(calls=[Call("ls", {}, "c1")])
    async with MockModel(reply, reply) as mock, provider_of(mock) as provider:
        first = answered(*ended(await chunks_of(provider, request_of("go"))))
        again = await chunks_of(provider, request_of("go", first, tool_message("c1", "", is_error=False)))
        assert ended(again)[0]["id"] != "c1"


async def test_nobody_listens() -> None:
    async with MockModel() as mock:
        url = mock.base_url
    provider = DeepSeek(url, lambda: KEY)
    _, failure = await attempt(provider, request_of("go"))
    await provider.aclose()
    assert failure is not None
    assert failure.code == "TRANSPORT"
    assert "no connection" in failure.message


@pytest.mark.parametrize(
    ("key", "words"), [(None, "No API key"), (" ", "No API key"), ("a b", "hd key set"), ("ключ", "hd key set")]
)
async def test_a_key_that_cannot_be_one_is_not_sent(key: str | None, words: str) -> None:
    async with MockModel() as mock:
        provider = DeepSeek(mock.base_url, lambda: key)
        _, failure = await attempt(provider, request_of("go"))
        await provider.aclose()
        assert failure is not None
        assert failure.code == "AUTH"
        assert words in failure.message
        assert mock.requests == []


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/chat/completions", "/v1/chat/completions/"])
async def test_forms_of_the_address(suffix: str) -> None:
    async with MockModel() as mock:
        provider = DeepSeek(mock.base_url + suffix, lambda: f" {KEY}\n")
        assert ended(await chunks_of(provider, request_of("go")))[0]["text"] == "ok"
        await provider.aclose()


@pytest.mark.parametrize(
    "url", ["", "api.deepseek.com", "ftp://x", "http://", "http://x?token=1", "http://x:99999", "http://[x"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UsageError, match="DEEPSEEK_BASE_URL"):
        endpoint(url)


async def test_the_catalogue_adds_what_the_provider_lists_and_asks_once() -> None:
    async with MockModel(models=["deepseek-flash", "deepseek-next"]) as mock, provider_of(mock) as provider:
        found, again = await asyncio.gather(provider.catalogue(), provider.catalogue())
        assert found is again
        assert found.failure is None
        assert [model.id for model in found.models] == [
            "deepseek-flash",
            "deepseek-v4-flash",
            "deepseek-v4-pro",
            "deepseek-next",
        ]
        assert mock.listings == 1
        unlisted = provider.model("deepseek-next")
        assert (unlisted.context_window, unlisted.max_output) == (128_000, None)
        assert provider.model("unheard-of").default_effort == "high"


@pytest.mark.parametrize(
    "reply", [Reply(status=500), Reply(body=b"no json"), Reply(body={"data": 5}), Reply(stall=True)]
)
async def test_a_catalogue_that_fails_says_why(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deepseek, "LISTING_S", 0.2)
    async with MockModel(models_reply=reply) as mock, provider_of(mock) as provider:
        found = await provider.catalogue()
        assert found.failure
        assert len(found.models) == 3
        assert (await provider.catalogue()).failure == found.failure
        assert mock.listings == 1


async def test_a_catalogue_without_a_key_asks_nobody() -> None:
    async with MockModel() as mock:
        provider = DeepSeek(mock.base_url, lambda: None)
        assert "No API key" in ((await provider.catalogue()).failure or "")
        assert mock.listings == 0
