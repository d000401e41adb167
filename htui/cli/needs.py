"""`htui needs`: what waits for a person in all sessions, whole, each with an id to answer it by."""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable
from typing import Any

from htui.cli import listing
from htui.cli.waiting import Need, waiting
from htui.errors import DONE, NEEDS_PERSON
from htui.present import when
from htui.present.safe import one_line, safe

LATER = (
    "Exit codes: 0 when nothing waits, 3 when something does, 7 when the host cannot be reached. An id stands for what "
    "is shown: when that changes, so does the id."
)


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="htui needs", description="Print what waits for a person.", epilog=LATER)
    parser.add_argument("--json", action="store_true", help='print {"items": […]}')
    parser.add_argument("--url", help="the host, as http://127.0.0.1:3080 or the URL that hd printed")
    chosen = parser.parse_args(arguments)
    needs = asyncio.run(_needs(chosen.url))
    now = time.time_ns() // 1_000_000
    if chosen.json:
        sys.stdout.write(json_of(needs))
    elif needs:
        sys.stdout.write("\n".join(text_of(need, now) for need in needs))
    else:
        sys.stdout.write("Nothing waits.\n")
    return NEEDS_PERSON if needs else DONE


async def _needs(url: str | None) -> list[Need]:
    async with waiting(url) as found:
        return list(found.needs)


def text_of(need: Need, now: int) -> str:
    """An ask as a person reads it, line by line; nothing of it is left out."""
    where = [one_line(need.session.title or "Untitled", 80), one_line(need.session.cwd, 200)] if need.session else []
    age = when.age(need.since, now)
    head = " · ".join(part for part in (need.id, need.kind, age, *where) if part)
    return "".join(f"{line}\n" for line in (head, *(f"  {line}" for line in _body(need)), *_hints(need)))


def _body(need: Need) -> Iterable[str]:
    card = need.card
    if card is not None:
        yield f"Allow {card.tool}?"
        yield from "".join(span.text for span in card.payload).split("\n")
        for name, text in (("Reason", card.reason), ("Blocked", card.blocked), ("The model says", card.said)):
            if text:
                yield f"{name}: {text}"
        if card.always:
            yield f"always covers: {card.always}"
    for number, question in enumerate(need.questions, 1):
        place = f"{number}. " if len(need.questions) > 1 else ""
        yield from f"{place}{question.text}".split("\n")
        if question.detail:
            yield from safe(question.detail).split("\n")
        for choice, option in enumerate(question.options, 1):
            yield f"  {choice} {option.shown}" + (f" · {option.description}" if option.description else "")
        if question.multiple:
            yield "  several: numbers with commas"


def _hints(need: Need) -> list[str]:
    if need.card is not None:
        more = f" · htui allow {need.id} always" if need.card.always else ""
        return [f"  → htui allow {need.id} · htui deny {need.id}{more}"]
    if need.kind == "plan":
        return [f"  → htui allow {need.id} · htui answer {need.id} 'what to change'"]
    answers = " ".join(["1" if question.options else "'words'" for question in need.questions])
    return [f"  → htui answer {need.id} {answers}"]


def json_of(needs: Iterable[Need]) -> str:
    """All of them as one document for scripts, whole; what a terminal might obey is escaped."""
    return listing.as_json(map(_item, needs))


def _item(need: Need) -> dict[str, Any]:
    session, card = need.session, need.card
    value: dict[str, Any] = {
        "id": need.id,
        "kind": need.kind,
        "sessionId": need.ask.session_id,
        "title": None if session is None else session.title,
        "cwd": None if session is None else session.cwd,
        "since": need.since or None,
    }
    if card is not None:
        payload = "".join(span.text for span in card.payload)
        value |= {"tool": card.tool, "payload": payload, "known": card.known, "reason": card.reason}
        value |= {"said": card.said, "always": card.always, "blocked": card.blocked}
    if need.questions:
        value["questions"] = [
            {
                "id": question.id,
                "question": question.text,
                "detail": question.detail,
                "multiple": question.multiple,
                "options": [{"label": o.label, "description": o.description} for o in question.options],
            }
            for question in need.questions
        ]
    return value
