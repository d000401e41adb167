"""The chat: prompts, steering, queue, the Ctrl+C ladder, scrolling (rows T5 to T8, cases J13, J16, J24)."""

from pathlib import Path

import pytest
from textual.events import Paste

from htui.errors import AnswerLost, RemoteError
from tests.htui.screens.stage import SESSION, stage
from tests.support.scripted import ScriptedLink

NARROW = [(80, 24), (40, 15), (20, 10)]


def queue_value(*texts: str) -> dict[str, object]:
    items = [
        {
            "id": f"q{place}",
            "content": [{"type": "text", "text": text}],
            "source": {"kind": "user", "rpcId": f"x{place}"},
        }
        for place, text in enumerate(texts)
    ]
    return {"next-turn": items, "next-step": []}


async def test_a_prompt_is_sent_shown_as_sent_and_then_recorded(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("hello there")
        await s.press("enter")
        await s.sees("Sent · waiting for the host")
        (call,) = [args for name, args in s.link.calls if name == "session/prompt"]
        request = call["request"]
        assert request["mode"] == "queue"
        assert request["sessionId"] == SESSION
        assert request["content"] == [{"type": "text", "text": "hello there"}]
        s.log.begin("hello there", request["requestId"])
        s.log.say("General Kenobi")
        s.log.end()
        await s.sees("❯ You", "✦ Assistant", "General Kenobi")
        await s.misses("Sent ·")


async def test_t7_two_quick_prompts_are_queue_and_steer(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        for text in ("one", "two"):
            await s.type(text)
            await s.press("enter")
        modes = [args["request"]["mode"] for name, args in s.link.calls if name == "session/prompt"]
        assert modes == ["queue", "steer"]


async def test_a_prompt_that_was_refused_comes_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["session/prompt"] = RemoteError("session/agent-busy", "The agent is busy.")
        await s.type("hello")
        await s.press("enter")
        await s.sees("Not sent: The agent is busy.", "❯ hello")


def sent_ids(link: ScriptedLink) -> list[str]:
    return [args["request"]["requestId"] for name, args in link.calls if name == "session/prompt"]


FULL = RemoteError("store/full", "The disk is full.")


async def test_a_prompt_that_failed_is_sent_again_under_its_id_and_another_text_under_its_own(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["session/prompt"] = FULL
        await s.type("hello")
        for times in (1, 2):
            await s.press("enter")
            await s.until(lambda times=times: len(sent_ids(s.link)) == times and s.chat.editor.text == "hello")  # type: ignore[misc]
        await s.type("o")
        await s.press("enter")
        await s.until(lambda: len(sent_ids(s.link)) == 3 and s.chat.editor.text == "helloo")
        await s.press("backspace")
        s.link.answers["session/prompt"] = {"accepted": True}
        await s.press("enter")
        await s.sees("Sent · waiting")
        await s.type("hello")
        await s.press("enter")
        await s.until(lambda: len(sent_ids(s.link)) == 5)
        first, second, other, last, new = sent_ids(s.link)
        assert first == second == last
        assert len({first, other, new}) == 3


async def test_a_prompt_that_failed_and_is_in_the_log_is_not_sent_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["session/prompt"] = FULL
        await s.type("hello")
        await s.press("enter")
        await s.sees("Not sent: The disk is full.", "❯ hello")
        s.log.begin("hello", sent_ids(s.link)[0])
        await s.sees("The host has this prompt already: it is not sent again.")
        assert s.chat.editor.empty
        s.link.answers["session/prompt"] = {"accepted": True}
        await s.type("hello")
        await s.press("enter")
        await s.until(lambda: len(sent_ids(s.link)) == 2)
        assert len(set(sent_ids(s.link))) == 2, "the same words a second time are another prompt"


async def test_a_prompt_that_was_recorded_before_its_error_came_is_not_given_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:

        def recorded_and_failed(request: dict[str, object]) -> None:
            s.log.begin("hello", str(request["requestId"]))
            raise FULL

        s.link.answers["session/prompt"] = recorded_and_failed
        await s.type("hello")
        await s.press("enter")
        await s.sees("The host took the prompt in, and said: The disk is full.")
        assert s.chat.editor.empty


@pytest.mark.parametrize("error", [FULL, AnswerLost("The answer was lost.")])
async def test_what_is_in_doubt_is_kept_over_other_sessions_and_a_restart(tmp_path: Path, error: Exception) -> None:
    ids: list[str] = []
    async with stage(tmp_path) as s:
        s.link.answers["session/prompt"] = error
        await s.type("hello")
        await s.press("enter")
        await s.sees(str(error))
        s.app.open_session("session-other")
        await s.until(lambda: s.chat.conversation.session_id == "session-other")
        await s.type("hello")
        await s.press("enter")
        await s.until(lambda: len(sent_ids(s.link)) == 2)
        ids += sent_ids(s.link)
        assert ids[0] != ids[1], "an id is of one session"
    async with stage(tmp_path) as s:
        if s.chat.editor.empty:
            await s.type("hello")
        await s.press("enter")
        await s.until(lambda: sent_ids(s.link) == ids[:1])


async def test_a_lost_answer_is_said_and_nothing_is_sent_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["session/prompt"] = AnswerLost("The answer was lost.")
        await s.type("hello")
        await s.press("enter")
        await s.sees("The answer was lost.")
        assert len([name for name, _ in s.link.calls if name == "session/prompt"]) == 1


async def test_one_heading_a_turn_and_tool_rows_change_in_place(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        s.log.say("First.")
        s.log.call("run_command", '{"command":"ls -la","description":"Lists"}')
        await s.sees("⚙ run_command · Lists", "  $ ls -la")
        place = next(i for i, row in enumerate(s.rows) if "run_command" in row)
        s.log.result("ok")
        await s.sees("✓ run_command · Lists")
        assert "run_command" in s.rows[place]
        s.log.say("Done.")
        s.log.end()
        await s.sees("Done.")
        assert s.text.count("✦ Assistant") == 1


async def test_an_answer_streams_and_is_not_shown_twice(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        s.log.stream()
        s.log.delta("I am thinking about it.", "reasoning-delta", 0)
        await s.sees("I am thinking about it.", "think")
        s.log.delta("The answer ", "text-delta", 1)
        await s.sees("The answer", "◇ thought · I am thinking")
        s.log.delta("is **42**.", "text-delta", 1)
        await s.sees("The answer is 42.")
        s.log.settle("The answer is **42**.")
        s.log.end()
        await s.sees("● Ready")
        assert s.text.count("The answer is 42.") == 1


async def test_t18_thoughts_unfold_and_fold(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        content = [{"type": "reasoning", "text": "Line one.\nLine two."}, {"type": "text", "text": "Said."}]
        s.log.send("assistant/message", s.log.answer(*content), "append")
        await s.sees("◇ thought · Line one. Line two.")
        await s.press("ctrl+t")
        await s.sees("\nLine one.\nLine two.")
        await s.type("/think")
        await s.press("enter")
        await s.sees("◇ thought · Line one. Line two.")


def fill(link: ScriptedLink, turns: int) -> None:
    log = link.log()
    for turn in range(turns):
        log.begin(f"question {turn}")
        log.say(f"answer {turn}\n\nmore of it")
        log.end()


async def test_t5_what_is_read_stays_where_it_is_while_new_things_come(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        fill(s.link, 20)
        await s.sees("answer 19")
        await s.press("pageup", "pageup")
        before = s.rows[:18]
        assert "answer 19" not in s.text
        s.log.begin("another")
        s.log.stream()
        s.log.delta("streams below")
        await s.sees("↓ new")
        assert s.rows[:18] == before
        s.log.settle("streams below and is done")
        await s.until(lambda: s.rows[:18] == before)
        await s.type("/latest")
        await s.press("enter")
        await s.sees("streams below and is done")
        assert "↓" not in s.text


async def test_scrolling_to_the_end_follows_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        fill(s.link, 20)
        await s.sees("answer 19")
        await s.press("pageup")
        assert not s.chat.transcript.following
        await s.press("pagedown")
        assert s.chat.transcript.following
        await s.press("home")
        await s.sees("question 0")
        await s.press("end")
        await s.sees("answer 19")


async def test_j12_a_keyboard_without_page_keys_can_scroll(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        fill(s.link, 20)
        await s.sees("answer 19")
        await s.press("ctrl+u", "ctrl+u", "ctrl+u")
        assert "answer 19" not in s.text
        await s.press("ctrl+d", "ctrl+d", "ctrl+d")
        await s.sees("answer 19")
        await s.type("/up 2")
        await s.press("enter")
        assert "answer 19" not in s.text


async def test_older_pages_are_fetched_at_the_top_and_do_not_move_what_is_read(tmp_path: Path) -> None:
    def prepare(link: ScriptedLink) -> None:
        log = link.log()
        old = [log.event("user/message", log.user(f"old {place}"), "append") for place in range(40)]
        new = [log.event("user/message", log.user(f"new {place}"), "append") for place in range(40)]
        link.follow(SESSION)
        log.snapshot(new, has_more=True)
        link.pages.append(old)

    async with stage(tmp_path, prepare=prepare) as s:
        await s.sees("new 39")
        await s.press("home")
        await s.until(lambda: s.chat.conversation.mirror.rows[0].text == "old 0")
        await s.sees("new 0")
        await s.press("pageup")
        await s.sees("old 39")


async def test_j24_the_ladder_of_ctrl_c(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        await s.sees("^C stop")
        await s.type("draft")
        await s.press("ctrl+c")
        assert s.chat.editor.empty
        await s.later(6)
        await s.press("ctrl+c")
        await s.sees("Stopping")
        assert ("session/cancel", {"request": {"sessionId": SESSION}}) in s.link.calls
        assert not s.app._exit
        await s.press("ctrl+c")
        await s.until(lambda: s.app._exit)
        assert s.app.parting == ""


async def test_quit_leaves_the_turn_running_and_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        await s.sees("^C stop")
        await s.type("/quit")
        await s.press("enter")
        await s.until(lambda: s.app._exit)
        assert "goes on at the host" in s.app.parting
        assert not any(name == "session/cancel" for name, _ in s.link.calls)


async def test_ctrl_c_leaves_when_nothing_runs(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.press("ctrl+c")
        await s.until(lambda: s.app._exit)
        assert s.app.parting == ""
        assert not any(name == "session/cancel" for name, _ in s.link.calls)


async def test_esc_stops_the_turn_and_keeps_the_draft(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        await s.sees("^C stop")
        await s.type("later")
        await s.press("escape")
        await s.sees("Stopping")
        assert s.chat.editor.text == "later"


async def test_enter_keeps_lines_together_and_sends_them(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("one")
        await s.press("ctrl+j")
        await s.type("two")
        await s.press("backslash", "enter")
        await s.type("three")
        assert s.chat.editor.text == "one\ntwo\nthree"
        await s.press("enter")
        call = next(args for name, args in s.link.calls if name == "session/prompt")
        assert call["request"]["content"][0]["text"] == "one\ntwo\nthree"


async def test_t7_the_queue_is_shown_and_items_can_be_removed(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.value("inbox", queue_value("first thing", "second thing"))
        await s.sees("Waiting: 2 · first thing")
        await s.type("/queue")
        await s.press("enter")
        await s.sees("next turn · second thing")
        await s.press("down", "d")
        await s.until(lambda: any(name == "session/updateQueue" for name, _ in s.link.calls))
        call = next(args for name, args in s.link.calls if name == "session/updateQueue")
        assert call["request"] == {"sessionId": SESSION, "itemId": "q1", "action": {"kind": "remove"}}
        s.link.value("inbox", queue_value("first thing"))
        await s.sees("Waiting: 1")
        s.link.value("inbox", queue_value())
        await s.misses("Waiting")


async def test_j16_a_draft_survives_panels_other_sessions_and_a_restart(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("half a thought")
        await s.press("left", "left")
        s.link.value("permissions", {"currentValue": "read-only", "options": []})
        s.app.go("sessions")
        await s.sees("Sessions", "+ New session")
        await s.press("escape")
        await s.sees("half a thought")
        assert s.chat.editor.draft.caret == 12
        s.app.open_session("session-other")
        await s.until(lambda: s.chat.conversation.session_id == "session-other")
        assert s.chat.editor.empty
        await s.misses("half a thought")
    async with stage(tmp_path) as s:
        await s.sees("half a thought")
        assert s.chat.editor.draft.caret == 12


async def test_a_draft_can_be_written_offline_and_is_kept(tmp_path: Path) -> None:
    from htui.link.changes import LinkStatus

    async with stage(tmp_path) as s:
        s.link.phase(LinkStatus("offline", "The connection was lost.", 1, 4.0))
        await s.sees("! Offline", "The connection was lost. · next try in 4s")
        await s.type("hello")
        await s.press("enter")
        await s.sees("Not connected: the draft is kept.", "❯ hello")
        await s.later(2)
        await s.sees("next try in 2s")
        s.link.phase(LinkStatus("online"))
        await s.sees("● Ready")


@pytest.mark.parametrize("size", NARROW)
async def test_j13_everything_works_on_narrow_screens(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        fill(s.link, 5)
        await s.sees("answer 4")
        for command in ("help", "status", "model", "ws", "resume"):
            await s.type(f"/{command}")
            await s.press("enter")
            await s.pilot.pause()
            assert all(len(row) <= size[0] for row in s.rows)
            await s.press("escape")
            await s.sees("❯")
        await s.pilot.resize_terminal(30, 12)
        await s.sees("answer 4", "● Ready")


async def test_keys_are_shown_in_time_for_ten_thousand_messages(tmp_path: Path) -> None:
    def prepare(link: ScriptedLink) -> None:
        log = link.log()
        records = [log.event("user/message", log.user(f"message {place}"), "append") for place in range(10_000)]
        link.follow(SESSION)
        log.snapshot(records)

    async with stage(tmp_path, prepare=prepare) as s:
        await s.sees("message 9999")
        assert s.chat.transcript._blocks._lines < 200
        await s.press("home")
        await s.sees("message 0")
        assert s.chat.transcript._blocks._lines < 400


async def test_typing_a_slash_shows_what_it_may_become(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("/mo")
        await s.sees("/model [[PROVIDER] MODEL [EFFORT]]  choose the model")
        await s.press("tab")
        assert s.chat.editor.text == "/model "
        await s.press("ctrl+u")
        await s.type("/nonsense")
        await s.press("enter")
        await s.sees("There is no command /nonsense.")
        assert s.chat.editor.text == "/nonsense"


HOSTED = [
    {"name": "compact", "description": "sums up what was said\x1b]0;x\x07"},
    {"name": "plan", "description": "plan before doing", "input": {"hint": "[off|message]"}},
    {"name": "permission", "description": "the host's own"},
    {"name": "../evil"},
    "strange",
]


async def test_a_command_of_the_host_is_sent_as_typed_and_its_answer_told(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers |= {
            "commands/list": HOSTED,
            "commands/execute": {"commandId": "c", "result": {"kind": "success", "text": "Planned.\x1b[2J"}},
        }
        await s.type("/pl")
        await s.sees("/plan [off|message]  plan before doing")
        await s.press("enter")
        await s.sees("/plan has to be typed in full.")
        await s.press("tab")
        await s.type("do it")
        await s.press("ctrl+j")
        await s.type("and that")
        await s.press("enter")
        await s.until(lambda: any(name == "commands/execute" for name, _ in s.link.calls))
        s.log.send("command/run", {"commandId": "c", "name": "plan", "args": " do it\nand that"})
        await s.sees("◐ /plan do it and that")
        s.log.send("command/done", {"commandId": "c", "kind": "success", "text": "Planned.\x1b[2J"})
        await s.sees("· /plan do it and that", "\n  Planned.␛[2J")
        assert s.text.count("Planned") == 1
        call = next(args for name, args in s.link.calls if name == "commands/execute")
        assert call == {"agentId": SESSION, "line": "/plan do it\nand that", "submittedAttachments": []}
        assert s.chat.editor.empty
        assert [name for name, _ in s.link.calls].count("commands/list") == 1
        assert "session/prompt" not in [name for name, _ in s.link.calls]


async def test_the_help_shows_the_hosts_commands_too(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(80, 90)) as s:
        s.link.answers["commands/list"] = HOSTED
        await s.type("/help")
        await s.press("enter")
        await s.sees(
            "Commands of the host  typed in full", "/compact", "sums up what was said␛]0;x␇", "/plan [off|message]"
        )
        assert "the host's own" not in s.text, "ours counts"
        assert "evil" not in s.text


@pytest.mark.parametrize("listed", [None, RemoteError("gateway/invocation-unavailable", "no list")])
async def test_a_host_that_does_not_list_its_commands_is_asked_about_each(tmp_path: Path, listed: object) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["commands/list"] = listed
        await s.type("/goal win")
        await s.press("enter")
        await s.sees("There is no command /goal.", "❯ /goal win")
        s.link.answers["commands/execute"] = {"result": {"kind": "error", "text": "Goals are off."}}
        await s.press("enter")
        await s.sees("Goals are off.")
        assert s.chat.editor.empty
        lines = [args["line"] for name, args in s.link.calls if name == "commands/execute"]
        assert lines == ["/goal win", "/goal win"]


async def test_the_hosts_commands_are_read_again_when_they_changed(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["commands/list"] = []
        await s.type("/plan")
        await s.press("enter")
        await s.sees("There is no command /plan.")
        s.link.answers["commands/list"] = HOSTED
        s.link.host.event({"type": "emit", "event": "commands/change", "args": [SESSION]}, 0)
        await s.type(" x")
        await s.sees("/plan [off|message]")


async def test_t19_the_model_is_chosen_from_a_list(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("/model")
        await s.press("enter")
        await s.sees("● DeepSeek V4 Pro · high", "DeepSeek V4 Flash")
        await s.press("3")
        await s.sees("Next request: deepseek-v4-flash")
        call = next(args for name, args in s.link.calls if name == "session/selectModel")
        assert call["request"] == {"sessionId": SESSION, "provider": "deepseek-official", "model": "deepseek-v4-flash"}


async def test_t19_the_permission_is_changed_by_the_host(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        options = [{"value": "read-only", "name": "Read only"}, {"value": "workspace-write", "name": "Workspace write"}]
        s.link.value("permissions", {"currentValue": "read-only", "options": options})
        s.link.answers["commands/execute"] = {"result": {"kind": "success", "text": "Now workspace-write."}}
        await s.type("/permission")
        await s.press("enter")
        await s.sees("● Read only", "Workspace write")
        await s.press("down", "enter")
        await s.sees("Now workspace-write.")
        call = next(args for name, args in s.link.calls if name == "commands/execute")
        assert call == {"agentId": SESSION, "line": "/permission workspace-write", "submittedAttachments": []}


async def test_any_key_closes_the_help_and_counts(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("/help")
        await s.press("enter")
        await s.sees("Ctrl+J")
        await s.type("x")
        await s.misses("Ctrl+J")
        assert s.chat.editor.text == "x"


async def test_a_session_that_cannot_be_followed_says_why(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.chat.conversation.mirror.fail(RemoteError("session/not-found", "There is no such session."))
        await s.sees("There is no such session.", "cannot be followed")


async def test_a_session_that_broke_off_says_why_below_what_is_shown_and_is_tried_again_when_opened(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("hello")
        await s.sees("❯ You")
        s.chat.conversation.mirror.fail(RemoteError("x", "What is new here is not shown: \x1b[2J."))
        await s.sees("❯ You", "✗ What is new here is not shown: ␛[2J.", "cannot be followed")
        followed: list[str] = []
        s.link.follow = lambda session_id: followed.append(session_id)  # type: ignore[assignment,return-value]
        s.app.open_session(SESSION)
        assert followed == [SESSION]


async def test_i03_what_the_host_reports_of_the_agent_is_shown_until_it_works_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.emit("api-session/error", [SESSION, "The disk is full."])
        await s.sees("✗ The disk is full.")
        s.link.emit("api-session/status", [SESSION, True])
        await s.misses("The disk is full.")


async def test_a_command_from_another_client_stands_in_the_transcript_with_what_came_of_it(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 15)) as s:
        s.log.send("command/run", {"commandId": "c", "name": "goal", "args": " reach the moon"})
        s.log.send("command/done", {"commandId": "c", "kind": "success", "text": "The goal is set.\nRounds: 0/9"})
        await s.sees("· /goal reach the moon\n  The goal is set.\n  Rounds: 0/9")
        s.log.send("command/run", {"commandId": "d", "name": "compact"})
        s.log.send("command/done", {"commandId": "d", "kind": "error", "text": "The agent is busy."})
        await s.sees("✗ /compact\n  The agent is busy.")


async def test_a_command_of_a_host_that_keeps_none_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["commands/execute"] = {"result": {"kind": "error", "text": "The agent is busy."}}
        await s.type("/compact now")
        await s.press("enter")
        await s.sees("✗ The agent is busy.")


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_f08_a_wait_counts_down_until_it_is_over_or_stopped(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.log.begin("hello")
        until = s.log.time + 41_000
        s.log.send("llm/waiting", {"turn": 1, "step": 1, "reason": "limit", "sinceMs": s.log.time, "untilMs": until})
        s.app.wall = until - 40_500
        await s.sees("The provider asks to wait: 41 s", "paused for 41s")
        s.app.wall += 30_000
        s.chat.tick()
        await s.sees("The provider asks to wait: 11 s")
        await s.press("escape")
        assert [name for name, _ in s.link.calls if name == "session/cancel"] == ["session/cancel"]
        s.log.send("llm/waiting", {"turn": 1, "step": 1, "reason": None, "sinceMs": s.log.time})
        await s.misses("asks to wait", "paused")


async def test_j11_an_answer_and_its_code_are_copied_as_they_were_written(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("Show it.")
        s.log.say("**So:**\n\n```python\nx = [1]\n```")
        await s.sees("So:")
        for line, text in (("/copy 1", "**So:**\n\n```python\nx = [1]\n```"), ("/copy code", "x = [1]\n")):
            await s.type(line)
            await s.press("enter")
            await s.until(
                lambda text=text: (tmp_path / "copied.txt").exists() and s.app.copies.copied.read_text() == text
            )  # type: ignore[misc]
        await s.sees("to the clipboard of your terminal")
        await s.type("/copy code 2")
        await s.press("enter")
        await s.sees("There is no code block number 2 from the end")


async def test_j11_a_held_screen_shows_texts_without_their_gutters(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 24)) as s:
        s.log.begin("Show it.")
        s.log.say("```\nx = 1\n" + "y" * 60 + "\n```\n\n> said")
        await s.sees("  x = 1", "  " + "y" * 38, "↪ " + "y" * 22, "▎ said")
        await s.press("ctrl+s")
        await s.until(lambda: "x = 1" in s.rows and "y" * 38 in s.rows and "y" * 22 in s.rows and "said" in s.rows)
        await s.press("escape")
        await s.sees("  x = 1", "▎ said")


async def test_t9_a_held_screen_takes_no_key_but_a_paste_ends_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("/copy")
        await s.press("enter")
        await s.until(lambda: s.app.held)
        await s.press("a", "enter")
        assert s.chat.editor.empty
        await s.press("escape")
        assert not s.app.held
        await s.pilot.click(s.chat.transcript)
        assert s.app.held
        s.app.screen.post_message(Paste("pasted"))
        await s.sees("❯ pasted")
        assert not s.app.held


async def test_t9_what_is_behind_a_panel_stands_still_until_it_closes(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("Go.")
        s.log.stream()
        s.log.delta("before ")
        await s.sees("before")
        await s.type("/status")
        await s.press("enter")
        await s.sees("── Status")
        s.log.delta("after")
        await s.until(lambda: s.chat.conversation.mirror.live[-1].text == "before after")
        await s.pilot.pause()
        assert "after" not in s.text
        assert "◐" in s.text
        await s.press("escape")
        await s.sees("before after")
