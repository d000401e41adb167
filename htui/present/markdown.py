"""Message text as styled lines at a width: GitHub's Markdown, and a short way for text that has none of its signs.

Never raises: whatever cannot be read as Markdown is shown as it was written. markdown-it is loaded at the first text
that needs it. Raw HTML is text. Line breaks of the author are kept.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from htui.present.code import code_lines
from htui.present.inline import inline_spans
from htui.present.lines import EMPTY, Line, Span, indent, text_of, wrap
from htui.present.safe import safe
from htui.present.table import table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SIGNS = re.compile(r"[*_`#>|\[\]~\\<&]|^\s*(?:[-+=]|\d+[.)])|^(?: {4}|\t)", re.MULTILINE)
_BULLETS = ("•", "◦", "▪")
_NARROW = 8
"""Cells below which nested blocks are not indented any further."""


def markdown_lines(text: str, cells: int) -> list[Line]:
    """`text` (as it came from outside) as safe lines of at most `cells`."""
    cells = max(1, cells)
    if is_plain(text):
        return plain_lines(text, cells)
    try:
        return blocks_lines(parse(text), cells)
    except Exception:
        return plain_lines(text, cells)


def is_plain(text: str) -> bool:
    """True when `text` has no sign that Markdown could give a meaning."""
    return _SIGNS.search(text) is None


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


@cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def parse(text: str) -> list["Token"]:
    return parser().parse(text)


def top_blocks(tokens: Sequence["Token"]) -> list[Sequence["Token"]]:
    """The tokens cut at the top-level blocks."""
    blocks, start, depth = [], 0, 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if not depth:
            blocks.append(tokens[start : place + 1])
            start = place + 1
    return blocks


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
    return code_lines(token.content, token.info, cells)


def _rule(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    return [(Span("─" * min(cells, 40), "rule"),)]


def _quote(block: Sequence["Token"], cells: int, depth: int) -> list[Line]:
    inner = blocks_lines(block[1:-1], max(_NARROW, cells - 2), depth=depth)
    bar = Span("▎ ", "quote")
    return [(bar, *(Span(span.text, f"{span.role} quote".strip()) for span in line)) for line in inner]


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
        inner = blocks_lines(item[1:-1], max(_NARROW, cells - widest), tight=tight, depth=depth + 1)
        if place and not tight:
            lines.append(EMPTY)
        lines.extend(indent(inner or [EMPTY], Span(mark, "bullet"), Span(" " * widest)))
    return lines


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
    "hr": _rule,
    "blockquote_open": _quote,
    "bullet_list_open": _list,
    "ordered_list_open": _list,
    "table_open": _table,
}
