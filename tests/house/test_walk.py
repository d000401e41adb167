"""A whole walk: a real public package with a planted fault is mended, tested and reported, kills or not."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hd.billing.bill import total
from hd.billing.fold import fold
from hd.protocol.events import Event
from hd.protocol.projections.transcript import TRANSCRIPT
from pricing import estimate
from tests.house.packages import unpack
from tests.house.test_followers import Reader, read_turn
from tests.house.test_kills import kept_answers, lives, says, until
from tests.house.test_turns import ENDED, kinds, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

FILE = "pathspec/util.py"
GOOD, BAD = "norm_file = norm_file[2:]", "norm_file = norm_file[1:]"
LINE = "\t\t# Remove current directory prefix.\n\t\t"
TESTS = f"{sys.executable} -m unittest -q"


@dataclass(frozen=True)
class Package:
    """The unpacked package; `original` are the bytes of the file before the fault was planted."""

    root: Path
    original: bytes


@pytest.fixture
def package(tmp_path: Path) -> Package:
    root = unpack(tmp_path / "unpacked")
    original = (root / FILE).read_bytes()
    assert original.count(GOOD.encode()) == 1
    (root / FILE).write_bytes(original.replace(GOOD.encode(), BAD.encode()))
    # Python takes its cache for current by the second and the size: the fault must be older than what mends it.
    os.utime(root / FILE, (1_700_000_000, 1_700_000_000))
    return Package(root, original)


def find_it() -> list[Reply]:
    return [
        Reply(
            reasoning="First see what fails.",
            text="I run the tests.",
            calls=[Call("run_command", {"command": TESTS})],
        ),
        Reply(calls=[Call("grep", {"pattern": "Remove current directory prefix", "path": "pathspec"})]),
        Reply(
            reasoning="The slice looks wrong.",
            calls=[
                Call("read_file", {"path": FILE, "offset": 440, "limit": 20}),
                Call("list_files", {"path": "tests"}),
            ],
        ),
    ]


def mend_it() -> Reply:
    edit = {"path": FILE, "old_string": LINE + BAD, "new_string": LINE + GOOD}
    return Reply(text="The prefix has two characters.", calls=[Call("edit_file", edit)])


def check_it(command: str = TESTS) -> Reply:
    return Reply(calls=[Call("run_command", {"command": command})])


REPORT = Reply(text="The slice cut one character instead of two; all tests of the package pass now.")


def texts(log: Sequence[dict[str, Any]]) -> list[str]:
    return [result["message"]["content"][0]["text"] for result in of(list(log), "tool/result")]


def check_ledger(log: list[dict[str, Any]], mock: MockModel) -> None:
    """The ledger's rows are what the model said it used, and its sum is plain arithmetic over them."""
    events = [Event.from_wire(event) for event in log]
    ledger = fold(events)
    billed = [attempt.usage for attempt in ledger.attempts if attempt.usage is not None]
    messages = [message for message in of(log, "assistant/message") if "usage" in message]
    assert billed == [message["usage"] for message in messages]
    assert len(ledger.attempts) == len(mock.requests)
    amounts = [
        estimate(attempt.usage, provider="deepseek-official", model="deepseek-flash", at_ms=attempt.time).amount
        for attempt in ledger.attempts
        if attempt.usage is not None
    ]
    assert total(ledger).amount == sum((amount for amount in amounts if amount is not None), Decimal(0)) > 0


def check_requests(mock: MockModel) -> None:
    bodies = [request.lasting for request in mock.requests]
    for earlier, later in pairwise(bodies):
        assert later.startswith(earlier)


