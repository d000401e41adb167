"""Questions answered by the call that asked them, and what is kept of them (WIRE 14, `userQuestions`)."""

from pathlib import Path
from typing import Any

import pytest

from tests.house.test_asks import is_waterfall, listen
from tests.house.test_commands import value
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

QUESTION = {"id": "db", "question": "Which one?", "options": [{"label": "SQLite"}, {"label": "Postgres"}]}
ASK = Call("ask_user_question", {"questions": [QUESTION]}, "call_q")
ANSWER = {"answers": [{"id": "db", "selected": ["SQLite"]}]}


async def put(daemon: Daemon, session: str, answer: Any, call: str = "call_q") -> dict[str, Any]:
    return daemon.result("userQuestions/answer", agentId=session, callId=call, answer=answer)


@pytest.fixture
async def session(daemon: Daemon, mock: MockModel, folder: Path) -> str:
    mock.add(Reply(calls=[ASK]), Reply(text="thanks"))
    return await daemon.new_session(folder)


async def test_a_question_is_answered_by_its_call(daemon: Daemon, session: str) -> None:
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        follow = await socket.follow(session)
        assert await value(daemon, session, "userQuestions") == {"active": [], "settled": []}
        await daemon.prompt(session, "ask me")
        waterfall = await events.until(is_waterfall)
        waiting = await socket.open("userQuestions/attachWait", agentId=session, callId="call_q")
        active = {"callId": "call_q", "questions": waterfall["request"]["questions"], "state": "open"}
        assert await value(daemon, session, "userQuestions") == {"active": [active], "settled": []}
        assert (await put(daemon, session, ANSWER, "call_other"))["value"] is False
        for wrong in ({"answers": [{"id": "db", "selected": ["Oracle"]}]}, {"answers": [{"id": "x", "selected": []}]}):
            assert (await put(daemon, session, wrong))["error"]["code"] == "gateway/input-invalid"
        assert (await put(daemon, session, ANSWER))["value"] is True
        assert await events.until(lambda item: item["type"] == "cancel") == {
            "type": "cancel",
            "eventId": waterfall["eventId"],
        }
        assert (await waiting.frame())["type"] == "end"
        await follow.until(ENDED)
        late = await socket.open("userQuestions/attachWait", agentId=session, callId="call_q")
        assert (await late.frame())["type"] == "end"
    assert (await put(daemon, session, ANSWER))["value"] is False
    settled = [{"callId": "call_q", **ANSWER}]
    assert await value(daemon, session, "userQuestions") == {"active": [], "settled": settled}
    (result,) = of(await daemon.log(session), "tool/result")
    assert result["message"]["isError"] is False
    daemon.kill()
    daemon.start()
    assert await value(daemon, session, "userQuestions") == {"active": [], "settled": settled}


async def test_a_cancelled_turn_leaves_no_question(daemon: Daemon, session: str) -> None:
    async with daemon.socket() as socket:
        events, _ = await listen(socket)
        await daemon.prompt(session, "ask me")
        await events.until(is_waterfall)
        waiting = await socket.open("userQuestions/attachWait", agentId=session, callId="call_q")
        await daemon.acall("session/cancel", request={"sessionId": session})
        assert (await waiting.frame())["type"] == "end"
    assert (await put(daemon, session, ANSWER))["value"] is False
    assert await value(daemon, session, "userQuestions") == {"active": [], "settled": []}
