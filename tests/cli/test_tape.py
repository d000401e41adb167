"""`hd record` and `hd replay`: what one run was told, another one is told without a provider."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.errors import CANCELLED, DONE, FAILED, PROVIDER, USAGE
from tests.cli.command import hd, loaded
from tests.cli.conftest import KEY


def said(events: list[dict[str, Any]]) -> list[Any]:
    """What a log says of answers and calls, without what is its own: ids and times."""
    kinds = ("assistant/message", "tool/call", "llm/retry", "turn/end")
    told = [line["event"] for line in events if line["type"] == "event" and line["event"]["type"] in kinds]
    return [(event["type"], _plain(event["data"])) for event in told]


def _plain(data: dict[str, Any]) -> Any:
    content = (data.get("message") or {}).get("content") if isinstance(data.get("message"), dict) else None
    return [block.get("text") or block.get("name") for block in content or ()] or data.get("name") or data.get("reason")


def test_a_run_is_recorded_checked_and_played(home: Path, folder: Path, model: dict[str, str]) -> None:
    (folder / "notes.txt").write_text("the note\n")
    file = folder.parent / "tape.jsonl"
    args = ("--json", "--workspace", str(folder), "--permission", "read-only")
    first = hd("run", *args, "--record", str(file), "[[read notes.txt]]", home=home, more=model)
    assert (first.code, first.err) == (DONE, f"hd: Recorded: 2 requests, {file.stat().st_size:,} bytes in {file}\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert KEY not in file.read_text()
    assert "the note" not in file.read_text()
    checked = hd("replay", "--check", str(file), home=home)
    assert checked.code == DONE
    assert checked.out.splitlines() == [
        "1  200  call of read_file; ended with tool-calls",
        "2  200  text; ended with stop",
        "2 of 2 answers are read as they were.",
    ]
    played = loaded("replay", "--json", "--workspace", str(folder), str(file), home=home)
    assert (played.code, played.err) == (DONE, "")
    assert said(played.lines()) == said(first.lines())
    (folder / "notes.txt").unlink()
    other = loaded("replay", "--workspace", str(folder), str(file), home=home)
    assert "Request 1 is not as it was recorded: it has 3 messages, the recorded one 4." in other.err
    assert (other.code, loaded("run", *args, "--record", str(file), "hi", home=home, more=model).code) == (DONE, FAILED)


def test_an_answer_that_is_read_otherwise_is_told(home: Path, folder: Path, model: dict[str, str]) -> None:
    file = folder.parent / "tape.jsonl"
    args = ("--workspace", str(folder), "--record", str(file))
    assert loaded("run", *args, "[[err 400]]", home=home, more=model).code == PROVIDER
    lines = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    lines[1]["outcome"]["failure"] = "QUOTA"
    file.write_bytes(b"\n".join(map(msgspec.json.encode, lines)) + b'\n{"number":2,')
    checked = loaded("replay", "--check", str(file), home=home)
    assert checked.code == FAILED
    assert re.fullmatch(
        r"1  400  nothing; failed with INVALID_REQUEST: .+  \(was: nothing; failed with QUOTA: .+\)\n"
        r"0 of 1 answers are read as they were.\n",
        checked.out,
    )
    assert "was cut off" in checked.err


@pytest.mark.long
def test_a_daemon_records_while_it_is_wanted(home: Path, folder: Path, model: dict[str, str]) -> None:
    assert hd("web", "--background", "--port", "0", home=home, more=model).code == DONE
    assert hd("record", home=home).out == "Nothing is recorded; `hd record on` begins.\n"
    assert loaded("run", "--workspace", str(folder), "[[fast]]", home=home, more=model).code == DONE
    begun = hd("record", "on", home=home).out
    file = Path(begun.split(" in ", 1)[1].strip())
    assert file.parent == home / "recordings"
    assert loaded("run", "--workspace", str(folder), "[[say recorded]]", home=home, more=model).code == DONE
    refused = loaded("run", "--record", str(folder / "x"), "--workspace", str(folder), "hi", home=home, more=model)
    assert "`hd record on`" in refused.sentence()
    assert "2 requests" in hd("record", "off", home=home).out  # One is for the title.
    assert loaded("run", "--workspace", str(folder), "[[fast]]", home=home, more=model).code == DONE
    assert loaded("replay", "--check", str(file), home=home).out.endswith("2 of 2 answers are read as they were.\n")
    assert "recorded" in loaded("replay", "--workspace", str(folder), str(file), home=home).out


def test_a_turn_that_was_stopped_stops_there_again(home: Path, folder: Path, model: dict[str, str]) -> None:
    file = folder.parent / "tape.jsonl"
    attempt = {"number": 1, "time": 1, "conversation": "c", "prompts": ["Go"], "kept": 0, "messages": []}
    event = {"choices": [{"index": 0, "delta": {"content": "Half of"}, "finish_reason": None}]}
    piece = {"at": 1, "text": f"data: {msgspec.json.encode(event).decode()}\n\n"}
    answer = {"request": {"model": "m"}, "status": 200, "end": "left", "pieces": [piece], "outcome": {"stopped": True}}
    lines = ({"tape": 1, "program": "hd", "time": 1}, attempt | answer)
    file.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    played = hd("replay", "--workspace", str(folder), str(file), home=home)
    assert played.code == CANCELLED
    assert "Half of" in played.out


@pytest.mark.parametrize(
    ("args", "code"),
    [(("no-such-file",), FAILED), (("notes",), FAILED), (("empty", "--conversation", "2"), USAGE)],
)
def test_what_cannot_be_played_is_one_sentence(home: Path, folder: Path, args: tuple[str, ...], code: int) -> None:
    (folder / "notes").write_text("no recording")
    (folder / "empty").write_text('{"tape":1,"program":"hd","time":1}\n')
    ran = hd("replay", str(folder / args[0]), *args[1:], home=home)
    assert ran.code == code
    ran.sentence()
