"""Inline Markdown: the children of an `inline` token as spans."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from htui.present.lines import Span
from htui.present.safe import one_line, safe
from htui.present.tex import formula

if TYPE_CHECKING:
    from markdown_it.token import Token

_ROLES = {"strong": "strong", "em": "em", "s": "strike", "link": "link"}


def inline_spans(tokens: Sequence["Token"], base: str = "") -> list[Span]:
    """Spans of an inline token's children; `base` is the role of the block around them.

    The address of a link stands behind its text, so that it can be read and copied, unless it is the text.
    """
    spans: list[Span] = []
    open_roles: list[str] = [base] if base else []
    links: list[tuple[str, int]] = []  # where each leads, and its first span
    for token in tokens:
        name, _, end = token.type.rpartition("_")
        if end == "open" and name in _ROLES:
            if name == "link":
                address = "" if token.info == "auto" else str(token.attrGet("href") or "")
                links.append((address, len(spans)))
            open_roles.append(_ROLES[name])
        elif end == "close" and name in _ROLES:
            open_roles.pop()
            if name == "link":
                href, first = links.pop()
                spans.extend(_address(href, "".join(span.text for span in spans[first:]), base))
        else:
            text, role = _leaf(token)
            if text:
                spans.append(Span(text, " ".join([*open_roles, role] if role else open_roles)))
    return spans


def _leaf(token: "Token") -> tuple[str, str]:
    match token.type:
        case "code_inline":
            return safe(token.content), "code"
        case "math_inline":
            return _formula(token.content, token.markup), "math"
        case "footnote_ref":
            return f"[^{one_line(str(token.meta.get('label', '')), 20)}]", "link"
        case "softbreak" | "hardbreak":
            return "\n", ""
        case "image":
            source = str(token.attrGet("src") or "")
            return safe(f"[{token.content or 'image'}] ({source})").replace("\n", " "), "link"
        case _:
            return safe(token.content), ""


def _formula(source: str, markup: str) -> str:
    """The formula in one line; as it was written where it cannot be shown otherwise."""
    shown = formula(source)
    if shown is None:
        closing = {"\\(": "\\)", "\\[": "\\]"}.get(markup, markup)
        return safe(f"{markup}{source}{closing}").replace("\n", " ")
    return shown.replace("\n", "; ")


def _address(href: str, text: str, base: str) -> list[Span]:
    shown = safe(href).replace("\n", "")
    if not shown or shown in (text, f"mailto:{text}", f"http://{text}"):
        return []
    return [Span(f" ({shown})", f"{base} href".strip())]
