"""Odd answers of a model: nothing of them runs by accident, poisons the history, or looks like success."""

from pathlib import Path
from typing import Any

import pytest

from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

BAD_ARGUMENTS = [
    '{"command": "git commit -m \\"x}',
    "null",
    "[]",
    '"str"',
    '{"a":1}{"a":1}',
    '{"command":"a\x01b"}',
    "{" * 3000,
    "x" * 200_000,
]


async def turn(daemon: Daemon, folder: Path, *prompts: str) -> list[dict[str, Any]]:
    """The log after the turns of these prompts."""
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for prompt in prompts:
            await daemon.prompt(session, prompt)
            await follow.until(ENDED)
    return await daemon.log(session)


async def test_f02_malformed_arguments_are_told_and_the_next_turn_works(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    calls = [Call("run_command", arguments) for arguments in BAD_ARGUMENTS]
    mock.add(*(Reply(calls=[call]) for call in calls), Reply(text="I give up."), Reply(text="fine"))
    log = await turn(daemon, folder, "go", "and again")
    errors = [result["error"] for result in of(log, "tool/result")]
    assert [error["code"] for error in errors] == ["INVALID_ARGS"] * len(BAD_ARGUMENTS)
    assert all(len(result["message"]["content"][0]["text"]) < 1000 for result in of(log, "tool/result"))
    assert [call["arguments"] for call in of(log, "tool/call")] == BAD_ARGUMENTS
    assert of(log, "turn/end")[-1]["reason"] == {"kind": "completed"}


async def test_f02_no_arguments_are_an_empty_object(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(calls=[Call("list_files", "")]), Reply(text="seen"))
    (result,) = of(await turn(daemon, folder, "go"), "tool/result")
    assert result["message"]["isError"] is False


@pytest.mark.parametrize("cut", ['{"path":"a.txt","content":"half of', '{"path":"a.txt"}'])
async def test_a21_calls_of_an_answer_that_hit_the_limit_do_not_run(
    daemon: Daemon, mock: MockModel, folder: Path, cut: str
) -> None:
    whole = Call("write_file", {"path": "b.txt", "content": "x\n"})
    mock.add(Reply(calls=[whole, Call("write_file", cut)], finish="length"), Reply(text="then smaller"))
    log = await turn(daemon, folder, "go")
    assert list(folder.iterdir()) == []
    assert [result["error"]["code"] for result in of(log, "tool/result")] == ["OUTPUT_LIMIT"] * 2
    assert of(log, "turn/end")[0]["reason"] == {"kind": "completed"}


async def test_a21_after_two_more_such_answers_the_turn_stops(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(*(Reply(calls=[Call("write_file", '{"path":"a')], finish="length") for _ in range(3)))
    log = await turn(daemon, folder, "go")
    assert of(log, "turn/end")[0]["reason"] == {"kind": "max-tokens"}
    assert len(mock.requests) == 3


async def test_f14_a_text_that_hit_the_limit_says_so(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="a long story that", finish="length"), Reply(text="went on"))
    log = await turn(daemon, folder, "tell", "continue")
    assert [end["reason"]["kind"] for end in of(log, "turn/end")] == ["max-tokens", "completed"]


async def test_f13_an_empty_answer_is_tried_again_and_then_a_failure(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(), Reply(), Reply())
    log = await turn(daemon, folder, "go")
    assert of(log, "turn/end")[0]["reason"]["error"]["code"] == "EMPTY_RESPONSE"
    assert kinds(log).count("assistant/attempt") == 3
    assert kinds(log).count("assistant/message") == 0


@pytest.mark.parametrize(
    "cut",
    [
        Reply(reasoning="I was thinking", finish=None, done=False),
        Reply(text="I was saying", finish=None, done=False),
        Reply(text="", calls=[Call("run_command", {"command": "touch ran"})], finish=None, done=False),
    ],
    ids=["reasoning", "text", "call"],
)
async def test_f04_an_answer_without_an_end_is_tried_again_and_nothing_of_it_runs(
    daemon: Daemon, mock: MockModel, folder: Path, cut: Reply
) -> None:
    mock.add(cut, Reply(text="whole"))
    log = await turn(daemon, folder, "go")
    assert [m["message"]["content"] for m in of(log, "assistant/message")] == [[{"type": "text", "text": "whole"}]]
    assert kinds(log).count("assistant/attempt") == 1
    assert kinds(log).count("tool/call") == 0
    assert list(folder.iterdir()) == []


async def test_f03_a_call_that_is_always_cut_off_is_bounded(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    call = Call("run_command", {"command": "touch ran"})
    mock.add(*(Reply(calls=[call], finish=None, done=False) for _ in range(3)))
    log = await turn(daemon, folder, "go")
    assert of(log, "turn/end")[0]["reason"]["error"]["code"] == "CUT_OFF"
    assert len(mock.requests) == 3
    assert list(folder.iterdir()) == []


async def test_calls_with_the_same_id_are_answered_one_by_one(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    same = [Call("list_files", {}, id="x"), Call("list_files", {"path": "."}, id="x")]
    mock.add(Reply(calls=same), Reply(calls=[Call("list_files", {}, id="x")]), Reply(text="done"))
    log = await turn(daemon, folder, "go")
    ids = [call["callId"] for call in of(log, "tool/call")]
    assert len(ids) == len(set(ids)) == 3
    assert [result["message"]["toolCallId"] for result in of(log, "tool/result")] == ids


async def test_instruction_files_stand_once_at_the_head_nearest_last(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / ".git").mkdir()
    inner = folder / "inner"
    inner.mkdir()
    (folder / "AGENTS.md").write_text("outer rule\n")
    (inner / "AGENTS.md").write_text("inner rule\n")
    mock.add(Reply(text="a"), Reply(text="b"))
    await turn(daemon, inner, "one", "two")
    contents = [str(message.get("content")) for message in mock.requests[1].parsed["messages"]]
    rules = [content for content in contents if "inner rule" in content]
    assert len(rules) == 1
    assert rules[0].index("outer rule") < rules[0].index("inner rule")
    assert contents.index(rules[0]) == 1


async def test_an_answer_that_the_filter_cut_runs_nothing_and_is_no_success(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(calls=[Call("run_command", {"command": "touch ran"})], finish="content_filter"), Reply(text="ok"))
    log = await turn(daemon, folder, "go", "again")
    assert list(folder.iterdir()) == []
    first, second = of(log, "turn/end")
    assert first["reason"]["error"]["code"] == "CONTENT_FILTER"
    assert second["reason"] == {"kind": "completed"}
