"""Approvals and questions in the shapes of the wire, and cards that cannot lie."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.errors import InputInvalid
from hd.permit.approvals import approval_request, offer, parse_answers, parse_approval
from hd.permit.reasons import HELD, WRITES
from hd.permit.reveal import reveal
from hd.permit.rules import Rule, Ties, Use
from hd.tools.base import Access, Plan


@pytest.mark.parametrize("value", ["allowed-once", "rejected", "cancelled"])
def test_an_approval_is_a_bare_text(value: str) -> None:
    assert parse_approval(value) == value


@pytest.mark.parametrize(
    "value", [None, True, 1, "", "yes", "ALLOWED-ONCE", "unavailable", {"outcome": "allowed-once"}, ["allowed-once"]]
)
def test_anything_else_allows_nothing(value: object) -> None:
    assert parse_approval(value) == "unavailable"


def test_e03_the_request_shows_the_call_itself() -> None:
    plan = Plan(Access.EXECUTE, "run rm -rf build", detail="rm -rf build", paths=())
    assert approval_request("run_command", "call_1", plan, WRITES) == {
        "toolName": "run_command",
        "callId": "call_1",
        "reason": "run rm -rf build: changes files, and the session is read-only",
        "displayReason": {
            "en": "This call changes files, and the session is read-only.",
            "zh": "会修改文件，而当前会话为只读",
        },
        "summary": "run rm -rf build",
        "detail": "rm -rf build",
        "paths": [],
    }


def test_e01_the_whole_text_is_there() -> None:
    command = "ls" + "\n" * 200 + "curl x|sh"
    request = approval_request("run_command", "c", Plan(Access.EXECUTE, "run ls", detail=command), WRITES)
    assert request["detail"] == command


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain text", "plain text"),
        ("a\tb\nc", "a\tb\nc"),
        ("你好 مرحبا 🙂", "你好 مرحبا 🙂"),
        ("rm \u202etxt.exe", "rm \\u202etxt.exe"),
        ("a\u200bb\u200dc\u2060d\ufeff", "a\\u200bb\\u200dc\\u2060d\\ufeff"),
        ("\x1b[2Kls\rrm", "\\e[2Kls\\rrm"),
        ("a\x00\x9b", "a\\x00\\x9b"),
        ("a\u00a0b\u3000c", "a\\xa0b\\u3000c"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("a\U000e0041\ufe0f\u3164", "a\\U000e0041\\ufe0f\\u3164"),
        ("\ud800", "\\ud800"),
        ("soft\u00adhyphen", "soft\\xadhyphen"),
    ],
)
def test_x8_invisible_characters_are_spelled_out(text: str, shown: str) -> None:
    assert reveal(text) == shown


@given(st.text())
def test_x8_nothing_hidden_is_left(text: str) -> None:
    assert all(character.isprintable() or character in "\n\t" for character in reveal(text))
    assert reveal(text, one_line=True).isprintable()
    assert reveal(reveal(text)) == reveal(text)


QUESTIONS: list[dict[str, Any]] = [
    {"id": "db", "question": "Which?", "options": [{"label": "SQLite"}, {"label": "Postgres"}]},
    {"id": "parts", "question": "What?", "options": [{"label": "A"}, {"label": "B"}], "multiSelect": True},
    {"id": "name", "question": "Name?"},
]


def test_answers_come_in_the_order_of_the_questions_and_without_unknown_keys() -> None:
    value = {
        "answers": [
            {"id": "name", "selected": [], "custom": "hd", "noise": 1},
            {"id": "parts", "selected": ["B", "A", "B"]},
        ],
        "noise": 1,
    }
    assert parse_answers(value, QUESTIONS) == {
        "answers": [
            {"id": "db", "selected": []},
            {"id": "parts", "selected": ["B", "A"]},
            {"id": "name", "selected": [], "custom": "hd"},
        ]
    }


@pytest.mark.parametrize(
    "value",
    [
        None,
        "SQLite",
        {},
        {"answers": "db"},
        {"answers": ["db"]},
        {"answers": [{"selected": []}]},
        {"answers": [{"id": "other", "selected": []}]},
        {"answers": [{"id": "db"}, {"id": "db"}]},
        {"answers": [{"id": "db", "selected": "SQLite"}]},
        {"answers": [{"id": "db", "selected": ["MySQL"]}]},
        {"answers": [{"id": "db", "selected": ["SQLite", "Postgres"]}]},
        {"answers": [{"id": "db", "selected": [], "custom": 1}]},
    ],
)
def test_answers_that_nobody_could_have_chosen_are_refused(value: object) -> None:
    with pytest.raises(InputInvalid):
        parse_answers(value, QUESTIONS)


def test_a_rule_is_offered_in_words_that_say_what_it_covers_and_until_when() -> None:
    def rule(use: Use, *contents: tuple[str, str]) -> Rule:
        return Rule(0, use, ("./run", "x y"), False, Ties("/w/run", contents), "", 0, "")

    assert offer(rule("command")) == "`./run 'x y'`, exactly so, in this workspace, for good"
    assert offer(rule("terminal", ("/w/run", "d"))).endswith("for good, as long as /w/run stays as now")
    words = "outside the sandbox, exactly so, in this workspace, for good, whatever it runs then"
    assert offer(rule("outside")).endswith(words)


def test_the_answer_that_makes_a_rule_counts_only_where_one_was_offered() -> None:
    assert parse_approval("allowed-always", always=True) == "allowed-always"
    assert parse_approval("allowed-always") == "unavailable"
    assert parse_approval("allowed-once", always=True) == "allowed-once"


def test_what_the_sandbox_blocked_stands_on_the_card_with_nothing_hidden() -> None:
    request = approval_request("run_command", "c", Plan(Access.EXECUTE, "run x"), HELD, None, "refused: /a\u202eb\n")
    assert request["blocked"] == r"refused: /a\u202eb\n"
    assert "always" not in request
