"""The mock model: what it refuses, and that it can be a process."""

import asyncio
import base64
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import pytest

from tests.support.mock_commands import reply_to
from tests.support.mock_model import Call, MockModel, Reply

SYSTEM = {"role": "system", "content": "You are a test."}
GO = {"role": "user", "content": "go"}
CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": ""}


def body_of(*messages: Mapping[str, Any], **parameters: Any) -> bytes:
    body = {"model": "deepseek-flash", "stream": True, "messages": messages, **parameters}
    return json.dumps(body, separators=(",", ":")).encode()


async def post(url: str, body: bytes) -> tuple[int, str]:
    async with aiohttp.ClientSession() as client, client.post(f"{url}/chat/completions", data=body) as response:
        return response.status, await response.text()


REFUSED: dict[str, Sequence[Mapping[str, Any]]] = {
    "no system message": [GO],
    "system message further down": [SYSTEM, GO, SYSTEM],
    "ends with the assistant": [SYSTEM, GO, {"role": "assistant", "content": "a"}],
    "two answers in a row": [
        SYSTEM,
        GO,
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": "b"},
        GO,
    ],
    "a call without its answer": [SYSTEM, GO, CALLED, GO],
    "an answer without a call": [SYSTEM, GO, RESULT],
    "a call answered twice": [SYSTEM, GO, CALLED, RESULT, RESULT],
    "an answer too late": [SYSTEM, GO, CALLED, GO, RESULT],
    "an id used twice": [SYSTEM, GO, CALLED, RESULT, CALLED, RESULT],
    "arguments that are no object": [
        SYSTEM,
        GO,
        {**CALLED, "tool_calls": [{**CALL, "function": {"name": "ls", "arguments": "[]"}}]},
        RESULT,
    ],
    "arguments that are no json": [
        SYSTEM,
        GO,
        {**CALLED, "tool_calls": [{**CALL, "function": {"name": "ls", "arguments": '{"a'}}]},
        RESULT,
    ],
    "neither content nor calls": [SYSTEM, GO, {"role": "assistant", "content": None}, GO],
}


@pytest.mark.refused
@pytest.mark.parametrize("messages", REFUSED.values(), ids=REFUSED.keys())
async def test_strict_refuses(messages: Sequence[Mapping[str, Any]]) -> None:
    async with MockModel() as mock:
        status, text = await post(mock.base_url, body_of(*messages))
        assert status == 400
        assert "invalid_request_error" in text
        assert len(mock.violations) == 1


@pytest.mark.refused
async def test_strict_refuses_unknown_parameters_and_lenient_does_not() -> None:
    async with MockModel() as mock:
        assert (await post(mock.base_url, body_of(SYSTEM, GO, effort="high")))[0] == 400
        assert mock.violations == ["request 1: Object contains unknown field `effort`"]
    async with MockModel(strict=False) as mock:
        assert (await post(mock.base_url, body_of(GO, effort="high")))[0] == 200


@pytest.mark.refused
@pytest.mark.parametrize("reasoning", [None, "hm", "Hm "])
async def test_f01_strict_wants_the_same_reasoning_back(reasoning: str | None) -> None:
    async with MockModel(Reply(reasoning="Hm", text="Yes"), Reply(text="ok")) as mock:
        await post(mock.base_url, body_of(SYSTEM, GO))
        answer = {"role": "assistant", "content": "Yes"}
        wrong = answer if reasoning is None else {**answer, "reasoning_content": reasoning}
        assert (await post(mock.base_url, body_of(SYSTEM, GO, wrong, GO)))[0] == 400
        right = {**answer, "reasoning_content": "Hm"}
        assert (await post(mock.base_url, body_of(SYSTEM, GO, right, GO)))[0] == 200


@pytest.mark.refused
async def test_f01_reasoning_is_known_by_the_calls_and_by_the_beginning_of_a_text() -> None:
    async with MockModel(
        Reply(reasoning="A", calls=[Call("ls", {}, "c1")]), Reply(reasoning="B", text="one two")
    ) as mock:
        await post(mock.base_url, body_of(SYSTEM, GO))
        assert (await post(mock.base_url, body_of(SYSTEM, GO, CALLED, RESULT)))[0] == 400
        called = {**CALLED, "reasoning_content": "A"}
        assert (await post(mock.base_url, body_of(SYSTEM, GO, called, RESULT)))[0] == 200
        cut = {"role": "assistant", "content": "one "}
        assert (await post(mock.base_url, body_of(SYSTEM, GO, called, RESULT, cut, GO)))[0] == 400
        kept = {**cut, "reasoning_content": "B"}
        assert (await post(mock.base_url, body_of(SYSTEM, GO, called, RESULT, kept, GO)))[0] == 200


