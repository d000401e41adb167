"""A recording is read as what it was recorded from: chunks, boundaries, failures; and it costs nobody a turn."""

import asyncio
import os
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.cli.tape import outcome
from hd.llm.base import Chunk, ProviderError
from hd.llm.deepseek import DeepSeek
from hd.llm.tape.form import Tape, TapeUnusable, load
from hd.llm.tape.player import Player, Replay
from hd.llm.tape.recorder import Recorder
from hd.llm.tape.veil import Veil
from hd.protocol.messages import tool_message
from tests.llm.ask import KEY, answered, attempt, chunks_of, human, partial_of, request_of
from tests.support.faults import FAULTS
from tests.support.mock_model import Call, MockModel, Reply

HOME = "/home/somebody"
VEIL = Veil({"hunter2hunter2": ".env/TOKEN"}, HOME)


def recorder_in(folder: Path, **limits: Any) -> Recorder:
    return Recorder(folder / "recordings", lambda: VEIL, "hd of a test", **limits)


async def recorded(path: Path, recorder: Recorder) -> Tape:
    await recorder.aclose()
    return load(path.read_bytes())


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.outcome != "stopped"])
async def test_every_fault_of_a_provider_is_played_as_it_was(tmp_path: Path, name: str) -> None:
    recorder = recorder_in(tmp_path)
    await recorder.begin(path := tmp_path / "tape")
    request = request_of("go", tools=["list_files"])
    async with MockModel(FAULTS[name].reply, key=KEY, strict=False) as mock:
        provider = DeepSeek(mock.base_url, lambda: KEY, idle_s=0.2, recorder=recorder)
        there = await attempt(provider, request)
        await provider.aclose()
    tape = await recorded(path, recorder)
    (one,) = tape.attempts
    differences: list[str] = []
    player = Player(tape.attempts, VEIL, contents=False, differs=lambda which, text: differences.append(text))
    replay = Replay(player, "deepseek-flash")
    here = await attempt(replay, request)
    assert _said(here[0]) == _said(there[0])
    assert _end(here) == _end(there)
    assert differences == []
    assert (await outcome(one)).gist == one.outcome.gist
    with pytest.raises(ProviderError, match="at its end"):
        await chunks_of(replay, request)


def _said(chunks: list[Chunk]) -> list[Any]:
    """The blocks; an id that the provider did not give is made anew each time."""
    return [block | {"id": ""} if "id" in block else block for block in partial_of(chunks).blocks()]


def _end(played: tuple[list[Chunk], ProviderError | None]) -> Any:
    chunks, problem = played
    return (problem.code, problem.message, problem.status) if problem is not None else chunks[-1]


async def test_pieces_keep_their_boundaries_and_a_conversation_is_held_once(tmp_path: Path) -> None:
    recorder = recorder_in(tmp_path)
    await recorder.begin(path := tmp_path / "tape")
    prompt, gate = human("Read it"), asyncio.Event()
    replies = (
        Reply(text=["In ", HOME[:7], f"{HOME[7:]}/x"], calls=[Call("grep", {"pattern": "x"}, "c1")], gates={1: gate}),
        Reply(text="Done."),
    )
    async with MockModel(*replies, key=KEY) as mock:
        provider = DeepSeek(mock.base_url, lambda: KEY, recorder=recorder)
        first = []
        async with aclosing(provider.stream(request_of(prompt, tools=["grep"]))) as batches:
            async for batch in batches:
                first += batch
                gate.set()
        more = (answered(*partial_of(first).blocks()), tool_message("c1", "hunter2hunter2", is_error=False))
        await chunks_of(provider, request_of(prompt, *more, tools=["grep"]))
        await provider.aclose()
    tape = await recorded(path, recorder)
    raw = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    lines = [msgspec.json.decode(line) for line in raw.splitlines()]
    assert [(line["kept"], len(line["messages"])) for line in lines[1:]] == [(0, 2), (2, 2)]
    assert [len(one.messages) for one in tape.attempts] == [2, 4]
    assert list(tape.conversations()) == [prompt["id"]]
    for hidden in (HOME, "hunter2hunter2", KEY):
        assert hidden not in raw.decode()
    played = []
    player = Player(tape.attempts[:1], VEIL, contents=False)
    async with aclosing(Replay(player, "deepseek-flash").stream(request_of(prompt, tools=["grep"]))) as pieces:
        async for batch in pieces:
            played.append(batch)
    said = [chunk["text"] for batch in played for chunk in batch if chunk["type"] == "text-delta"]
    assert (said[0], "".join(said)) == ("In ", "In ~/x")


