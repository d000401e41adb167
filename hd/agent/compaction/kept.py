"""What stays word for word beside a summary: what the person said, the goal, and what is still to be done. Pure.

A summary is the model's reading of what was said; a rule that it forgets is gone for good. So the person's own words
are put in front of each summary again, out of the log and not out of the summary before: all of them where there is
room, else those first that read like a rule, then the first one, then the newest.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hd.agent.history import Entry
from hd.protocol.messages import shown_of
from hd.protocol.tokens import tokens_in
from hd.tools.bounds import bound

MOST_TOKENS: Final = 8_000
_LONG: Final = 4_000
"""Characters of one prompt beyond which only its beginning, its end and its rules are kept."""
_LEAST: Final = 400

_RULE: Final = re.compile(
    r"\b(?:never|always|must|must ?n[o']t|do ?n[o']t|don’t|should|shall|only|avoid|forbid|forbidden|unless|except"
    r"|prefer|instead|leave|keep|make sure|from now on|rules?|important|require[ds]?|without|no longer)\b"
    r"|不要|不得|不许|不能|不可|不准|别|勿|禁止|必须|务必|一定|永远|始终|总是|只能|只用|以后|今后|规则|优先|除非|记住",
    re.IGNORECASE,
)


def words(prompts: Sequence[Entry], room: int = MOST_TOKENS) -> tuple[str, int]:
    """The prompts in their order, in about `room` tokens, and how many of them are there."""
    texts = [shown_of(entry.message.get("content") or ()).strip() for entry in prompts]
    chosen: dict[int, str] = {}
    for place in sorted(range(len(texts)), key=lambda place: _rank(texts[place], place)):
        text = _fitted(texts[place], room)
        if text:
            chosen[place] = text
            room -= tokens_in(text)
    return "\n".join(f"<prompt>\n{chosen[place]}\n</prompt>" for place in sorted(chosen)), len(chosen)


def _rank(text: str, place: int) -> tuple[int, int]:
    """Rules first, then the first prompt, then the others; the newest first among equals."""
    return (0 if _RULE.search(text) else 1 if place == 0 else 2, -place)


def _fitted(text: str, room: int) -> str:
    """The text, or what of it fits into `room` tokens; empty where that would be next to nothing."""
    size = tokens_in(text)
    limit = min(_LONG, len(text) * max(0, room) // max(1, size))
    if len(text) <= limit:
        return text
    if limit < _LEAST:
        return ""
    rules = _rules(text, limit // 2)
    rest = bound(text, max(_LEAST, limit - len(rules)))
    missing = "\n".join(line for line in rules.split("\n") if line and line not in rest)
    return f"{rest}\n[of what is left out:]\n{missing}" if missing else rest


def _rules(text: str, room: int) -> str:
    kept: list[str] = []
    for line in text.split("\n"):
        if _RULE.search(line) and len(line) < room:
            kept.append(line)
            room -= len(line) + 1
    return "\n".join(kept)


def kept_text(prompts: Sequence[Entry], goal: str | None, todos: Iterable[Mapping[str, Any]]) -> str:
    """What stands in front of the summary; empty where there is nothing to keep."""
    said, count = words(prompts)
    missing = len(prompts) - count
    parts = []
    if said:
        note = f" ({missing} more are in the summary only)" if missing else ""
        parts.append(f"What the person said there, word for word{note}; what they asked for still counts:\n{said}")
    if goal:
        parts.append(f"The goal of this session:\n<goal>\n{goal}\n</goal>")
    if listed := [f"- [{todo.get('status')}] {todo.get('content')}" for todo in todos if is_open(todo)]:
        parts.append("\n".join(["Still to be done, from the todo list:", *listed]))
    return "\n\n".join(parts)


def is_open(todo: Mapping[str, Any]) -> bool:
    return todo.get("status") not in ("completed", "cancelled")
