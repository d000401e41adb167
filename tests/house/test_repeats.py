"""An agent that turns in circles is told, and then its person decides."""

from pathlib import Path
from typing import Any

import pytest

from tests.house.test_asks import is_waterfall, listen
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply


@pytest.mark.parametrize(("answer", "made"), [("Stop the turn", 6), ("Go on", 20)])
async def test_f17_the_same_call_twenty_times(
    daemon: Daemon, mock: MockModel, folder: Path, answer: str, made: int
) -> None:
    (folder / "a.txt").write_text("x\n")
    mock.add(*[Reply(calls=[Call("grep", {"pattern": "x"}, f"call_{n}")]) for n in range(20)], Reply(text="done"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        follow = await socket.follow(session)
        await daemon.prompt(session, "look")
        for asked in range(6, made + 1, 6):
            waterfall = await events.until(is_waterfall)
            (question,) = waterfall["request"]["questions"]
            assert f"{asked}th time" in question["question"]
            outcome: dict[str, Any] = {"answers": [{"id": question["id"], "selected": [answer]}]}
            call = f"call_{asked - 1}"
            assert await daemon.acall("userQuestions/answer", agentId=session, callId=call, answer=outcome)
        ended = await follow.until(ENDED)
    log = await daemon.log(session)
    results = [str(data["message"]["content"]) for data in of(log, "tool/result")]
    assert len(results) == made
    assert ["same call" in result for result in results[:6]] == [False, False, True, True, True, True]
    reason = ended["event"]["data"]["reason"]
    assert reason == {"kind": "completed"} if answer == "Go on" else reason["error"]["code"] == "REPEATED_CALL"