async def test_where_a_request_differs_is_said(tmp_path: Path) -> None:
    recorder = recorder_in(tmp_path)
    await recorder.begin(path := tmp_path / "tape", contents=True)
    async with MockModel(Reply(text="ok"), Reply(text="ok"), Reply(text="ok"), key=KEY, strict=False) as mock:
        provider = DeepSeek(mock.base_url, lambda: KEY, recorder=recorder)
        for _ in range(3):
            await chunks_of(provider, request_of("go there", tools=["grep"]))
        await provider.aclose()
    tape = await recorded(path, recorder)
    told: list[str] = []
    replay = Replay(Player(tape.attempts, VEIL, contents=True, differs=lambda _, text: told.append(text)), "m")
    for request in (
        request_of("go home", tools=["grep"]),
        request_of("go there", tools=["ls"]),
        request_of("go there", "now", tools=["grep"]),
    ):
        await chunks_of(replay, request)
    assert told == [
        "message 2 (user) says in content, from character 3 on, 'home' instead of 'there'",
        "its tools differ",
        "it has 3 messages, the recorded one 2",
    ]


def _no_folder(folder: Path) -> None:
    (folder / "recordings").write_text("in the way")


def _locked(folder: Path) -> None:
    (folder / "recordings").mkdir()
    (folder / "recordings").chmod(0o500)


@pytest.mark.parametrize(
    "spoil",
    [
        _no_folder,
        pytest.param(_locked, marks=pytest.mark.skipif(os.geteuid() == 0, reason="root writes into any folder")),
    ],
)
async def test_a_file_that_cannot_be_made_is_one_sentence(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(tmp_path)
    recorder = recorder_in(tmp_path)
    with pytest.raises(TapeUnusable, match="cannot be written"):
        await recorder.begin()
    assert recorder.recording.state == "off"
    await recorder.aclose()


async def test_a_recording_that_cannot_go_on_costs_no_turn(tmp_path: Path) -> None:
    recorder = recorder_in(tmp_path, largest=2_000)
    await recorder.begin(path := tmp_path / "tape")
    async with MockModel(*(Reply(text="word " * 40) for _ in range(3)), key=KEY, strict=False) as mock:
        provider = DeepSeek(mock.base_url, lambda: KEY, recorder=recorder)
        for number in range(3):
            assert (await chunks_of(provider, request_of(f"go {number}")))[-1]["type"] == "finish"
        await provider.aclose()
    await recorder.end()
    stopped = recorder.recording
    assert (stopped.state, stopped.path) == ("stopped", path)
    assert "has grown to" in stopped.why
    assert path.stat().st_size <= 2_000
    assert len((await recorded(path, recorder)).attempts) == stopped.attempts


async def test_a_disk_that_is_full_stops_the_recording_only(tmp_path: Path) -> None:
    recorder = recorder_in(tmp_path)
    await recorder.begin(path := tmp_path / "tape")
    os.dup2(os.open("/dev/full", os.O_WRONLY), recorder._file.stream.fileno())  # type: ignore[union-attr]
    async with MockModel(Reply(text="ok"), key=KEY) as mock:
        provider = DeepSeek(mock.base_url, lambda: KEY, recorder=recorder)
        assert (await chunks_of(provider, request_of("go")))[-1]["type"] == "finish"
        await provider.aclose()
    await recorder.end()
    assert "No space left" in recorder.recording.why
    await recorder.aclose()
    assert load(path.read_bytes()).attempts == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "first line"),
        (b"{}\n", "first line"),
        (b"\x00\xff\n\n", "first line"),
        (b'{"tape":9,"program":"x","time":1}\n', "form 9"),
        (b'{"tape":1,"program":"x","time":1}\nnonsense\n', "Line 2"),
        (b'{"tape":1,"program":"x","time":1}\n{"number":"one"}\n', "Line 2"),
        (
            b'{"tape":1,"program":"x","time":1}\n{"number":1,"time":1,"conversation":"c","prompts":[],"kept":3,'
            b'"messages":[],"request":{}}\n',
            "attempt 1",
        ),
        (
            b'{"tape":1,"program":"x","time":1}\n{"number":1,"time":1,"conversation":"c","prompts":[],"kept":0,'
            b'"messages":[],"request":{},"pieces":[{"at":1,"base64":"?"}]}\n',
            "Line 2",
        ),
    ],
)
def test_what_is_no_recording_is_told_in_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(TapeUnusable, match=said):
        load(data)


def test_a_line_that_was_cut_off_is_left_out() -> None:
    tape = load(b'{"tape":1,"program":"x","time":1}\n{"number":1,"ti')
    assert (tape.attempts, tape.torn) == ((), True)
