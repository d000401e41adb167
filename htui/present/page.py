"""A conversation as one HTML page that needs nothing else: no script, no network, no font. Pure.

Markdown is rendered with raw HTML as text; links keep only addresses that a click may follow; pictures are told and not
loaded; formulas are MathML of a known set of elements; diagrams are drawn in text, as on the screen. A policy in the
head of the page forbids the browser everything that is not in it, whatever got through.
"""

import html
from collections.abc import Mapping, MutableMapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from xml.etree import ElementTree

from hd.protocol.projections.transcript import Row
from htui.present import arguments
from htui.present.grammar import parser
from htui.present.guarded import guarded
from htui.present.mermaid import diagram_lines, is_mermaid
from htui.present.safe import one_line, safe
from htui.present.tool_row import command_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LARGEST: Final = 1024 * 1024
"""Characters of one text that are read as Markdown."""
_FORMULA: Final = 4 * 1024
_DIAGRAM_CELLS: Final = 100
_SCHEMES: Final = frozenset({"http", "https", "mailto"})
_SECONDS: Final = 1.0

_ELEMENTS: Final = """math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
mtable mtr mtd mstyle mpadded mphantom menclose mmultiscripts mprescripts none semantics"""
_SHAPES: Final = """display displaystyle mathvariant stretchy fence separator form accent accentunder linethickness
columnalign rowspacing columnspacing lspace rspace width height depth movablelimits largeop symmetric notation
scriptlevel"""
_MATHML: Final = frozenset(_ELEMENTS.split())
_ATTRIBUTES: Final = frozenset(_SHAPES.split())
"""What a formula may be made of."""

HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --soft: #8881; --muted: #666; --you: #0b57d0; --bad: #b3261e }}
@media (prefers-color-scheme: dark) {{ :root {{ --muted: #aaa; --you: #8ab4f8; --bad: #f2b8b5 }} }}
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1rem }}
body {{ overflow-wrap: anywhere }}
header, footer {{ color: var(--muted); font-size: .875rem }}
section {{ border-top: 1px solid var(--line); padding: .6rem 0 }}
h2 {{ font-size: .875rem; margin: 0 0 .3rem; color: var(--muted); font-weight: 600 }}
.user h2 {{ color: var(--you) }} .failed summary, .error {{ color: var(--bad) }}
pre {{ background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: .3rem; line-height: 1.3 }}
code, pre {{ font-family: ui-monospace, monospace; font-size: .875em }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
td, th {{ border: 1px solid var(--line); padding: .2rem .5rem; text-align: start }}
blockquote {{ margin: 0; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line) }}
details {{ color: var(--muted) }} summary {{ cursor: pointer }}
.said {{ white-space: pre-wrap }}
</style>
</head>
<body>
"""
END: Final = "<footer><p>{note}</p></footer>\n</body>\n</html>\n"

_HEADINGS: Final = {"user": "You", "assistant": "Assistant", "context": "Context", "compaction": "Summary"}


def page_head(title: str, folder: str, made: int) -> str:
    """The beginning of the page; `made` is in ms."""
    day = datetime.fromtimestamp(made / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    shown = html.escape(one_line(title, 200))
    where = f"{html.escape(one_line(folder, 300))} · {day}"
    return f"{HEAD.format(title=shown)}<header><h1>{shown}</h1><p>{where}</p></header>\n"


def page_end(note: str) -> str:
    return END.format(note=html.escape(note))


def row_html(row: Row) -> str:
    """A row as a section of the page."""
    match row.kind:
        case "user":
            return _section(row, "You", f'<div class="said">{_text(row.text)}</div>')
        case "assistant":
            return _section(row, "Assistant", markdown_html(row.text))
        case "tool" | "command":
            return _tool(row)
        case "notice":
            return f'<section class="{_level(row)}"><p class="said">{_text(row.text)}</p></section>\n'
        case _:
            name = "Thoughts" if row.kind == "reasoning" else _HEADINGS.get(row.kind, row.kind)
            return _folded(row, name, f'<div class="said">{_text(row.text)}</div>')


def markdown_html(text: str) -> str:
    """The text (as it came from outside) as HTML; what cannot be read as Markdown is shown as it was written."""
    plain = f'<div class="said">{_text(text)}</div>'
    if len(text) > LARGEST:
        return plain
    return guarded(lambda: str(_renderer().render(safe(text)))) or plain


def formula_html(source: str, *, block: bool) -> str:
    """A formula as MathML, or its source where it cannot be read."""
    found = guarded(lambda: _mathml(source, block=block), _SECONDS) if len(source) <= _FORMULA else None
    return found or f"<code>{_text(source)}</code>"


def _mathml(source: str, *, block: bool) -> str | None:
    from latex2mathml.converter import convert_to_element

    element = convert_to_element(source, display="block" if block else "inline")
    return ElementTree.tostring(element, "unicode") if _is_known(element) else None


def _is_known(element: ElementTree.Element) -> bool:
    """Whether every element of a formula is one that only shows something; other attributes are taken away."""
    for part in element.iter():
        if part.tag not in _MATHML:
            return False
        for name in [name for name in part.attrib if name not in _ATTRIBUTES]:
            del part.attrib[name]
    element.set("xmlns", "http://www.w3.org/1998/Math/MathML")
    return True


def _tool(row: Row) -> str:
    given = arguments.read(row.arguments)
    what = command_of(given) or str(given.get("path") or "")
    state = {"running": "◐", "done": "✓", "failed": "✗", "cancelled": "✗"}[row.status]
    name = f"{state} {row.name or 'tool'}" + (f" · {one_line(what, 160)}" if what else "")
    body = f"<pre>{_text(row.arguments)}</pre>" if row.arguments.strip() not in ("", "{}") else ""
    return _folded(row, name, body + (f"<pre>{_text(row.text)}</pre>" if row.text else ""))


def _section(row: Row, name: str, body: str) -> str:
    return f'<section class="{row.kind}" id="r{row.seq}"><h2>{name}</h2>{body}</section>\n'


def _folded(row: Row, name: str, body: str) -> str:
    failed = " failed" if row.kind == "tool" and row.status == "failed" else ""
    summary = f"<summary>{_text(name)}</summary>"
    return f'<section class="{row.kind}{failed}" id="r{row.seq}"><details>{summary}{body}</details></section>\n'


def _level(row: Row) -> str:
    return row.level if row.level in ("info", "warning", "error") else "info"


def _text(text: str) -> str:
    return html.escape(safe(text))


@cache
def _renderer() -> "MarkdownIt":
    """The parser of the screen, with rules of its own for what a page must not do."""
    markdown = parser.__wrapped__()
    rules = markdown.renderer.rules  # type: ignore[attr-defined]
    rules["link_open"] = _link_open
    rules["image"] = _image
    rules["fence"] = rules["code_block"] = _fence
    rules["math_inline"] = lambda tokens, at, options, env: formula_html(tokens[at].content, block=False)
    rules["math_inline_double"] = lambda tokens, at, options, env: formula_html(tokens[at].content, block=True)
    rules["math_block"] = lambda tokens, at, options, env: f"<p>{formula_html(tokens[at].content, block=True)}</p>\n"
    return markdown


_Options = Mapping[str, Any]
_Env = MutableMapping[str, Any]


def _link_open(tokens: Sequence["Token"], at: int, options: _Options, env: _Env) -> str:
    address = str(tokens[at].attrGet("href") or "")
    try:
        followed = urlsplit(address).scheme.lower() in _SCHEMES
    except ValueError:
        followed = False
    return f'<a href="{html.escape(address)}" rel="noopener noreferrer">' if followed else "<a>"


def _image(tokens: Sequence["Token"], at: int, options: _Options, env: _Env) -> str:
    """A picture would be loaded from somewhere, by which somebody would learn who reads this."""
    return f"[picture: {html.escape(tokens[at].content or str(tokens[at].attrGet('src') or ''))}]"


def _fence(tokens: Sequence["Token"], at: int, options: _Options, env: _Env) -> str:
    token = tokens[at]
    drawn = diagram_lines(token.content, _DIAGRAM_CELLS) if is_mermaid(token.info) else None
    if token.info.strip().lower() in ("math", "latex", "tex"):
        return f"<p>{formula_html(token.content.strip(), block=True)}</p>\n"
    text = token.content if drawn is None else "\n".join(drawn)
    return f"<pre><code>{html.escape(text)}</code></pre>\n"
