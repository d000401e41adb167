"""Each command is a function from facts to one effect (row T19)."""

from dataclasses import replace
from typing import Any

import pytest

from htui.commands import (
    NO_SESSION,
    NOT_LOADED,
    OFFLINE,
    Answer,
    Call,
    Execute,
    Facts,
    Go,
    Leave,
    Open,
    Say,
    Scroll,
    Show,
    Thoughts,
)
from htui.mirror.rows import PendingAsk, QueueItem
from htui.present.lines import cells_of, text_of
from htui.screens.command_table import BY_NAME, COMMANDS
from htui.screens.help_text import help_lines
from tests.support.scripted import CATALOGUE

ASK = PendingAsk("e1", "approval", "s1", {}, 0)
OFFERED = PendingAsk("e1", "approval", "s1", {"always": {"text": "`rm x`"}}, 0)
FACTS = Facts(session_id="s1", online=True, loaded=True, catalogue=CATALOGUE)
ITEM = QueueItem("q1", "queued", None, ())


@pytest.mark.parametrize(
    ("name", "args", "facts", "effect"),
    [
        ("help", "", FACTS, Show("help")),
        ("status", "", FACTS, Show("status")),
        ("ws", "", FACTS, Go("workspaces")),
        ("resume", "", FACTS, Go("sessions")),
        ("new", "", FACTS, Go("new")),
        ("latest", "", FACTS, Scroll(0)),
        ("up", "", FACTS, Scroll(-1)),
        ("up", "3", FACTS, Scroll(-3)),
        ("down", "2", FACTS, Scroll(2)),
        ("think", "", FACTS, Thoughts(True)),
        ("think", "", replace(FACTS, thoughts=True), Thoughts(False)),
        ("queue", "", replace(FACTS, queue=(ITEM,)), Show("queue")),
        ("queue", "", FACTS, Say("Nothing waits.")),
        ("quit", "", FACTS, Leave()),
        ("changes", "", FACTS, Open("changes")),
        ("changes", "2", FACTS, Open("changes", 2)),
        ("attach", "#3", FACTS, Open("terminal", 3)),
        ("attach", "", FACTS, Show("jobs")),
        ("tail", "3 40", FACTS, Open("output", 3)),
        ("permission", "", FACTS, Show("permission")),
        ("permission", "read-only", FACTS, Execute("/permission read-only")),
        ("model", "", FACTS, Show("model")),
        ("allow", "", replace(FACTS, ask=ASK, allowed=True), Answer(ASK, {"kind": "result", "value": "allowed-once"})),
        (
            "allow",
            "always",
            replace(FACTS, ask=OFFERED, allowed=True),
            Answer(OFFERED, {"kind": "result", "value": "allowed-always"}),
        ),
        ("deny", "", replace(FACTS, ask=ASK), Answer(ASK, {"kind": "result", "value": "rejected"})),
    ],
)
def test_effects(name: str, args: str, facts: Facts, effect: Any) -> None:
    assert BY_NAME[name].run(args, facts) == effect


@pytest.mark.parametrize("name", ["search", "history", "older", "export-html"])
def test_what_reads_the_log_waits_until_it_is_known_where_that_ends(name: str) -> None:
    run = BY_NAME[name].run
    assert run("x", replace(FACTS, loaded=False)) == NOT_LOADED
    assert run("x", replace(FACTS, online=False)) == OFFLINE
    assert run("x", Facts()) == NO_SESSION
    assert not isinstance(run("x", FACTS), Say)


@pytest.mark.parametrize("name", ["attach", "cancel", "changes", "model", "permission", "new", "tail"])
def test_nothing_is_sent_while_not_connected(name: str) -> None:
    assert isinstance(BY_NAME[name].run("", replace(FACTS, online=False)), Say)


@pytest.mark.parametrize("name", ["attach", "cancel", "changes", "model", "permission", "tail"])
def test_commands_of_a_session_need_one(name: str) -> None:
    assert isinstance(BY_NAME[name].run("", Facts(online=True)), Say)


@pytest.mark.parametrize(
    ("args", "request_"),
    [
        ("deepseek-v4-flash", {"provider": "deepseek-official", "model": "deepseek-v4-flash"}),
        (
            "deepseek-v4-pro max",
            {"provider": "deepseek-official", "model": "deepseek-v4-pro", "reasoningEffort": "max"},
        ),
        ("deepseek-official deepseek-v4-pro", {"provider": "deepseek-official", "model": "deepseek-v4-pro"}),
    ],
)
def test_a_model_is_named_with_or_without_its_provider(args: str, request_: dict[str, str]) -> None:
    effect = BY_NAME["model"].run(args, FACTS)
    assert isinstance(effect, Call)
    assert effect.args == {"request": {"sessionId": "s1", **request_}}


@pytest.mark.parametrize("args", ["nobody", "deepseek-official"])
def test_a_model_that_is_not_one_is_refused(args: str) -> None:
    assert isinstance(BY_NAME["model"].run(args, FACTS), Say)


@pytest.mark.parametrize("args", ["always", "forever"])
def test_a_rule_is_made_where_the_host_offers_one_and_by_its_word_alone(args: str) -> None:
    assert isinstance(BY_NAME["allow"].run(args, replace(FACTS, ask=ASK, allowed=True)), Say)


def test_e01_allow_waits_until_the_end_was_in_sight() -> None:
    assert isinstance(BY_NAME["allow"].run("", replace(FACTS, ask=ASK)), Say)
    question = replace(ASK, kind="question")
    assert isinstance(BY_NAME["allow"].run("", replace(FACTS, ask=question, allowed=True)), Say)


def test_every_command_says_what_it_is_for() -> None:
    assert len(BY_NAME) == len(COMMANDS)
    assert {c.name for c in COMMANDS if c.exact} == {"allow", "deny", "quit"}
    for cells in (80, 40, 20):
        lines = help_lines(cells)
        assert all(cells_of(line) <= cells for line in lines)
        assert all(any(f"/{c.name}" in text_of(line) for line in lines) for c in COMMANDS)
