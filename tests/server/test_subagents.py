"""Skills and subagents where there are none: the truth in the dialect's words (WIRE 10.5, 10.6)."""

from typing import Any

from tests.support.daemon import Daemon, text_block


def test_there_are_no_skills(shared: Daemon, session: str) -> None:
    assert shared.call("skills/list", request={"sessionId": session}) == {"skills": []}
    error = shared.result("skills/list", request={"sessionId": "session-none"})["error"]
    assert error["code"] == "session/not-found"


def test_a_child_that_is_none_is_not_found(shared: Daemon, session: str) -> None:
    ids = {"parentSessionId": session, "childSessionId": "child"}
    request: dict[str, Any] = {
        "requestId": "r",
        "mode": "continuable",
        "delivery": "queue",
        "content": [text_block("hello")],
    }
    for result in (
        shared.result("subagents/prompt", request={**request, **ids}),
        shared.result("subagents/interruptByParent", mode="continuable", **ids),
    ):
        assert (result["error"]["code"], result["error"]["details"]) == ("subagent/not-found", ids)
    ids["parentSessionId"] = "session-none"
    assert shared.result("subagents/prompt", request={**request, **ids})["error"]["code"] == "session/not-found"


def test_what_a_session_says_of_itself(shared: Daemon, session: str) -> None:
    values = shared.call("session/projections", request={"sessionId": session})["values"]
    assert (values["subagent"], values["subagentCatalog"], values["subagentTiming"]) == (None, [], {"settledMs": 0})
    assert (values["plan"], values["goal"], values["agentPreset"]) == (
        {"active": False, "pending": False},
        None,
        "standard",
    )
    assert values["contextBreakdown"] == {"systemTokens": 0, "toolsTokens": 0, "messageTokens": 0}
    assert values["workingDirectory"].endswith("work")
    assert "image/png" in values["imageLimits"]["mediaTypes"]
