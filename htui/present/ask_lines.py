"""The cards of approvals and questions as lines, with the choices always in sight (cases E01, J04, J13)."""

from dataclasses import dataclass

from htui.present import count
from htui.present.approval import Card, payload_lines
from htui.present.lines import EMPTY, Line, Span, cells_of, cut_line, indent, rule_line, wrap
from htui.present.markdown import markdown_lines
from htui.present.question import Asking

NARROWEST = 30
"""Cells from which titles have a rule."""

CHOICES = ("allow once", "deny", "stop turn")
ALWAYS = "always, here"
"""The choice behind them, where the host offers it: a digit that people know means the same on every card."""


@dataclass(frozen=True, slots=True)
class View:
    """A window of `size` lines from `top` on over `total` lines."""

    top: int
    size: int
    total: int

    @property
    def below(self) -> int:
        return max(0, self.total - self.top - self.size)

    def moved(self, by: int) -> "View":
        return View(max(0, min(self.top + by, self.total - self.size)), self.size, self.total)


def approval_lines(
    card: Card,
    view: View,
    about: list[Line],
    cells: int,
    *,
    seen: bool,
    cursor: int,
    hint: str,
    more: int = 0,
    always: bool = False,
) -> list[Line]:
    """The card: its title, the part of the payload in sight, the lines `about` it, the choices.

    `seen` says that the end of the payload has been on the screen; before, allowing is not offered. `more` asks wait
    behind this one. `always` says that there is room for the choice that makes a rule, and for all of its words.
    """
    side = Span(f"+{more} more" if more else "", "muted")
    shown = payload_lines(card, cells)[view.top : view.top + view.size]
    lines = [_title(f"? Allow {card.tool}?", side, cells), *shown]
    if view.total > view.size:
        lines.append(cut_line((Span(_position(view), "warning" if view.below else "muted"),), cells))
    lines.extend(about)
    if always:
        lines.extend(always_lines(card, cells))
    lines.extend(choice_lines(cells, seen=seen, cursor=cursor, always=always))
    if hint:
        lines.append(cut_line((Span(hint, "warning"),), cells))
    return lines


def about_lines(card: Card, cells: int, rows: int) -> list[Line]:
    """Why the host asks, and what the model says: on at most two lines each, on one where there are few rows."""
    texts = [("Reason: ", card.reason), ("Blocked: ", card.blocked), ("The model says: ", card.said)]
    lines: list[Line] = []
    for name, text in texts:
        if text:
            whole = wrap([Span(name, "muted"), Span(text, "muted")], cells)
            lines.extend(_short(whole, cells, 2 if rows >= 4 else 1))
    return lines[: max(0, rows)]


def always_lines(card: Card, cells: int) -> list[Line]:
    """What the last choice would cover, whole; none where there is no such choice."""
    return wrap([Span("4 covers: ", "muted"), Span(card.always)], cells) if card.always else []


def choice_lines(cells: int, *, seen: bool, cursor: int, always: bool = False) -> list[Line]:
    """The choices in one line, or one below the other where that does not fit."""
    parts: list[list[Span]] = []
    for place, text in enumerate((*CHOICES, ALWAYS) if always else CHOICES):
        off = place in (0, len(CHOICES)) and not seen
        label = f"{place + 1} {text}" + (" (read to the end first)" if off else "")
        role = "muted" if off else "strong"
        parts.append(
            [Span(f"▸ {label}" if cursor == place else f"  {label}", f"{role} selected" if cursor == place else role)]
        )
    row: Line = tuple(span for part in parts for span in part)
    return [row] if cells_of(row) <= cells else [cut_line(tuple(part), cells) for part in parts]


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """The lines of a question: `body` is what is asked, `view` the part of it in sight, `choices` those in sight.

    `place` tells where the view stands, where there is a line for that.
    """

    head: Line
    body: list[Line]
    view: View
    place: list[Line]
    choices: list[Line]


