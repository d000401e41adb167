"""A row of the transcript as styled lines."""

from dataclasses import dataclass

from hd.protocol.projections.transcript import Row
from htui.present import count
from htui.present.lines import EMPTY, Line, Span, cut_line, indent, wrap
from htui.present.live_text import tail_of
from htui.present.markdown import markdown_lines
from htui.present.safe import one_line, safe
from htui.present.tool_row import report, tool_lines

NARROW = 60
"""Cells below which a screen is narrow: fewer empty lines, and thoughts stay folded while they are written."""

_LEVELS = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "bad")}
_AGENT = frozenset({"assistant", "reasoning", "tool"})
_ONE_LINERS = frozenset({"reasoning", "tool", "context", "compaction"})


@dataclass(frozen=True, slots=True)
class Look:
    """How rows are shown. `thoughts` unfolds reasoning."""

    cells: int
    thoughts: bool = False

    @property
    def narrow(self) -> bool:
        return self.cells < NARROW


@dataclass(frozen=True, slots=True)
class Place:
    """What of its neighbours a row's lines depend on: an empty line above, and the heading of a turn's answer."""

    gap: bool = False
    heading: bool = False


def place_of(row: Row, before: Row | None, heading: bool, look: Look) -> Place:
    """`before` is the row above; `heading` is True for the first row of an answer (see `opens_answer`)."""
    if before is None:
        return Place(False, heading)
    close = row.kind in _ONE_LINERS and before.kind in _ONE_LINERS and not heading and not look.thoughts
    return Place(not close and not (look.narrow and row.kind not in ("user", "assistant")), heading)


def opens_answer(row: Row, before: Row | None) -> bool:
    """True when `row` is the first of an answer: `before` is the nearest row above that is no context and no notice."""
    return row.kind in _AGENT and (before is None or before.kind not in _AGENT or before.turn != row.turn)


def row_lines(row: Row, look: Look, place: Place) -> list[Line]:
    """The lines of a row, the empty one above it included."""
    lines: list[Line] = [EMPTY] if place.gap else []
    if place.heading:
        lines.append((Span("✦ Assistant", "assistant"),))
    lines.extend(_body(row, look))
    return lines


def head_lines(place: Place) -> list[Line]:
    """What stands above the text of a row whose own lines are made elsewhere."""
    return row_lines(_NOTHING, Look(80), place)


_NOTHING = Row(key="", kind="assistant", seq=-1, turn=0, time=0)


def _body(row: Row, look: Look) -> list[Line]:
    match row.kind:
        case "user":
            return _user(row, look)
        case "assistant":
            lines = markdown_lines(row.text, look.cells)
            return [*lines, (Span("⋯ interrupted", "warning"),)] if row.interrupted else lines
        case "reasoning":
            return _reasoning(row, look)
        case "tool":
            summary = report(row)
            shown = [] if summary is None else [EMPTY, *markdown_lines(summary, look.cells)]
            return [*tool_lines(row, look.cells), *shown]
        case "command":
            return _command(row, look)
        case "compaction":
            return _compaction(row, look)
        case "context":
            parts = [Span("◆ context", "context"), Span(f" · {one_line(row.name, 60)}", "muted")]
            text = one_line(row.text, 300)
            return [cut_line((*parts, Span(f" · {text}" if text else "", "muted")), look.cells)]
        case _:
            mark, role = _LEVELS.get(row.level, ("·", "muted"))
            return indent(wrap([Span(safe(row.text), role)], look.cells - 2), Span(f"{mark} ", role), Span("  "))


def _user(row: Row, look: Look) -> list[Line]:
    text = safe(row.text).strip("\n")
    if look.narrow:
        return indent(wrap([Span(text, "user")], look.cells - 2), Span("❯ ", "you"), Span("  "))
    return [(Span("❯ You", "you"),), *wrap([Span(text, "user")], look.cells)]


def _command(row: Row, look: Look) -> list[Line]:
    """A command that somebody gave the host, here or at another client, and what it said."""
    mark, role = {"running": ("◐ ", "busy"), "failed": ("✗ ", "bad")}.get(row.status, ("· ", "muted"))
    typed = one_line(f"/{row.name} {row.arguments}".rstrip(), 300) if row.name else "a command"
    head = cut_line((Span(mark, role), Span(typed, "code")), look.cells)
    said = safe(row.text).strip("\n")
    if not said:
        return [head]
    words = wrap([Span(said, "bad" if row.status == "failed" else "")], look.cells - 2)
    return [head, *indent(words, Span("  "), Span("  "))]


def _compaction(row: Row, look: Look) -> list[Line]:
    """What the model no longer sees as it was. The rows stand above all the same; the summary is here to unfold."""
    meta = row.meta or {}
    number, before, after = (meta.get(name) or 0 for name in ("messages", "before", "after"))
    what = f"{count.plural(number, 'message')} summed up" if row.text else f"{count.plural(number, 'result')} shortened"
    sizes = f" · {count.compact(before)} → {count.compact(after)}{'' if look.narrow else ' tokens'}" if before else ""
    unfolded = bool(row.text) and look.thoughts
    mark = "▾" if unfolded else "▸" if row.text else "·"
    hint = " · Ctrl+T shows the summary" if row.text and not unfolded else ""
    whom = "" if look.narrow else " for the model"
    head = cut_line((Span(f"{mark} {what}{whom}", "context"), Span(f"{sizes}{hint}", "muted")), look.cells)
    if not unfolded:
        return [head]
    return [head, *indent(markdown_lines(row.text, look.cells - 2), Span("  "), Span("  "))]


def _reasoning(row: Row, look: Look) -> list[Line]:
    if look.thoughts:
        return [(Span("◇ thought", "thought"),), *thought_lines(row.text, look.cells)]
    return [cut_line((Span("◇ thought", "thought"), Span(f" · {one_line(row.text, 300)}", "muted")), look.cells)]


def thought_lines(text: str, cells: int) -> list[Line]:
    """Reasoning in full: plain, for models do not write it to be read."""
    return wrap([Span(safe(text).strip("\n"), "reasoning")], cells)


def live_thought_line(text: str, cells: int) -> list[Line]:
    """Reasoning that is being written, where there is no room for it: its end on one line."""
    tail = tail_of(text, cells - 10)
    return [(Span("◇ thought ", "thought"), *(Span(span.text, "muted") for span in tail))]
