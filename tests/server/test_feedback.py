"""`messageFeedback/*` and `sessionFeedback/*`: results inside results, guarded by versions (WIRE 10.6)."""

from typing import Any

import pytest

from tests.support.daemon import Daemon, is_event


def put(daemon: Daemon, session: str, message: str, version: str | None, **more: Any) -> dict[str, Any]:
    request = {"sessionId": session, "messageId": message, "rating": "positive", "ifVersion": version, **more}
    return dict(daemon.call("messageFeedback/put", request=request))


def listed(daemon: Daemon, session: str) -> Any:
    return daemon.call("messageFeedback/list", request={"sessionId": session})


@pytest.fixture
async def message(shared: Daemon, session: str) -> str:
    """The id of an answer in `session`."""
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await shared.prompt(session, "[[fast]]")
        said = await follow.until(is_event("assistant/message"))
        await follow.until(is_event("turn/end"))
    return str(said["event"]["data"]["message"]["id"])


def test_an_answer_is_rated_changed_and_forgotten(shared: Daemon, session: str, message: str) -> None:
    assert listed(shared, session) == {"ok": True, "value": {"items": []}}
    first = put(shared, session, message, None, note="well done", category="task-result")
    assert first["ok"] is True
    item = first["value"]
    assert (item["messageId"], item["rating"], item["note"]) == (message, "positive", "well done")
    assert listed(shared, session)["value"]["items"] == [item]
    stale = put(shared, session, message, None)
    assert stale == {"ok": False, "error": {"code": "version-conflict", "current": item}}
    second = put(shared, session, message, item["version"], rating="negative")["value"]
    assert (second["rating"], second["createdAt"], "note" in second) == ("negative", item["createdAt"], False)
    request = {"sessionId": session, "messageId": message, "ifVersion": item["version"]}
    assert shared.call("messageFeedback/delete", request=request)["error"]["current"] == second
    request["ifVersion"] = second["version"]
    for _ in range(2):
        assert shared.call("messageFeedback/delete", request=request) == {"ok": True, "value": {"absent": True}}
    assert listed(shared, session)["value"]["items"] == []


def test_what_cannot_be_rated_says_why(shared: Daemon, session: str, message: str) -> None:
    target = {"code": "target-not-found", "sessionId": session, "messageId": "nope"}
    assert put(shared, session, "nope", None)["error"] == target
    assert put(shared, session, message, "x")["error"] == {"code": "version-conflict", "current": None}
    assert put(shared, session, message, None, note=" ")["error"] == {"code": "note-blank"}
    long = put(shared, session, message, None, note="é" * 3000)["error"]
    assert long == {"code": "note-too-large", "maxBytes": 4096, "actualBytes": 6000}
    missing = {"ok": False, "error": {"code": "session-not-found", "sessionId": "session-none"}}
    assert put(shared, "session-none", message, None) == missing
    assert listed(shared, "session-none") == missing


async def test_a_word_about_the_session_stands_in_its_log(shared: Daemon, session: str) -> None:
    request = {"sessionId": session, "text": "slow", "category": "service-stability"}
    recorded = await shared.acall("sessionFeedback/record", request=request)
    assert recorded == {"ok": True, "value": {"recorded": True}}
    last = (await shared.log(session))[-1]
    assert (last["type"], last["data"]) == ("feedback/record", {"text": "slow", "category": "service-stability"})
    request["category"] = "weather"
    assert shared.result("sessionFeedback/record", request=request)["error"]["code"] == "gateway/input-invalid"