async def test_the_fault_is_found_mended_tested_and_reported(daemon: Daemon, mock: MockModel, package: Package) -> None:
    mock.add(*find_it(), mend_it(), check_it(), REPORT)
    session = await daemon.new_session(package.root)
    reader = Reader()
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        reader.take(await follow.item())
        await daemon.prompt(session, "The tests of this package fail. Find out why and mend it.")
        await read_turn(follow, reader)
    log = await daemon.log(session)
    assert (package.root / FILE).read_bytes() == package.original
    assert [call["name"] for call in of(log, "tool/call")] == [
        "run_command",
        "grep",
        "read_file",
        "list_files",
        "edit_file",
        "run_command",
    ]
    results = texts(log)
    assert "FAILED (failures=1)" in results[0]
    assert f"{FILE}:448" in results[1] or "448" in results[1]
    assert BAD in results[2]
    assert "FAILED" not in results[5]
    assert "OK" in results[5]
    rows = reader.rows()
    assert rows == list(TRANSCRIPT.fold(Event.from_wire(event) for event in log).rows)
    assert [row.status for row in rows if row.kind == "tool"] == ["done"] * 6
    assert rows[-1].text == REPORT.text
    assert reader.texts[-1] == REPORT.text
    usage = (await daemon.acall("session/projections", request={"sessionId": session}))["values"]["tokenUsage"]
    assert usage["outputTokens"] == sum(message["usage"]["outputTokens"] for message in of(log, "assistant/message"))
    assert usage["cacheReadTokens"] > usage["uncachedInputTokens"]
    check_ledger(log, mock)
    check_requests(mock)


async def test_the_same_walk_with_a_kill_in_the_middle_of_an_answer(
    daemon: Daemon, mock: MockModel, package: Package
) -> None:
    slow = Reply(text=[f"thought{n} " for n in range(1000)], delay_s=0.02)
    mock.add(*find_it(), slow, mend_it(), check_it(), REPORT)
    session = await daemon.new_session(package.root)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "The tests of this package fail. Find out why and mend it.")
        await follow.until(lambda item: says(item, "thought1 "))
        await until(lambda: kept_answers(daemon.home) == 1)
    daemon.kill()
    daemon.start()
    reader = Reader()
    async with daemon.socket() as socket:
        follow = await socket.follow(session, maxMessages=100)
        reader.take(await follow.item())
        await daemon.prompt(session, "You were interrupted; go on.")
        await read_turn(follow, reader)
    log = await daemon.log(session)
    assert (package.root / FILE).read_bytes() == package.original
    assert kinds(log).count("tool/call") == 6
    assert "OK" in texts(log)[-1]
    interrupted = [message for message in of(log, "assistant/message") if message.get("interrupted")]
    assert [message["message"]["content"][0]["text"][:9] for message in interrupted] == ["thought0 "]
    assert [end["reason"]["kind"] for end in of(log, "turn/end")] == ["interrupted", "completed"]
    assert reader.rows()[-1].text == REPORT.text
    check_ledger(log, mock)
    check_requests(mock)


async def test_the_same_walk_with_a_kill_in_the_middle_of_a_tool(
    daemon: Daemon, mock: MockModel, package: Package
) -> None:
    began = package.root / "began"
    mock.add(*find_it(), mend_it(), check_it(f"echo $$ >> began; {TESTS}; sleep 300"), check_it(), REPORT)
    session = await daemon.new_session(package.root)
    async with daemon.socket() as socket:
        await socket.follow(session)
        await daemon.prompt(session, "The tests of this package fail. Find out why and mend it.")
        await until(lambda: began.exists() and bool(began.read_text().strip()))
    daemon.kill()
    daemon.start()
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "You were interrupted; go on.")
        await follow.until(ENDED)
    log = await daemon.log(session)
    assert (package.root / FILE).read_bytes() == package.original
    (pid,) = (int(line) for line in began.read_text().split())
    assert not lives(pid)
    errors = [result["error"]["code"] for result in of(log, "tool/result") if "error" in result]
    assert errors == ["ABORTED"]
    assert "OK" in texts(log)[-1]
    assert [end["reason"]["kind"] for end in of(log, "turn/end")] == ["interrupted", "completed"]
    check_ledger(log, mock)
    check_requests(mock)