def question_parts(asking: Asking, cells: int, rows: int, top: int) -> QuestionParts:
    """The question at hand in `rows` lines, its text from the line `top` on.

    The choices stay in sight. Where they leave too little, they are shortened to a line each, and then to those around
    the highlighted one; the text above is scrolled.
    """
    question = asking.question
    number = f" {asking.index + 1}/{len(asking.questions)}" if len(asking.questions) > 1 else ""
    header = f" · {question.header}" if question.header else ""
    detail = markdown_lines(question.detail, cells) if question.detail else []
    body = [*wrap([Span(question.text, "strong")], cells), *([EMPTY, *detail] if detail else [])]
    room = max(2, rows - 1)
    choices = _option_lines(asking, cells, whole=True)
    if len(choices) > room - min(len(body), max(1, room // 2)):
        choices = _option_lines(asking, cells, whole=False)
    if len(choices) > room - 1:
        least = min(len(body), max(1, room // 2))
        choices = _around(choices, 0 if asking.cursor < 0 else asking.cursor, max(1, room - least), cells)
    left = max(1, room - len(choices))
    placed = left < len(body) and left > 1
    view = View(top, min(len(body), left - 1 if placed else left), len(body)).moved(0)
    side = "" if placed or not view.below else f"↓ {view.below}"
    head = _title(f"? Question{number}{header}", Span(side, "warning"), cells)
    keys = "PgDn" if asking.writing else "PgDn or space"
    place = [cut_line((Span(_position(view, keys), "warning" if view.below else "muted"),), cells)]
    return QuestionParts(head, body, view, place if placed else [], choices)


def question_lines(parts: QuestionParts, hint: str, cells: int) -> list[Line]:
    """The card of a question."""
    view = parts.view
    shown = parts.body[view.top : view.top + view.size]
    return [
        parts.head,
        *shown,
        *parts.place,
        *parts.choices,
        *([cut_line((Span(hint, "muted"),), cells)] if hint else []),
    ]


def _option_lines(asking: Asking, cells: int, *, whole: bool) -> list[Line]:
    if asking.writing:
        return [cut_line((Span("Write the answer below · Enter sends it", "muted"),), cells)]
    lines = []
    for place, option in enumerate(asking.question.options):
        box = ("[x] " if place in asking.chosen else "[ ] ") if asking.question.multiple else ""
        said = f" · {option.description}" if option.description else ""
        lines += _option(asking, place, f"{box}{option.shown}", said, cells, whole=whole)
    return [*lines, *_option(asking, len(asking.question.options), asking.question.other, "", cells, whole=whole)]


def _option(asking: Asking, place: int, label: str, said: str, cells: int, *, whole: bool) -> list[Line]:
    here = asking.cursor == place
    mark = f"{'▸' if here else ' '} {place + 1 if place < 9 else ' '} "
    role = "strong selected" if here else "strong"
    if not whole:
        return [cut_line((Span(mark, role), Span(label, role), Span(said, "muted")), cells)]
    text = wrap([Span(label, role), Span(said, "muted")], max(1, cells - len(mark)))
    return indent(text, Span(mark, role), Span(" " * len(mark)))


def _around(lines: list[Line], place: int, room: int, cells: int) -> list[Line]:
    """The lines around one of them, with the last telling how many more there are."""
    size = max(1, room - 1)
    top = max(0, min(place - size // 2, len(lines) - size))
    more = Span(f"    {count.plural(len(lines) - size, 'more choice')} · ↑↓", "warning")
    return [*lines[top : top + size], *([cut_line((more,), cells)] if room > 1 else [])]


def _position(view: View, keys: str = "PgDn or space") -> str:
    if view.below:
        return f"↓ {count.plural(view.below, 'more line')} · {keys}"
    return f"end of {count.plural(view.total, 'line')} · PgUp goes back"


def _short(lines: list[Line], cells: int, most: int) -> list[Line]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], cut_line((*lines[most - 1], Span(" " * cells, "muted")), cells)]


def _title(title: str, side: Span, cells: int) -> Line:
    """The title in a rule across the screen, alone where the rule would leave too little of it."""
    if cells < NARROWEST:
        return cut_line((Span(title, "needs"), *((Span("  "), side) if side.text else ())), cells)
    return rule_line(title, side, cells, "needs")
