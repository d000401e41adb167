"""Compaction by itself: when it comes, what it leaves, and how it ends where it does not help (cases G02, G04)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.house.test_commands import execute, turns, value
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

SMALL = 32_000
"""The window of the model `small`: it is summed up at 25,600 tokens, of which system prompt and tools take 6,000."""

LONG = "so it goes on and on " * 2_300
"""A little more than 10,000 tokens."""

OVERFLOW = Reply(status=400, body={"error": {"message": "This model's maximum context length is 20000 tokens."}})


pytestmark = pytest.mark.asyncio(loop_scope="module")
"""One daemon and one model for all of it; each test has a session of its own."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[MockModel]:
    listed = [{"id": "small", "context_length": SMALL}, {"id": "large", "context_length": 200_000}]
    async with MockModel(models_reply=Reply(body={"object": "list", "data": listed})) as running:
        yield running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, model: MockModel) -> Iterator[Daemon]:
    environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": model.base_url}
    with Daemon(tmp_path_factory.mktemp("house") / "home", environment=environment) as running:
        yield running


@pytest.fixture
def mock(model: MockModel) -> Iterator[MockModel]:
    """The model as if it had just been started; it must never have had to answer 400."""
    model.reset_prefix()
    model.requests.clear()
    yield model
    assert model.violations == []


async def session_of(daemon: Daemon, folder: Path, model: str = "small") -> str:
    session = await daemon.new_session(folder)
    await daemon.acall("session/modelCatalog")
    wish = {"sessionId": session, "provider": "deepseek-official", "model": model}
    await daemon.acall("session/selectModel", request=wish)
    return session


def sent(mock: MockModel, place: int = -1) -> list[str]:
    return [str(message["content"]) for message in mock.requests[place].parsed["messages"]]


async def test_g02_a_long_history_is_summed_up_before_the_next_prompt_and_what_waits_runs_behind_it(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder)
    mock.add(Reply(text=LONG), Reply(text=LONG))
    await turns(daemon, session, "never touch x.txt", "two")
    gate = asyncio.Event()
    mock.add(Reply(text="They went on.", gates={0: gate}))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "three")
        await mock.until(lambda: len(mock.requests) == 3)
        await daemon.prompt(session, "four")
        gate.set()
        for _ in range(2):
            await follow.until(ENDED)
    events = await daemon.log(session)
    third = [kind for kind in kinds(events) if not kind.startswith("agent/")]
    start = third.index("compaction/start")
    assert third[start - 3 : start + 8] == [
        *("turn/start", "step/start", "user/message"),
        *("compaction/start", "compaction/summary", "user/message", "compaction/end"),
        *("user/message", "assistant/message", "step/end", "turn/end"),
    ]
    (end,) = of(events, "compaction/end")
    assert end["turn"] == 3
    assert "sourceCommandId" not in end
    (summary,) = of(events, "compaction/summary")
    assert summary["tokensBefore"] > 25_600 > 12_000 > summary["tokensAfter"]
    assert [text for text in sent(mock, 3) if LONG in text] == []
    assert "<prompt>\nnever touch x.txt\n</prompt>" in sent(mock, 3)[1]
    assert sent(mock, 3)[2] == "three"
    assert "four" in sent(mock)
    # Each request has its line, the one for the summary too; and nothing happens while nobody asks for anything.
    assert (await value(daemon, session, "cost"))["requests"] == len(mock.requests) == 5


