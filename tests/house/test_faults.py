"""Every fault of a provider that is known (`tests.support.faults`), through a whole house."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon, Socket
from tests.support.faults import FAULTS, WHOLE, Fault
from tests.support.mock_model import MockModel

KEY = "sk-house-test-key"
Log = list[dict[str, Any]]


@dataclass
class Played:
    """The logs by the name of the fault, and what the strict model found wrong with any request."""

    logs: dict[str, Log]
    violations: list[str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Each fault in a session of its own, all at once, and behind it a turn that must work."""
    return asyncio.run(play_all(tmp_path_factory.mktemp("faults")))


async def play_all(folder: Path) -> Played:
    (folder / "work").mkdir()
    async with MockModel(key=KEY) as mock:
        environment = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_BASE_URL": mock.base_url}
        with Daemon(folder / "home", environment=environment) as daemon:
            async with daemon.socket() as socket:
                logs = await asyncio.gather(*(play(daemon, socket, folder / "work", name) for name in FAULTS))
    return Played(dict(zip(FAULTS, logs, strict=True)), mock.violations)


async def play(daemon: Daemon, socket: Socket, folder: Path, name: str) -> Log:
    session = await daemon.new_session(folder)
    follow = await socket.follow(session)
    await daemon.prompt(session, f"[[fault {name}]]")
    if FAULTS[name].outcome == "stopped":
        await follow.until(lambda item: item["type"] == "assistant-stream" and item["frame"]["type"] == "start")
        await daemon.acall("session/cancel", request={"sessionId": session})
    await follow.until(ENDED)
    await daemon.prompt(session, "[[say and on]]")
    await follow.until(ENDED)
    return await daemon.log(session)


def texts(log: Log) -> list[str]:
    contents = [message["message"]["content"] for message in of(log, "assistant/message")]
    return ["".join(block["text"] for block in content if block["type"] == "text") for content in contents]


def failures(log: Log) -> list[str]:
    """The codes of the attempts that failed."""
    rows = [row for attempt in of(log, "assistant/attempt") for row in attempt["stream"] if row["type"] == "chunk"]
    return [row["chunk"]["reason"]["failure"]["code"] for row in rows if row["chunk"]["type"] == "finish"]


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_has_the_right_outcome_and_harms_no_later_turn(played: Played, name: str) -> None:
    fault, log = FAULTS[name], played.logs[name]
    first, second = (end["reason"] for end in of(log, "turn/end"))
    assert second == {"kind": "completed"}
    assert texts(log)[-1] == "and on"
    assert KEY not in str(log)
    check(fault, log, first)


def check(fault: Fault, log: Log, ended: dict[str, Any]) -> None:
    said = [text for text in texts(log)[:-1] if text]
    assert len(of(log, "tool/call")) == fault.runs
    match fault.outcome:
        case "answered":
            assert (ended, said, failures(log)) == ({"kind": "completed"}, [fault.says], [])
        case "retried":
            assert (ended, said, failures(log)) == ({"kind": "completed"}, [WHOLE], [fault.code])
        case "failed":
            assert (ended["error"]["code"], said, failures(log)) == (fault.code, [], [fault.code])
            assert "<" not in ended["error"]["message"]
        case "stopped":
            assert ended["kind"] == "aborted"


def test_no_request_behind_a_fault_is_refused(played: Played) -> None:
    assert played.violations == []
