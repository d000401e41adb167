"""What a person is asked to allow, so that the card cannot lie (rows X8, E01, E03).

The real command or change stands first and whole, with every hidden character spelled out; what the model says about it
comes after, under its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hd.protocol.projections.transcript import Row
from htui.present import arguments
from htui.present.lines import Line, Span, chop_spans, split_lines
from htui.present.safe import one_line, safe
from htui.present.tool_row import command_of

_SAID = ("description", "justification", "explanation")
_REASONS = ("displayReason", "reason", "description")
_OLD = ("old_string", "oldString")
_NEW = ("new_string", "newString")
_WRAPPED = Span("↪ ", "muted")


@dataclass(frozen=True, slots=True)
class Card:
    """`payload` is what would be done, as spans with line breaks; `known` is False when the host did not tell.

    `said` are the model's own words about it, `reason` why the host asks. `always` is what the host would run unasked
    from now on if a person says so, in its words; empty where it offers no such thing. `blocked` is what the sandbox
    kept the call from when it ran before.
    """

    tool: str
    payload: tuple[Span, ...]
    known: bool
    said: str = ""
    reason: str = ""
    always: str = ""
    blocked: str = ""


_LONGEST_RULE: Final = 300
"""Characters of what would always be allowed: more is not read before a key is pressed, so it is not offered."""


def card(request: Mapping[str, Any], row: Row | None) -> Card:
    """The card of an approval; `row` is the tool row of its call, where the session is followed."""
    given = _arguments(request, row)
    tool = one_line(_text(request, "toolName") or (row.name if row else "") or "a tool", 80, strict=True)
    said = next((one_line(given[key], 600, strict=True) for key in _SAID if isinstance(given.get(key), str)), "")
    why = next((text for key in _REASONS if (text := _text(request, key))), "")
    reason = one_line(why, 600, strict=True)
    blocked = one_line(_text(request, "blocked"), 600, strict=True)
    payload = tuple(_told(request, given) or _payload(given))
    if not payload:
        note = "The host did not say what this call would do." if row is None else "This call has no arguments."
        payload = (Span(note, "warning"),)
    return Card(tool, payload, row is not None or bool(given), said, reason, _always(request), blocked)


def _always(request: Mapping[str, Any]) -> str:
    offered = request.get("always")
    words = _text(offered, "text") if isinstance(offered, Mapping) else ""
    return one_line(words, _LONGEST_RULE, strict=True) if len(words) <= _LONGEST_RULE else ""


def payload_lines(card: Card, cells: int) -> list[Line]:
    """The payload at a width: cut at the last cell and never at words, so that nothing moves out of sight."""
    lines: list[Line] = []
    for part in split_lines(card.payload):
        pieces = chop_spans(part, max(1, cells - 2)) or [()]
        lines.extend((((_WRAPPED if place else Span("  ")), *piece)) for place, piece in enumerate(pieces))
    return lines


def _arguments(request: Mapping[str, Any], row: Row | None) -> Mapping[str, Any]:
    for key in ("arguments", "input", "args"):
        value = request.get(key)
        if isinstance(value, Mapping):
            return value
        if isinstance(value, str) and value.strip():
            return arguments.read(value)
    return arguments.read(row.arguments) if row is not None and row.arguments else {}


def _told(request: Mapping[str, Any], given: Mapping[str, Any]) -> list[Span]:
    """What the host itself says the call would do: the command, or the whole difference that a file would see."""
    detail = request.get("detail")
    if not isinstance(detail, str) or not detail.strip() or command_of(given):
        return []
    spans: list[Span] = []
    for line in _strict(detail).rstrip("\n").split("\n"):
        _next_line(spans)
        spans.append(Span(line, _DIFFERENCE.get(line[:1], "")))
    return spans


_DIFFERENCE = {"+": "added", "-": "removed", "@": "muted"}


def _payload(given: Mapping[str, Any]) -> list[Span]:
    spans: list[Span] = []
    rest = {key: value for key, value in given.items() if key not in _SAID}
    command = command_of(given)
    if command:
        spans.append(Span("$ ", "muted"))
        spans.append(Span(_strict(command), "code"))
        rest = {key: value for key, value in rest.items() if key not in ("command", "cmd")}
    path = rest.pop("path", rest.pop("file_path", None)) if not command else None
    if isinstance(path, str):
        spans.append(Span(_strict(path), "strong"))
    for key, mark, role in (*((k, "-", "removed") for k in _OLD), *((k, "+", "added") for k in _NEW)):
        if isinstance(rest.get(key), str):
            _next_line(spans)
            spans.append(Span(_marked(rest.pop(key), mark), role))
    if isinstance(rest.get("content"), str):
        _next_line(spans)
        spans.append(Span(_marked(rest.pop("content"), "+"), "added"))
    for key, value in rest.items():
        _next_line(spans)
        spans += [Span(f"{_strict(str(key))}: ", "muted"), Span(_strict(arguments.shown(value)))]
    return spans


def _next_line(spans: list[Span]) -> None:
    if spans:
        spans.append(Span("\n"))


def _marked(text: str, mark: str) -> str:
    return "\n".join(f"{mark} {part}" for part in _strict(text).split("\n"))


def _strict(text: str) -> str:
    return safe(text, strict=True)


def _text(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key)
    if isinstance(value, Mapping):
        value = value.get("en") or next(iter(value.values()), "")
    return value if isinstance(value, str) else ""
