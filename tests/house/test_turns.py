"""Whole turns over the wire: what is logged, what followers see, and how people come in between."""

import asyncio
from pathlib import Path
from typing import Any

from hd.protocol.events import Event
from hd.protocol.projections import CLIENT, State
from hd.protocol.stream import Partial, unpack
from tests.support.daemon import Daemon, Stream, is_event, text_block
from tests.support.mock_model import Call, MockModel, Reply

ENDED = is_event("turn/end")


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["type"] == kind]


async def collect(stream: Stream) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(events, stream frames) up to the end of the turn."""
    events: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    while True:
        item = await stream.item()
        if item["type"] == "event":
            events.append(item["event"])
            if item["event"]["type"] == "turn/end":
                return events, frames
        else:
            frames.append(item["frame"])


async def test_a_plain_turn_in_exact_order(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(reasoning="Let me think.", text="The answer is 42."))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        snapshot = await follow.item()
        assert (snapshot["cursor"], snapshot["hasMore"], snapshot["assistantStream"]) == (2, False, {"revision": 0})
        await daemon.prompt(session, "what is it?", request_id="r1")
        events, frames = await collect(follow)
    assert kinds(events) == [
        "agent/inbox/spliced",
        "turn/start",
        "agent/inbox/spliced",
        "step/start",
        "system/message",
        "user/message",
        "user/message",
        "request/header",
        "request/context",
        "session/title",
        "assistant/message",
        "step/end",
        "turn/end",
    ]
    assert [event["seq"] for event in events] == list(range(3, 16))
    assert [frame["revision"] for frame in frames] == list(range(1, len(frames) + 1))
    chunks = [frame for frame in frames if frame["type"] == "chunk"]
    assert [frame["index"] for frame in chunks] == list(range(len(chunks)))
    assert frames[0]["type"] == "start"
    assert (frames[-1]["type"], frames[-1]["index"]) == ("end", len(chunks))
    assert frames[-1]["outcome"] == {"kind": "committed", "eventType": "assistant/message", "seq": 13}
    message = of(events, "assistant/message")[0]
    live, logged = Partial(), Partial()
    for frame in chunks:
        live.feed(frame["chunk"])
    for _, chunk in unpack(message["stream"]):
        logged.feed(chunk)
    assert message["message"]["content"] == live.blocks() == logged.blocks()
    assert [block["type"] for block in live.blocks()] == ["reasoning", "text"]
    assert message["usage"]["totalTokens"] == sum(
        message["usage"][name] for name in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    )
    assert of(events, "turn/end") == [{"turn": 1, "reason": {"kind": "completed"}}]
    assert mock.requests[0].headers["Authorization"] == "Bearer sk-house-test-key"


async def test_the_second_turn_repeats_nothing_and_extends_the_request(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await follow.item()
        for text in ("one", "two"):
            await daemon.prompt(session, text)
            events, _ = await collect(follow)
    assert kinds(events) == [
        "agent/inbox/spliced",
        "turn/start",
        "agent/inbox/spliced",
        "step/start",
        "user/message",
        "assistant/message",
        "step/end",
        "turn/end",
    ]
    first, second = (request.lasting for request in mock.requests)
    assert second.startswith(first)
    assert of(events, "assistant/message")[0]["usage"]["cacheReadTokens"] > 0


async def test_tools_run_in_order_and_their_results_go_back(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    (folder / "a.txt").write_text("alpha\nbeta\n")
    mock.add(
        Reply(
            reasoning="Look, then change.",
            calls=[Call("read_file", {"path": "a.txt"}), Call("grep", {"pattern": "beta"})],
        ),
        Reply(calls=[Call("edit_file", {"path": "a.txt", "old_string": "beta", "new_string": "gamma"})]),
        Reply(calls=[Call("run_command", {"command": "cat a.txt; exit 3"}), Call("no_such_tool", {})]),
        Reply(text="Changed."),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await follow.item()
        await daemon.prompt(session, "change beta to gamma")
        events, _ = await collect(follow)
    assert (folder / "a.txt").read_text() == "alpha\ngamma\n"
    calls, results = of(events, "tool/call"), of(events, "tool/result")
    assert [call["name"] for call in calls] == ["read_file", "grep", "edit_file", "run_command", "no_such_tool"]
    assert [result["message"]["isError"] for result in results] == [False, False, False, False, True]
    assert results[3]["message"]["content"][0]["text"].startswith("alpha\ngamma\n")
    assert "[exit code: 3]" in results[3]["message"]["content"][0]["text"]
    assert results[4]["error"] == {"name": "ToolNotFoundError", "code": "UNKNOWN_TOOL"}
    assert results[2]["meta"]["diffs"][0]["newText"].count("gamma") == 1
    for event in events:
        if event["type"] == "tool/result":
            (source,) = event["sourceEventSeqs"]
            called = next(other for other in events if other["seq"] == source)
            assert called["data"]["callId"] == event["data"]["message"]["toolCallId"]
    assert len(mock.requests) == 4


async def test_a_prompt_is_taken_once_by_its_request_id(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "once", request_id="same")
        await follow.until(ENDED)
        await daemon.prompt(session, "once", request_id="same")
    events = await daemon.log(session)
    assert kinds(events).count("turn/start") == 1
    assert len(mock.requests) == 1


async def test_cancel_in_the_middle_of_an_answer_keeps_it_and_parks_the_queue(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="one two three four", gates={3: gate}))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "go")
        await daemon.prompt(session, "wait", request_id="waits")
        await follow.until(lambda item: item["type"] == "assistant-stream" and "two" in str(item["frame"].get("chunk")))
        assert await daemon.acall("session/cancel", request={"sessionId": session}) == {"accepted": True}
        ended = await follow.until(ENDED)
        assert ended["event"]["data"]["reason"] == {"kind": "aborted", "reason": {"kind": "user"}}
        await mock.until(lambda: mock.gone == 1)
        events = await daemon.log(session)
        (message,) = of(events, "assistant/message")
        assert message["interrupted"] is True
        assert "usage" not in message
        assert message["message"]["content"][0]["text"].startswith("one two")
        assert kinds(events).count("turn/start") == 1
        # The parked prompt runs first when the next one comes, one turn each.
        await daemon.prompt(session, "now")
        await follow.until(ENDED)
        await follow.until(ENDED)
    asked = [data["content"][0]["text"] for data in of(await daemon.log(session), "user/message")]
    assert [text for text in asked if not text.startswith("The surr")] == ["go", "wait", "now"]


async def test_cancel_in_the_middle_of_a_command_ends_it_and_answers_its_call(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(
        Reply(calls=[Call("run_command", {"command": "echo $$ > pid; sleep 300"}), Call("grep", {"pattern": "x"})]),
        Reply(text="after"),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "go")
        await follow.until(is_event("tool/call"))
        async with asyncio.timeout(10):
            while not (folder / "pid").exists() or not (folder / "pid").read_text().strip():
                await asyncio.sleep(0)
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
        pid = int((folder / "pid").read_text())
        assert not Path(f"/proc/{pid}").exists()
        results = of(await daemon.log(session), "tool/result")
        assert [result["error"]["code"] for result in results] == ["ABORTED", "ABORTED"]
        assert "was not run" in results[1]["message"]["content"][0]["text"]
        await daemon.prompt(session, "next")
        await follow.until(ENDED)


async def test_steering_enters_the_running_turn_at_its_next_step(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="first answer", gates={1: gate}), Reply(text="second answer"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        control = await socket.open("session/control")
        await control.item()
        await daemon.prompt(session, "begin")
        await mock.until(lambda: len(mock.requests) == 1)
        await daemon.prompt(session, "and this", mode="steer")
        # Before it the first prompt may be seen to wait for a moment.
        await control.until(
            lambda item: item["type"] == "queue" and [one["placement"] for one in item["items"]] == ["steering"]
        )
        gate.set()
        await follow.until(ENDED)
    events = await daemon.log(session)
    assert kinds(events).count("turn/start") == 1
    assert kinds(events).count("step/start") == 2
    assert mock.requests[1].parsed["messages"][-1]["content"] == "and this"


async def test_a_queued_prompt_can_be_edited_steered_and_removed(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    gate = asyncio.Event()
    mock.add(Reply(text="a b", gates={1: gate}))
    session = await daemon.new_session(folder)

    async def update(item: str, **action: Any) -> Any:
        request = {"sessionId": session, "itemId": item, "action": action}
        return await daemon.acall("session/updateQueue", request=request)

    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        control = await socket.open("session/control")
        await daemon.prompt(session, "begin")
        await mock.until(lambda: len(mock.requests) == 1)
        for text in ("one", "two", "three"):
            await daemon.prompt(session, text)
        full = await control.until(lambda item: item["type"] == "queue" and len(item["items"]) == 3)
        one, two, three = (item["id"] for item in full["items"])
        await update(two, kind="remove")
        await update(one, kind="edit", content=[text_block("uno")])
        await update(three, kind="steer")
        gate.set()
        await follow.until(ENDED)
        await follow.until(ENDED)
    asked = [data["content"][0]["text"] for data in of(await daemon.log(session), "user/message")]
    assert [text for text in asked if not text.startswith("The surr")] == ["begin", "three", "uno"]


async def test_a_failed_request_is_tried_again_in_the_same_step(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(status=503, body="busy"), Reply(text="there"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await follow.item()
        await daemon.prompt(session, "hello")
        events, frames = await collect(follow)
    wanted = ["assistant/attempt", "llm/retry", "llm/retry-started", "assistant/message"]
    assert [kind for kind in kinds(events) if kind in wanted] == wanted
    assert kinds(events).count("step/start") == 1
    assert [frame["type"] for frame in frames if frame["type"] != "chunk"] == ["start", "end", "start", "end"]
    assert of(events, "llm/retry")[0]["failure"]["code"] == "SERVER"


async def test_f09_a_refused_key_ends_the_turn_with_one_plain_sentence(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    gate = asyncio.Event()
    refused = Reply(status=401, body={"error": {"message": "bad key sk-house-test-key"}}, gates={0: gate})
    mock.add(refused, Reply(text="again"))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        events_stream = await socket.open("$events")
        await daemon.prompt(session, "hello")
        await daemon.prompt(session, "queued meanwhile")
        gate.set()
        ended = await follow.until(ENDED)
        error = ended["event"]["data"]["reason"]["error"]
        assert error["code"] == "AUTH"
        assert "sk-house" not in str(await daemon.log(session))
        await events_stream.until(lambda item: item.get("event") == "api-session/error")
        await events_stream.until(lambda item: item.get("args") == [session, False])
    assert len(mock.requests) == 1


async def test_a_model_can_be_chosen_and_the_request_says_so(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    catalogue = await daemon.acall("session/modelCatalog")
    assert catalogue["default"]["provider"] == "deepseek-official"
    assert catalogue["failures"] == []
    request = {"sessionId": session, "provider": "deepseek-official", "model": "deepseek-v4-pro"}
    selected = (await daemon.acall("session/selectModel", request=request))["selected"]
    assert selected == {"provider": "deepseek-official", "model": "deepseek-v4-pro", "reasoningEffort": "high"}
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        await follow.until(ENDED)
    assert mock.requests[0].parsed["model"] == "deepseek-v4-pro"
    refused = daemon.result("session/selectModel", request={**request, "provider": "nobody"})
    assert refused["error"]["code"] == "session/model-unavailable"


async def test_what_a_client_folds_equals_what_the_daemon_says(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(calls=[Call("write_todos", {"todos": [{"id": "1", "text": "a", "status": "pending"}]})]))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "hello")
        await follow.until(ENDED)
    start = State.initial(CLIENT, workingDirectory=str(folder), agentPreset="standard")
    folded = start.fold(Event.from_wire(event) for event in await daemon.log(session))
    said = await daemon.acall("session/projections", request={"sessionId": session})
    # These two begin with what the header says, which is no event.
    from_header = {"agentPreset": "standard", "workingDirectory": str(folder)}
    # Prices are the daemon's: a client has none to fold by.
    assert said["values"].pop("cost")["requests"] == 2
    assert said["values"].pop("budget") is None
    assert said["values"].pop("cache")["requests"] == 2
    assert folded.views() | from_header == said["values"]
    assert folded.values["todos"] == ({"id": "1", "content": "a", "status": "pending"},)


async def test_a_cancel_that_overtakes_the_start_of_a_turn_leaves_the_session_usable(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for _ in range(60):
            await asyncio.gather(
                daemon.prompt(session, "hello"), daemon.acall("session/cancel", request={"sessionId": session})
            )
        await daemon.acall("session/cancel", request={"sessionId": session})
        await daemon.prompt(session, "the last one")
        await follow.until(
            lambda item: (
                item["type"] == "event"
                and item["event"]["type"] == "user/message"
                and item["event"]["data"]["content"][0]["text"] == "the last one"
            )
        )
        await follow.until(ENDED)


async def test_a_session_is_not_answered_by_another_model_than_its_own(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)

    async def turn() -> dict[str, Any]:
        async with daemon.socket() as socket:
            follow = await socket.follow(session)
            await daemon.prompt(session, "hello")
            return dict((await follow.until(ENDED))["event"]["data"]["reason"])

    mock.add(Reply(text="from the model"), Reply(text="from it again"))
    assert await turn() == {"kind": "completed"}
    key = daemon.environment.pop("DEEPSEEK_API_KEY")
    daemon.stop()
    daemon.start()
    reason = await turn()
    assert "`hd key set` stores one" in reason["error"]["message"]
    daemon.environment["DEEPSEEK_API_KEY"] = key
    daemon.stop()
    daemon.start()
    assert await turn() == {"kind": "completed"}
    assert [entry["role"] for entry in mock.requests[-1].parsed["messages"]][-3:] == ["assistant", "user", "user"]