@pytest.mark.refused
async def test_law_2_the_prefix_of_a_conversation() -> None:
    answer = {"role": "assistant", "content": "ok"}
    async with MockModel() as mock:
        await post(mock.base_url, body_of(SYSTEM, GO))
        assert (await post(mock.base_url, body_of(SYSTEM, GO, answer, GO)))[0] == 200
        assert (await post(mock.base_url, body_of(SYSTEM, GO, answer, GO, answer, GO, max_tokens=5)))[0] == 200
        changed = {"role": "system", "content": "Another."}
        status, text = await post(mock.base_url, body_of(changed, GO, answer, GO, answer, GO, answer, GO))
        assert status == 400
        assert "does not begin with" in text
        mock.reset_prefix()
        assert (await post(mock.base_url, body_of(changed, GO, answer, GO)))[0] == 200


async def test_law_2_two_conversations_with_the_same_first_prompt() -> None:
    async with MockModel(Reply(text="one"), Reply(text="two")) as mock:
        for _ in range(2):
            await post(mock.base_url, body_of(SYSTEM, GO))
        for text in ("one", "two", "one"):
            answer = {"role": "assistant", "content": text}
            assert (await post(mock.base_url, body_of(SYSTEM, GO, answer, {"role": "user", "content": text})))[0] == 200
        assert mock.violations == []


async def test_usage_is_computed_from_bytes_and_prefix() -> None:
    long = {"role": "system", "content": "x" * 4000}
    async with MockModel() as mock:
        await post(mock.base_url, body_of(long, GO))
        _, text = await post(mock.base_url, body_of(long, GO, GO))
        usage = json.loads(text.split("data: ")[-2])["usage"]
        assert usage["prompt_tokens"] == len(mock.requests[1].body) // 4
        assert usage["prompt_cache_hit_tokens"] == 1024
        assert usage["prompt_cache_hit_tokens"] + usage["prompt_cache_miss_tokens"] == usage["prompt_tokens"]


def played(command: str, rounds: int = 0, attempts: int = 0) -> Reply:
    rest = [CALLED, RESULT] * rounds
    context = {"role": "user", "content": "It is Monday."}
    return reply_to(
        {
            "messages": [
                SYSTEM,
                GO,
                {"role": "assistant", "content": "ok"},
                {"role": "user", "content": command},
                context,
                *rest,
            ]
        },
        attempts,
    )


def test_commands_of_the_recordings() -> None:
    listed = [["read", {"file_path": "a"}], ["bash", {"command": "ls"}]]
    packed = base64.b64encode(json.dumps(listed).encode()).decode()
    assert played("[[fast]] again").text == "ok"
    assert played("[[slow 3 30]]").text == ["w0 ", "w1 ", "w2 "]
    assert played("[[shell echo a; [[ -f b ]]]] run").calls == [Call("run_command", {"command": "echo a; [[ -f b ]]"})]
    assert played("[[shell ls]]", 1).text == "The command printed its output. Done."
    assert [call.name for call in played(f"[[tools {packed}]]").calls] == ["read", "bash"]
    assert [call.name for call in played(f"[[tools {json.dumps(listed)}]]").calls] == ["read", "bash"]
    assert [played(f"[[seq {packed}]]", place).calls for place in range(3)] == [
        [Call("read", {"file_path": "a"})],
        [Call("bash", {"command": "ls"})],
        (),
    ]
    assert (played("[[err 429 1]]").status, played("[[err 429 1]]").headers) == (429, {"Retry-After": "1"})
    assert played("[[len]]").finish == "length"
    assert played("[[drop]]").cut_after == 3


def test_commands_of_our_own() -> None:
    steps = [{"calls": [["read_file", {"path": "a"}]], "reasoning": "Hm"}, {"text": "It says so."}]
    script = f"[[script {json.dumps(steps)}]]"
    assert played(script).calls == [Call("read_file", {"path": "a"})]
    assert played(script, 1).text == "It says so."
    assert played(script, 2).text == "Done."
    assert played('[[tool grep {"a]]').calls == [Call("grep", '{"a')]
    assert played("[[read a.txt]]").calls == [Call("read_file", {"path": "a.txt"})]
    assert played("[[read a.txt]]", 1).text == "Done."
    assert played("[[say Hello you]]").text == "Hello you"
    assert len(played("[[burst 50]]").text) == 50
    assert [played("[[flaky 500 2]]", attempts=n).status for n in range(3)] == [500, 500, 200]
    assert played("no command").text == "ok"
    assert played("[[unknown]]").text == "ok"


async def test_it_can_be_a_process() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.mock_model", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            url = (await process.stdout.readline()).decode().strip()
            status, text = await post(url, body_of(SYSTEM, {"role": "user", "content": "[[say Hello]]"}))
            assert (status, "Hello" in text) == (200, True)
            async with aiohttp.ClientSession() as client, client.get(f"{url}/_mock/violations") as response:
                assert await response.json() == []
    finally:
        process.kill()
        await process.wait()
