"""`htui allow|deny|answer ID`: one answer to what waits, for a phone and for scripts."""

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from htui.cli.listing import document
from htui.cli.waiting import Need, NothingWaits, waiting
from htui.errors import DONE, USAGE, HtuiError
from htui.present.question import CANCELLED, Asking, Question, begin, press, write

Outcome = Mapping[str, Any]

EXITS = (
    "Exit codes: 0 answered; 1 nothing of that id waits, or somebody else was first; 2 usage; 7 the host cannot be "
    "reached. Nothing is sent unless the id still stands for what htui needs showed."
)


class Unfit(HtuiError):
    """An answer that does not fit what is asked."""

    exit_code = USAGE


def allow(arguments: list[str]) -> int:
    parser = _parser("allow", "Allow what waits, once; a plan is approved.")
    parser.add_argument("always", nargs="?", choices=("always",), help="make the rule that the ask offers")
    chosen = parser.parse_args(arguments)
    return _run(chosen, lambda need: allowed(need, always=chosen.always is not None), "Allowed")


def deny(arguments: list[str]) -> int:
    chosen = _parser("deny", "Deny what waits; a question is left without an answer.").parse_args(arguments)
    return _run(chosen, denied, "Denied")


def answer(arguments: list[str]) -> int:
    parser = _parser("answer", "Answer a question: one answer for each, by number, by label, or in words.")
    parser.add_argument("answers", nargs="+", metavar="ANSWER", help="1, or 1,3 where several may be chosen, or words")
    chosen = parser.parse_args(arguments)
    return _run(chosen, lambda need: answered(need, chosen.answers), "Answered")


def allowed(need: Need, *, always: bool) -> Outcome:
    """The answer that allows; `Unfit` where that is none."""
    if need.kind == "plan" and not always:
        return answered(need, [question.approve for question in need.questions])
    if need.card is None:
        raise Unfit(f"{need.id} is a question: htui answer {need.id} ….")
    if always and not need.card.always:
        raise Unfit(f"{need.id} offers no rule: htui allow {need.id} allows it once.")
    return {"kind": "result", "value": "allowed-always" if always else "allowed-once"}


def denied(need: Need) -> Outcome:
    return CANCELLED if need.card is None else {"kind": "result", "value": "rejected"}


def answered(need: Need, answers: Sequence[str]) -> Outcome:
    """The answers to all questions of an ask, in their order; `Unfit` when they are too few or too many."""
    if need.card is not None:
        raise Unfit(f"{need.id} asks for leave: htui allow {need.id} or htui deny {need.id}.")
    if len(answers) != len(need.questions):
        raise Unfit(f"{need.id} has {len(need.questions)} questions and {len(answers)} answers were given.")
    state = begin(need.ask.request)
    for text in answers:
        state = _one(state, text)
    return state.outcome


def _one(state: Asking, text: str) -> Asking:
    question = state.question
    chosen = _chosen(question, text)
    if not chosen:
        if not text.strip():
            raise Unfit("An answer is empty; nothing was sent.")
        return write(state, text)
    if len(chosen) > 1 and not question.multiple:
        raise Unfit(f"“{question.text}” takes one choice; nothing was sent.")
    for place in chosen:
        # By the cursor, because a digit reaches nine choices only.
        state = press(replace(state, cursor=place), "space" if question.multiple else "enter")
    return press(state, "enter") if question.multiple else state


def _chosen(question: Question, text: str) -> list[int]:
    """The places of the choices that a text names; none where it is words of one's own."""
    labels = [option.label.casefold() for option in question.options]
    if text.casefold() in labels:
        return [labels.index(text.casefold())]
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts) or not labels:
        return []
    numbers = [int(part) for part in parts]
    if not all(1 <= number <= len(labels) for number in numbers):
        raise Unfit(f"“{question.text}” has the choices 1 to {len(labels)}; nothing was sent.")
    return sorted({number - 1 for number in numbers})


def _parser(name: str, text: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"htui {name}", description=text, epilog=EXITS)
    parser.add_argument("id", metavar="ID", help="of htui needs; its beginning is enough where it is clear")
    parser.add_argument("--json", action="store_true", help="print what became of it as JSON")
    parser.add_argument("--url", help="the host, as http://127.0.0.1:3080 or the URL that hd printed")
    return parser


def _run(chosen: argparse.Namespace, decide: Callable[[Need], Outcome], said: str) -> int:
    try:
        need = asyncio.run(_answer(chosen.url, chosen.id, decide))
    except NothingWaits as error:
        if chosen.json:
            sys.stdout.write(document({"answered": False, "reason": error.message}))
        raise
    what = need.card.tool if need.card is not None else need.questions[0].text.split("\n")[0]
    if chosen.json:
        sys.stdout.write(document({"answered": True, "id": need.id, "sessionId": need.ask.session_id}))
    else:
        sys.stdout.write(f"{said}: {what}\n")
    return DONE


async def _answer(url: str | None, wanted: str, decide: Callable[[Need], Outcome]) -> Need:
    async with waiting(url) as found:
        need = found.find(wanted)
        await found.answer(need, decide(need))
        return need
