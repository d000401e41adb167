"""`agentPresets/*`: which there are, what they are, and that a session keeps the one it began with (WIRE 10.4)."""

from tests.support.daemon import Daemon, is_event


async def test_the_presets_are_listed_and_read(shared: Daemon) -> None:
    (listed,) = shared.call("agentPresets/list")["presets"]
    assert (listed["id"], listed["isDefault"], listed["order"]) == ("standard", True, 1)
    read = shared.call("agentPresets/read", agentPreset="standard")
    assert read["agentPreset"] == "standard"
    assert "run_command" in read["content"]
    error = shared.result("agentPresets/read", agentPreset="nope")["error"]
    assert (error["code"], error["details"]) == (
        "agent-preset/not-found",
        {"agentPreset": "nope", "available": ["standard"]},
    )


async def test_a_blank_session_takes_a_preset_and_one_that_began_keeps_its_own(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        events = await socket.open("$events")
        await events.item()
        assert await shared.acall("agentPresets/select", agentId=session, agentPreset="standard") == "standard"
        emitted = await events.until(lambda item: item.get("event") == "agent-preset/selected")
        assert emitted["args"] == [session, "standard"]
        follow = await socket.follow(session)
        snapshot = await follow.item()
        assert snapshot["records"][-1]["event"]["data"] == {"agentPreset": "standard"}
        assert snapshot["projections"]["values"]["agentPreset"] == "standard"
        assert shared.result("agentPresets/select", agentId=session, agentPreset="nope")["error"]["code"] == (
            "agent-preset/not-found"
        )
        await shared.prompt(session, "[[fast]]")
        await follow.until(is_event("turn/end"))
    error = shared.result("agentPresets/select", agentId=session, agentPreset="standard")["error"]
    assert (error["code"], error["details"]) == (
        "agent-preset/locked",
        {"sessionId": session, "agentPreset": "standard"},
    )
