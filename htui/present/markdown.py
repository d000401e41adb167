"""Message text as styled lines at a width: GitHub's Markdown, and a short way for text that has none of its signs.

Never raises: whatever cannot be read as Markdown is shown as it was written. Line breaks of the author are kept.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from htui.present.cells import width
from htui.present.code import code_lines
from htui.present.grammar import is_closed, parse, top_blocks
from htui.present.guarded import guarded
from htui.present.inline import inline_spans
from htui.present.lines import EMPTY, GUTTER, Line, Span, indent, text_of, wrap
from htui.present.mermaid import diagram_lines, is_mermaid
from htui.present.safe import one_line, safe
from htui.present.table import table_lines
from htui.present.tex import formula

if TYPE_CHECKING:
    from markdown_it.token import Token

LARGEST = 256 * 1024
"""Characters; a longer text is shown without its Markdown (CLIENT 7)."""

_SIGNS = re.compile(r"[*_`#>|\[\]~\\<&$@]|://|www\.|^\s*(?:[-+=]|\d+[.)])|^(?: {4}|\t)", re.MULTILINE)
_BULLETS = ("•", "◦", "▪")
_TASK = re.compile(r"\[[ xX]\]\s")
_FORMULA_LANGUAGES = frozenset({"math", "latex", "tex", "mathjax"})
_NARROW = 8
"""Cells below which nested blocks are not indented any further."""


def markdown_lines(text: str, cells: int) -> list[Line]:
    """`text` (as it came from outside) as safe lines of at most `cells`."""
    cells = max(1, cells)
    rich = None if is_plain(text) else guarded(lambda: blocks_lines(parse(text), cells))
    return plain_lines(text, cells) if rich is None else rich


def is_plain(text: str) -> bool:
    """True when `text` has no sign that Markdown could give a meaning, or is too long to look for one."""
    return len(text) > LARGEST or _SIGNS.search(text) is None


def plain_lines(text: str, cells: int) -> list[Line]:
    """Paragraphs of plain text: one empty line between them, lines wrapped."""
    lines: list[Line] = []
    for part in safe(text).split("\n"):
        part = part.strip()
        if part:
            lines.extend(wrap([Span(part)], cells))
        elif lines and lines[-1] != EMPTY:
            lines.append(EMPTY)
    if lines and lines[-1] == EMPTY:
        lines.pop()
    return lines


def blocks_lines(tokens: Sequence["Token"], cells: int, *, tight: bool = False, depth: int = 0) -> list[Line]:
    """The lines of neighbouring blocks, with an empty line between them unless they are `tight`."""
    lines: list[Line] = []
    for block in top_blocks(tokens):
        shown = _block_lines(block, cells, depth)
        if shown:
            if lines and not tight:
                lines.append(EMPTY)
            lines.extend(shown)
    return lines


def _block_lines(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    handler = _BLOCKS.get(block[0].type)
    return handler(block, cells, depth) if handler else wrap([Span(safe(block[0].content))], cells)


def _paragraph(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    return _stripped(wrap(inline_spans(block[1].children or ()), cells))


def _stripped(lines: list[Line]) -> list[Line]:
    while lines and not text_of(lines[-1]).strip():
        lines.pop()
    return lines


def _heading(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    role = "heading" if block[0].tag in ("h1", "h2") else "subheading"
    return wrap(inline_spans(block[1].children or (), role), cells)


def _code(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    token = block[0]
    if token.type == "fence" and is_closed(token):
        if is_mermaid(token.info):
            drawn = diagram_lines(token.content, cells)
            if drawn is not None:
                return [(Span(line, "diagram"),) if line else EMPTY for line in drawn]
        if token.info.strip().lower() in _FORMULA_LANGUAGES:
            shown = _formula_lines(token.content, cells)
            if shown:
                return shown
    return code_lines(token.content, token.info, cells)


def _formula(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    """A displayed formula; as it was written while it is open and where it cannot be shown otherwise."""
    token = block[0]
    shown = [] if token.info else _formula_lines(token.content, cells)
    end = "" if token.info else {"$$": "$$", "\\[": "\\]"}[token.markup]
    return shown or wrap([Span(safe(f"{token.markup}{token.content}{end}"), "math")], cells)


def _formula_lines(source: str, cells: int) -> list[Line]:
    text = formula(source)
    if text is None:
        return []
    inner, lead = _within(cells, 2)
    return indent(wrap([Span(text, "math")], inner), Span(lead), Span(lead))


def _within(cells: int, lead: int) -> tuple[int, str]:
    """The cells behind an indent of `lead`, and the indent; none where there is no room for it."""
    return (cells - lead, " " * lead) if cells - lead >= _NARROW else (cells, "")


def _rule(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    return [(Span("─" * min(cells, 40), "rule"),)]


def _quote(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    room, lead = _within(cells, 2)
    bar = [Span("▎ ", f"quote {GUTTER}")] if lead else []
    return [
        (*bar, *(Span(span.text, f"{span.role} quote".strip()) for span in line))
        for line in blocks_lines(block[1:-1], room, depth=depth)
    ]


def _footnote(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    """A note stands where it was written, behind its name."""
    mark = f"[^{one_line(str(block[0].meta.get('label', '')), 20)}] "
    room, lead = _within(cells, width(mark))
    inner = blocks_lines(block[1:-1], room, depth=depth) or [EMPTY]
    return indent(inner, Span(mark, "link"), Span(lead)) if lead else [(Span(mark.rstrip(), "link"),), *inner]


def _list(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    items = top_blocks(block[1:-1])
    ordered = block[0].type == "ordered_list_open"
    number = int(block[0].attrGet("start") or 1) if ordered else 0
    widest = len(f"{number + len(items) - 1}. ") if ordered else 2
    tight = not any(
        token.type == "paragraph_open" and not token.hidden for token in block if token.level <= block[0].level + 2
    )
    lines: list[Line] = []
    for place, item in enumerate(items):
        mark = f"{number + place}. ".rjust(widest) if ordered else f"{_BULLETS[depth % len(_BULLETS)]} "
        box, content = _box(item)
        if box:
            mark = f"{mark}{box} " if ordered else f"{box} "
        room, lead = _within(cells, len(mark))
        inner = blocks_lines(content, room, tight=tight, depth=depth + 1)
        if place and not tight:
            lines.append(EMPTY)
        lines.extend(
            indent(inner or [EMPTY], Span(mark, "bullet") if lead else Span(f"{box} " if box else ""), Span(lead))
        )
    return lines


def _box(item: Sequence["Token"]) -> tuple[str, Sequence["Token"]]:
    """(`[ ]` or `[x]`, the rest) of the item of a task list; no box for any other."""
    inline = item[2] if len(item) > 2 and item[2].type == "inline" else None
    words = inline.children[0] if inline is not None and inline.children else None
    if inline is None or words is None or words.type != "text" or _TASK.match(words.content) is None:
        return "", item[1:-1]
    rest = replace(words, content=words.content[3:].lstrip())
    text = replace(inline, children=[rest, *(inline.children or ())[1:]])
    return words.content[:3].lower(), [item[1], text, *item[3:-1]]


def _table(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    rows: list[list[list[Span]]] = []
    aligns: list[str] = []
    header = 0
    for place, token in enumerate(block):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(inline_spans(block[place + 1].children or ()))
            if token.type == "th_open":
                aligns.append(str(token.attrGet("style") or "left").rpartition(":")[2])
        elif token.type == "thead_close":
            header = len(rows)
    if not header:
        return []
    return table_lines(rows[0], rows[header:], aligns, cells)


_BLOCKS: dict[str, Callable[[Sequence["Token"], int, int], list[Line]]] = {
    "paragraph_open": _paragraph,
    "heading_open": _heading,
    "fence": _code,
    "code_block": _code,
    "math_block": _formula,
    "footnote_reference_open": _footnote,
    "hr": _rule,
    "blockquote_open": _quote,
    "bullet_list_open": _list,
    "ordered_list_open": _list,
    "table_open": _table,
}
