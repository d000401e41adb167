"""What a summary of work must look like, and what is wrong with one; pure.

The template is the seed's. Whoever reads a summary decides by it whether to look at the work, so it must name what was
changed, how that was checked and what came of it, and it must not name changes that never happened (case A18).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

CHANGES: Final = "Changes Made"
VERIFICATION: Final = "Verification"
OUTCOME: Final = "Outcome"
TODOS: Final = "Todo Progress"

_LEAST_WEIGHT: Final = 12
"""Letters of a section's text; a Chinese character says as much as about three of them."""

_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_BULLET: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EMPTY_WORDS: Final = re.compile(
    r"(?:i (?:did|have done|finished|completed) (?:the|this|that|your|all)(?: the)? (?:task|work|job|request|changes)"
    r"|(?:ok(?:ay)?|done|all|completed?|finished|success(?:ful(?:ly)?)?|works?|it works|everything|the task|task|is|was"
    r"|has been|were|fine|good|now|as requested|as expected|verified|passed|and)"
    r"|\W)+",
    re.IGNORECASE,
)


def faults(summary: str, todos: Sequence[Mapping[str, Any]], changed: Collection[str] | None) -> list[str]:
    """What has to be mended before the summary is taken, a sentence each; none when it is good.

    `todos` is the session's list (`content`, `status`). `changed` are the paths of which the daemon knows that
    they changed, or None where it cannot know.
    """
    sections = _sections(summary)
    wanted = [CHANGES, VERIFICATION, OUTCOME, *([TODOS] if todos else [])]
    missing = [name for name in wanted if name.casefold() not in sections]
    if missing:
        return [f"It has no section {', '.join(f'`### {name}`' for name in missing)}."]
    found = [fault for name in wanted if (fault := _thin(name, sections[name.casefold()]))]
    if changed is not None:
        found += _invented(sections[CHANGES.casefold()], changed)
    return found + _left_out(sections.get(TODOS.casefold(), ""), todos)


def _sections(summary: str) -> dict[str, str]:
    """The text below each heading, by the heading in lower case; of two with one name the later one."""
    heads = list(_HEADING.finditer(summary))
    starts = [head.start() for head in heads] + [len(summary)]
    return {
        head[1].strip("*_: ").casefold(): summary[head.end() : end].strip()
        for head, end in zip(heads, starts[1:], strict=True)
    }


def _thin(name: str, text: str) -> str | None:
    if not text:
        return f"The section `### {name}` is empty."
    weight = sum(3 if _WIDE.match(letter) else 1 for letter in text if letter.isalnum())
    if weight < _LEAST_WEIGHT or _EMPTY_WORDS.fullmatch(text):
        return f"The section `### {name}` says nothing concrete; name files, commands and results."
    return None


def _invented(text: str, changed: Collection[str]) -> list[str]:
    folders = {parent for path in changed for parent in _parents(path)}
    names = {path.rpartition("/")[2] for path in changed}
    strange = [
        path
        for line in text.splitlines()
        if (path := named_path(line)) and path not in changed and path not in folders and path not in names
    ]
    return [f"`{path}` was not changed in this session, by what the daemon recorded." for path in strange]


def claimed(summary: str) -> frozenset[str]:
    """The paths that a summary says were changed."""
    text = _sections(summary).get(CHANGES.casefold(), "")
    return frozenset(path for line in text.splitlines() if (path := named_path(line)))


def named_path(line: str) -> str | None:
    """The file that a line of the form `- path: what` is about; None where it names none that looks like a path."""
    bullet = _BULLET.match(line)
    if bullet is None:
        return None
    head = re.split(r":\s|:$|\s[-–—]\s", bullet[1], maxsplit=1)[0].strip("*_`[]() ")
    if not head or re.search(r"\s", head) or not re.search(r"[./]", head.strip(".")):
        return None
    return head.removeprefix("./").rstrip("/")


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _left_out(text: str, todos: Sequence[Mapping[str, Any]]) -> list[str]:
    said = text.casefold()
    open_ones = [str(todo.get("content", "")) for todo in todos if _id(todo) not in said and _words(todo) not in said]
    return [f"`### {TODOS}` does not tell what became of “{content}”." for content in open_ones]


def _words(todo: Mapping[str, Any]) -> str:
    return str(todo.get("content", "")).strip().casefold()


def _id(todo: Mapping[str, Any]) -> str:
    """The id as it could be quoted; a short one stands in any text by chance and proves nothing."""
    name = str(todo.get("id", "")).strip().casefold()
    return name if len(name) > 2 else "\0"