async def test_g02_within_a_turn_old_results_are_shortened_where_that_is_enough(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / "a.txt").write_text("".join(f"line {n} of a long file\n" for n in range(1_600)))
    session = await session_of(daemon, folder)
    read = Call("read_file", {"path": "a.txt"})
    gate = asyncio.Event()
    mock.add(Reply(calls=[read]), Reply(calls=[read], gates={0: gate}), Reply(text="done"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "work through it")
        await mock.until(lambda: len(mock.requests) == 2)
        mock.reset_prefix()
        gate.set()
        await follow.until(ENDED)
    events = await daemon.log(session)
    (pruned,) = of(events, "compaction/prune")
    assert pruned["tokensAfter"] < 19_200 < 25_600 < pruned["tokensBefore"]
    assert len(mock.requests) == 3
    # The first result was made short where it stood, the one that the model had not seen yet was not.
    results = [message for message in mock.requests[2].parsed["messages"] if message["role"] == "tool"]
    assert ["Shortened later" in result["content"] for result in results] == [True, False]
    assert pruned["results"][0]["text"] == results[0]["content"]
    assert len(results[0]["content"]) < 2_000 < 10_000 < len(results[1]["content"])
    assert of(events, "tool/result")[0]["message"]["content"][0]["text"] == results[1]["content"]


async def test_g02_within_a_turn_its_own_steps_are_summed_up(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    (folder / "b.txt").write_text("short\n")
    session = await session_of(daemon, folder)
    talk = Reply(text=LONG, calls=[Call("read_file", {"path": "b.txt"})])
    mock.add(talk, talk, Reply(text="Two steps so far."), Reply(text="done"))
    await turns(daemon, session, "work through it")
    events = await daemon.log(session)
    (summary,) = of(events, "compaction/summary")
    assert [end["turn"] for end in of(events, "compaction/end")] == [1]
    assert summary["summary"] == [{"type": "text", "text": "Two steps so far."}]
    last = mock.requests[-1].parsed["messages"]
    # What was told of the surroundings and of the tree went with the older part, and is told again.
    assert [message["role"] for message in last] == ["system", "user", "assistant", "tool", "user", "user"]
    assert "<prompt>\nwork through it\n</prompt>" in last[1]["content"]
    assert of(events, "turn/end")[0]["reason"] == {"kind": "completed"}


async def test_g02_a_request_that_is_too_long_is_sent_once_more_after_one_compaction(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder, "large")
    mock.add(Reply(text=LONG), OVERFLOW, Reply(text="A short story."), Reply(text="two it is"))
    await turns(daemon, session, "one", "two")
    events = await daemon.log(session)
    assert of(events, "turn/end")[-1]["reason"] == {"kind": "completed"}
    assert "A short story." in sent(mock)[1]
    # The request for the summary was made to fit: it held the older part as a text, and no tools.
    asked = mock.requests[2].parsed
    assert "tools" not in asked
    assert len(asked["messages"]) == 2
    assert "The person: one" in asked["messages"][1]["content"]
    # Once, and no more: a request that is still too long ends the turn.
    mock.add(OVERFLOW, Reply(text="Shorter."), OVERFLOW)
    await turns(daemon, session, "three")
    reason = of(await daemon.log(session), "turn/end")[-1]["reason"]
    assert reason["error"]["code"] == "CONTEXT_OVERFLOW"
    assert len(mock.requests) == 7


async def test_g02_a_summary_that_overflows_or_is_cut_is_asked_for_in_smaller_form(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder, "large")
    await turns(daemon, session, "one", "two")
    mock.add(OVERFLOW, Reply(text="half", finish="length"), Reply(text="At last."))
    said = (await execute(daemon, session, "/compact keep the name of the ship"))["result"]
    assert said["kind"] == "success"
    assert "It cost" in said["text"] or "not known" in said["text"]
    events = await daemon.log(session)
    ends = of(events, "compaction/end")
    assert [end.get("error", {}).get("code") for end in ends] == ["CONTEXT_OVERFLOW", "SUMMARY_UNUSABLE", None]
    assert [end.get("again", False) for end in ends] == [True, True, False]
    assert all(start["instruction"].endswith("keep the name of the ship") for start in of(events, "compaction/start"))
    # What was cut was paid for all the same.
    assert ends[1]["usage"]["outputTokens"] > 0
    assert (await value(daemon, session, "cost"))["requests"] == 4


async def test_g02_after_two_compactions_that_do_not_help_the_person_is_asked(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder)
    full = {"prompt_tokens": 26_000, "completion_tokens": 5}
    mock.add(Reply(text="1", usage=full))
    for number in (2, 3):
        mock.add(Reply(text="A summary."), Reply(text=str(number), usage=full))
    await turns(daemon, session, "one", "two", "three", "four")
    events = await daemon.log(session)
    assert len(of(events, "compaction/summary")) == 2
    assert len(mock.requests) == 5
    reason = of(events, "turn/end")[-1]["reason"]
    assert reason["error"]["code"] == "CONTEXT_FULL"
    assert "summing it up twice" in reason["error"]["message"]
    assert "26,0" in reason["error"]["message"]
    # Who goes on all the same is not stopped again, and a model with more room starts anew.
    mock.add(Reply(text="4", usage=full))
    await turns(daemon, session, "go on")
    assert of(await daemon.log(session), "turn/end")[-1]["reason"] == {"kind": "completed"}
    assert len(mock.requests) == 6
    wish = {"sessionId": session, "provider": "deepseek-official", "model": "large"}
    await daemon.acall("session/selectModel", request=wish)
    await turns(daemon, session, "and on")
    assert len(of(await daemon.log(session), "compaction/summary")) == 2


async def test_g02_no_summary_is_asked_for_past_the_budget(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await session_of(daemon, folder, "deepseek-flash")
    await turns(daemon, session, "one", "two")
    for cap, whose in (("0", "this session cost"), ("off", ""), ("day 0", "all sessions of today cost")):
        await execute(daemon, session, f"/budget {cap}")
        said = whose and (await execute(daemon, session, "/compact"))["result"]
        assert not whose or (said["kind"], whose in said["text"]) == ("error", True)
    await execute(daemon, session, "/budget day off")
    assert of(await daemon.log(session), "compaction/start") == []


async def test_g04_rules_outlive_three_compactions_word_for_word(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    rule = "Write every comment in French."
    (folder / "AGENTS.md").write_text(f"{rule}\n")
    session = await daemon.new_session(folder)
    await turns(daemon, session, "never touch secrets/keys.txt, whatever happens")
    todos = [{"id": "1", "text": "tune the engine", "status": "pending"}]
    mock.add(Reply(calls=[Call("write_todos", {"todos": todos})]), Reply(text="noted"))
    for number in range(3):
        await turns(daemon, session, f"part {number} " + "x" * 3_000, f"part {number} again")
        mock.add(Reply(text=f"Summary {number}."))
        assert (await execute(daemon, session, "/compact"))["result"]["kind"] == "success"
        mock.reset_prefix()
    await turns(daemon, session, "go on")
    texts = sent(mock)
    assert rule in texts[1]
    assert "never touch secrets/keys.txt, whatever happens" in texts[2]
    assert "- [pending] tune the engine" in texts[2]
    assert "Summary 2." in texts[2]
    assert not any("Summary 1." in text for text in texts)


async def test_g07_a_model_with_a_smaller_window_is_warned_of_and_the_larger_one_sums_up_first(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder, "large")
    mock.add(*[Reply(text=LONG)] * 3)
    await turns(daemon, session, "one", "two", "three")
    models = (await daemon.acall("session/modelCatalog"))["groups"][0]["models"]
    assert {model["id"]: model["contextWindow"] for model in models}["small"] == SMALL
    wish = {"sessionId": session, "provider": "deepseek-official", "model": "small"}
    answer = await daemon.acall("session/selectModel", request=wish)
    assert answer["selected"] == {key: wish[key] for key in ("provider", "model")} | {"reasoningEffort": "high"}
    assert "32,000" in answer["warning"]
    assert len(mock.requests) == 3
    mock.add(Reply(text="Three stories."), Reply(text="short"))
    await turns(daemon, session, "four")
    asked = [request.parsed["model"] for request in mock.requests[3:]]
    assert asked == ["large", "small"]
    assert of(await daemon.log(session), "turn/end")[-1]["reason"] == {"kind": "completed"}
    back = await daemon.acall("session/selectModel", request={**wish, "model": "large"})
    assert "warning" not in back


async def test_a_person_stops_a_turn_while_it_sums_up_and_nothing_is_lost(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await session_of(daemon, folder)
    mock.add(Reply(text=LONG), Reply(text=LONG))
    await turns(daemon, session, "one", "two")
    gate = asyncio.Event()
    mock.add(Reply(text="never", gates={0: gate}))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "three")
        await mock.until(lambda: len(mock.requests) == 3)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
        gate.set()
        events = await daemon.log(session)
        assert of(events, "turn/end")[-1]["reason"]["kind"] == "aborted"
        assert of(events, "compaction/end")[-1]["error"] == {"message": "stopped", "code": "STOPPED"}
        mock.reset_prefix()
        mock.add(Reply(text="They told stories."))
        await daemon.prompt(session, "go on")
        await follow.until(ENDED)
    assert "three" in sent(mock)
    assert "They told stories." in sent(mock)[1]
