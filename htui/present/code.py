"""Code as styled lines: highlighted when that is cheap, plain when it is not. pygments is loaded at the first use."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from htui.present.cells import chop, graphemes
from htui.present.guarded import guarded
from htui.present.lines import EMPTY, GUTTER, Line, Span, chop_spans, split_lines
from htui.present.safe import safe

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]
    from pygments.token import _TokenType  # type: ignore[import-untyped]

LARGEST = 64 * 1024
"""Characters; longer code is shown without colours."""

SECONDS = 0.5
PLAIN = "block"
_GUTTER = Span("  ", GUTTER)
_WRAPPED = Span("↪ ", f"muted {GUTTER}")


def code_lines(code: str, language: str, cells: int) -> list[Line]:
    """The lines of a code block at a width; what is too long for a line goes on behind an arrow."""
    if not code:
        return []
    code = safe(code).removesuffix("\n")
    spans = highlight(code, language)
    return [shown for part in split_lines(spans) for shown in _fitted(part, cells)]


def plain_line(text: str, cells: int) -> list[Line]:
    """One line of safe code that is not highlighted."""
    return [(_WRAPPED if place else _GUTTER, Span(piece, PLAIN)) for place, piece in enumerate(chop(text, cells - 2))]


def _fitted(spans: list[Span], cells: int) -> Iterable[Line]:
    if not spans:
        return [EMPTY]
    lines = chop_spans(spans, cells - 2)
    return [(_WRAPPED if place else _GUTTER, *line) for place, line in enumerate(lines)]


def highlight(code: str, language: str) -> list[Span]:
    """`code` (safe text) as spans of the roles `keyword`, `string`, `comment`, `number`, `name`, `added`, `removed`."""
    lexer = _lexer(language) if language and len(code) <= LARGEST else None
    if lexer is None:
        return [Span(code, PLAIN)]
    found = guarded(
        lambda: _merged((text, _role(kind)) for _, kind, text in lexer.get_tokens_unprocessed(code)), SECONDS
    )
    return [Span(code, PLAIN)] if found is None else found


def _merged(tokens: Iterable[tuple[str, str]]) -> list[Span]:
    """The tokens with neighbours of one role joined, and cut nowhere inside a grapheme, whose width is that of all."""
    spans: list[Span] = []
    for text, role in tokens:
        if spans and text and (spans[-1].role == role or _goes_on(spans[-1].text, text[0])):
            before = spans.pop()
            taken = len(text) if before.role == role else 1
            while taken < len(text) and _goes_on(before.text + text[:taken], text[taken]):
                taken += 1
            spans.append(Span(before.text + text[:taken], before.role))
            text = text[taken:]
        if text:
            spans.append(Span(text, role))
    return spans


def _goes_on(before: str, char: str) -> bool:
    """True when `char` belongs to the last grapheme of `before`."""
    return not char.isascii() and graphemes(before[-8:] + char)[-1] != char


def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return get_lexer_by_name(language.strip().split()[0].lower())
    except (ClassNotFound, IndexError):
        return None


_ROLE_OF = {
    "Keyword": "keyword",
    "Comment": "comment",
    "Name.Function": "name",
    "Name.Class": "name",
    "Name.Tag": "keyword",
    "Name.Decorator": "name",
    "Literal.String": "string",
    "Literal.Number": "number",
    "Generic.Inserted": "added",
    "Generic.Deleted": "removed",
    "Generic.Subheading": "name",
    "Generic.Heading": "strong",
}


def _role(kind: "_TokenType") -> str:
    parts = str(kind).removeprefix("Token.").split(".")
    found = _ROLE_OF.get(".".join(parts[:2])) or _ROLE_OF.get(parts[0])
    return f"{PLAIN} {found}" if found else PLAIN
