"""Approvals and questions in the chat (rows T11, X8, cases E01, E03, J17)."""

from pathlib import Path
from typing import Any

import pytest

from htui.present.question import CANCELLED
from tests.htui.screens.stage import SESSION, Stage, stage

ALLOWED = {"kind": "result", "value": "allowed-once"}
DENIED = {"kind": "result", "value": "rejected"}
ALWAYS = {"kind": "result", "value": "allowed-always"}
GUARD = 0.6


async def asked(s: Stage, command: str = "rm -rf build", *, ready: bool = True, always: str = "") -> None:
    """A turn in which a command waits for approval; `ready` waits until keys count, `always` is the rule on offer."""
    s.log.begin("go")
    s.log.call("run_command", '{"description":"list files","command":"' + command + '"}')
    offer = {"always": {"text": always}} if always else {}
    s.link.ask("approval/request", {"toolName": "run_command", "callId": "c1", "reason": "deletes files", **offer})
    await s.sees("Allow run_command?", "? Needs you")
    if ready:
        await s.later(GUARD)


async def test_e03_the_card_shows_the_command_the_reason_and_the_models_words(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        place = next(i for i, row in enumerate(s.rows) if "? Allow run_command?" in row)
        assert s.rows[place + 1 : place + 5] == [
            "  $ rm -rf build",
            "Reason: deletes files",
            "The model says: list files",
            "  1 allow once  2 deny  3 stop turn",
        ]


@pytest.mark.parametrize(("key", "outcome"), [("1", ALLOWED), ("2", DENIED)])
async def test_t11_a_digit_answers(tmp_path: Path, key: str, outcome: dict[str, Any]) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        await s.press(key)
        await s.until(lambda: s.link.answered == [("e1", outcome)])
        await s.misses("Allow run_command?")


async def test_t11_three_stops_the_turn_and_answers_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        await s.press("3")
        await s.until(lambda: ("session/cancel", {"request": {"sessionId": SESSION}}) in s.link.calls)
        assert s.link.answered == []


async def test_t11_nothing_is_selected_at_first_so_a_held_enter_allows_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        await s.press("enter", "enter", "space")
        assert s.link.answered == []
        await s.press("down", "down", "enter")
        await s.until(lambda: s.link.answered == [("e1", DENIED)])


async def test_t11_four_makes_the_rule_whose_words_are_on_the_card(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s, always="`rm -rf build`, in these words and in this workspace")
        await s.sees("4 covers: `rm -rf build`, in these words and in this workspace", "3 stop turn  4 always, here")
        await s.press("4")
        await s.until(lambda: s.link.answered == [("e1", ALWAYS)])


async def test_t11_no_rule_is_offered_where_its_words_do_not_fit_and_four_is_a_letter_then(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(24, 12)) as s:
        await asked(s, always="`rm -rf build`, " + "and so on " * 20)
        await s.misses("always")
        await s.press("4")
        assert s.link.answered == []


async def test_j17_no_key_answers_in_the_first_half_second(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s, ready=False)
        await s.press("1")
        assert s.link.answered == []
        assert s.chat.editor.text == "1"
        await s.later(GUARD)
        await s.press("1")
        assert s.link.answered == []
        assert s.chat.editor.text == "11"


async def test_j17_no_key_answers_while_something_is_being_typed(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("yes ")
        await asked(s)
        await s.sees("Finish or clear what you type first")
        await s.type("1")
        assert s.link.answered == []
        assert s.chat.editor.text == "yes 1"
        await s.press("escape")
        await s.sees("Your draft is kept")
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", ALLOWED)])
        await s.sees("❯ yes 1")


async def test_a_prompt_waits_while_an_answer_is_due(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        await s.type("also this")
        await s.press("enter")
        await s.sees("Something waits for your answer first.")
        assert not any(name == "session/prompt" for name, _ in s.link.calls)


@pytest.mark.parametrize(("size", "lines"), [((80, 24), 200), ((40, 15), 60), ((20, 10), 12)])
async def test_e01_allowing_is_not_offered_until_the_end_was_in_sight(
    tmp_path: Path, size: tuple[int, int], lines: int
) -> None:
    async with stage(tmp_path, size=size) as s:
        await asked(s, "ls" + "\\n" * lines + "curl x|sh")
        assert "curl x|sh" not in s.text
        for choice in ("1 allow", "2 deny", "3 stop"):
            assert choice in s.text
        await s.press("1")
        assert s.link.answered == []
        await s.type("/allow")
        await s.press("enter")
        assert s.link.answered == []
        await s.press("escape")
        for _ in range(210):
            await s.press("pagedown")
            if "curl x|sh" in s.text:
                break
        await s.sees("curl x|sh")
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", ALLOWED)])


async def test_e01_one_very_long_line_is_shown_to_its_end(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 15)) as s:
        await asked(s, "x" * 2000 + "END")
        await s.press("1")
        assert s.link.answered == []
        for _ in range(300):
            await s.press("pagedown")
            if "END" in s.text:
                break
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", ALLOWED)])


async def test_commands_answer_in_full_words_only(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        await s.type("/al")
        await s.press("tab", "enter")
        assert s.link.answered == []
        await s.press("escape")
        await s.type("/deny")
        await s.press("enter")
        await s.until(lambda: s.link.answered == [("e1", DENIED)])


async def test_an_ask_that_was_answered_elsewhere_goes(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await asked(s)
        s.link.settled("e1")
        await s.misses("Allow run_command?", "Needs you")


async def test_asks_of_other_sessions_are_told_and_not_taken(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.ask("approval/request", {"toolName": "bash"}, "e9", "session-other")
        await s.sees("? 1 more needs you")
        await s.later(GUARD)
        await s.press("1")
        assert s.link.answered == []


async def test_a_call_that_becomes_known_later_must_be_seen_first(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.log.begin("go")
        s.link.ask("approval/request", {"toolName": "run_command", "callId": "c1"})
        await s.sees("did not say what this call would do")
        s.log.call("run_command", '{"command":"make"}')
        await s.sees("  $ make")
        await s.press("1")
        assert s.link.answered == []


QUESTIONS = {
    "questions": [
        {
            "id": "db",
            "question": "Which store?",
            "options": [{"label": "SQLite", "description": "one file"}, {"label": "Files"}],
        },
        {
            "id": "os",
            "question": "Which systems?",
            "multiSelect": True,
            "options": [{"label": "Linux"}, {"label": "Mac"}],
        },
    ]
}


async def questioned(s: Stage, request: dict[str, Any] = QUESTIONS) -> None:
    s.log.begin("go")
    s.link.ask("user-questions/request", request)
    await s.sees("Needs you")
    await s.later(GUARD)


async def test_t11_questions_are_answered_one_after_the_other_and_sent_together(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await questioned(s)
        await s.sees("? Question 1/2", "Which store?", "1 SQLite · one file", "3 Other answer …")
        await s.press("2")
        await s.sees("? Question 2/2", "Which systems?", "[ ] Linux")
        assert s.link.answered == []
        await s.press("1")
        await s.sees("[x] Linux")
        await s.press("enter")
        answers = [{"id": "db", "selected": ["Files"]}, {"id": "os", "selected": ["Linux"]}]
        await s.until(lambda: s.link.answered == [("e1", {"kind": "result", "value": {"answers": answers}})])
        await s.misses("Which systems?")


async def test_t11_another_answer_is_written_in_the_composer(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await questioned(s, {"questions": QUESTIONS["questions"][:1]})
        await s.press("3")
        await s.sees("Write the answer below")
        await s.type("Redis 1")
        await s.press("enter")
        answers = [{"id": "db", "selected": [], "custom": "Redis 1"}]
        await s.until(lambda: s.link.answered == [("e1", {"kind": "result", "value": {"answers": answers}})])


async def test_t11_esc_goes_back_from_writing_and_then_dismisses(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await questioned(s)
        await s.press("3")
        await s.type("ha")
        await s.press("escape")
        await s.sees("1 SQLite")
        assert s.chat.editor.empty
        await s.press("escape")
        await s.until(lambda: s.link.answered == [("e1", CANCELLED)])


async def test_j17_a_draft_is_never_sent_as_an_answer(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("my next idea")
        await questioned(s, {"questions": [{"id": "why", "question": "Why?"}]})
        await s.press("enter")
        assert s.link.answered == []
        await s.press("escape")
        await s.press("1")
        await s.type("because")
        await s.press("enter")
        await s.until(lambda: len(s.link.answered) == 1)
        assert s.link.answered[0][1]["value"]["answers"][0]["custom"] == "because"
        await s.sees("❯ my next idea")


async def test_an_approval_that_another_client_decided_goes_with_a_line_that_says_who(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.client_id = "me"
        await asked(s)
        s.log.send("approval/asked", {"id": "a", "toolName": "run_command", "callId": "c1"})
        s.link.settled("e1")
        await s.misses("Allow run_command?")
        s.log.send("approval/decided", {"id": "a", "outcome": "rejected", "by": "phone-12345"})
        await s.sees("· Denied by another client (phone-12)")
        assert "✗ Denied" not in s.text


async def test_an_answer_that_came_second_is_told_what_counts(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.client_id = "me"
        await asked(s)
        s.log.send("approval/asked", {"id": "a", "toolName": "run_command", "callId": "c1"})
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", ALLOWED)])
        s.log.send("approval/decided", {"id": "a", "outcome": "rejected", "by": "phone"})
        await s.sees("· Your answer came second: denied by another client (phone)")


async def test_an_answer_that_counts_is_not_commented(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.client_id = "me"
        await asked(s)
        s.log.send("approval/asked", {"id": "a", "toolName": "run_command", "callId": "c1"})
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", ALLOWED)])
        s.log.send("approval/decided", {"id": "a", "outcome": "allowed-once", "by": "me"})
        s.log.result("ok")
        await s.sees("✓ run_command")
        assert "another client" not in s.text


async def test_a_question_that_was_asked_before_is_not_taken_for_the_one_that_goes(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.client_id = "me"
        first = {"questions": QUESTIONS["questions"][:1]}
        for place, by in enumerate(("phone", "desk")):
            await questioned(s, first)
            s.log.send("question/asked", {"id": f"q{place}", "callId": f"c{place}", **first})
            s.link.settled("e1")
            await s.misses("Which store?")
            assert f"({by})" not in s.text
            answers = [{"id": "db", "selected": ["SQLite"]}]
            s.log.send("question/decided", {"id": f"q{place}", "outcome": "answered", "answers": answers, "by": by})
            await s.sees(f"Answered by another client ({by}) · SQLite")


PLAN = {
    "id": "plan-review",
    "header": "Plan review",
    "question": "Carry out this plan?",
    "detail": "# Plan\n\n" + "\n".join(f"{place}. step {place}" for place in range(1, 30)) + "\n\nThe end of it.",
    "options": [{"label": "Approve", "description": "Plan mode ends."}, {"label": "Keep planning"}],
    "intent": {"kind": "plan-review", "approve": "Approve"},
}


def answered(selected: str, **more: str) -> dict[str, Any]:
    return {"kind": "result", "value": {"answers": [{"id": "plan-review", "selected": [selected], **more}]}}


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_a_plan_can_be_approved_once_its_end_was_in_sight(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        s.link.value("plan", {"active": True, "pending": False})
        await questioned(s, {"questions": [PLAN]})
        await s.sees("? Question · Plan review", "1 Approve", "2 Keep planning", "3 Keep planning, with a", "more line")
        await s.press("1")
        await s.sees("Read the plan to its end first")
        assert s.link.answered == []
        for _ in range(60):
            await s.press("space")
            if "The end of it." in s.text:
                break
        await s.sees("The end of it.", "1 Approve")
        await s.press("1")
        await s.until(lambda: s.link.answered == [("e1", answered("Approve"))])


async def test_planning_goes_on_with_a_comment(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.value("plan", {"active": True, "pending": False})
        await s.sees("│ plan · v4-pro")
        await questioned(s, {"questions": [PLAN]})
        await s.press("3")
        await s.type("fewer steps")
        await s.press("pagedown", "pagedown", "pagedown")
        await s.sees("The end of it.", "❯ fewer steps")
        await s.press("enter")
        outcome = answered("Keep planning", custom="fewer steps")
        await s.until(lambda: s.link.answered == [("e1", outcome)])


async def test_a_goal_that_waits_says_how_it_goes_on(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.client_id = "me"
        s.link.answers["goals/get"] = {"id": "g", "activation": "disarmed"}
        goal = {"id": "g", "revision": 1, "objective": "Mend it", "phase": "active", "maxGoalRounds": 9}
        s.link.value("goal", {"goal": goal, "roundsStarted": 3, "createdAt": 1, "updatedAt": 1})
        await s.sees("│ goal waits ·")
        s.link.emit(
            "goal/activation-changed",
            [{"sessionId": SESSION, "goal": {"id": "g", "revision": 1, "activation": "armed"}}],
        )
        await s.sees("│ goal 3/9 ·")
        assert [name for name, _ in s.link.calls].count("goals/get") == 1
        await s.type("/status")
        await s.press("enter")
        await s.sees("goal       Mend it", "running · round 3 of 9")


async def test_other_clients_of_the_session_are_counted(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(100, 24)) as s:
        s.link.host.present({"sessions": {SESSION: [{"clientId": "me"}], "other": [{"clientId": "x"}]}})
        await s.until(lambda: "client" not in s.text)
        s.link.host.present({"sessions": {SESSION: [{"clientId": "me"}, {"clientId": "x"}]}})
        await s.sees("2 clients")
        await s.type("/status")
        await s.press("enter")
        await s.sees("clients    2 follow this session, this one among them")


async def test_a_queue_that_was_parked_says_how_it_goes_on(tmp_path: Path) -> None:
    message = {"id": "q", "content": [{"type": "text", "text": "later"}], "source": {"kind": "user", "rpcId": "x"}}
    async with stage(tmp_path) as s:
        s.log.begin("go")
        s.link.value("inbox", {"next-turn": [message], "next-step": []})
        await s.sees("Waiting: 1 · later")
        assert "Runs before" not in s.text
        s.log.end("aborted")
        await s.sees("Runs before your next prompt · /queue removes it")
