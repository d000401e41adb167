"""The Markdown that is read: GitHub's, with footnotes where they stand and with formulas.

markdown-it and its plugins are loaded at the first text that needs them. Raw HTML is text.
"""

from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from htui.present.math_rules import add_math

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Definitions = MutableMapping[str, Any]
"""The addresses that a text defines for its links by `[name]: address`; filled by `parse`."""


@cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    markdown.use(gfm_autolink_plugin)
    add_math(markdown)
    return markdown


def parse(text: str, definitions: Definitions | None = None) -> list["Token"]:
    """The tokens of `text`, in which the links may use `definitions` of elsewhere."""
    env: dict[str, Any] = {"references": {} if definitions is None else definitions}
    return parser().parse(text, env)


def top_blocks(tokens: Sequence["Token"]) -> list[Sequence["Token"]]:
    """The tokens cut at the top-level blocks."""
    blocks, start, depth = [], 0, 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if not depth:
            blocks.append(tokens[start : place + 1])
            start = place + 1
    return blocks


def is_closed(token: "Token") -> bool:
    """True for a code fence with its end: one that is open, or was cut off, spans no line for it."""
    begin, end = token.map or (0, 0)
    return end - begin - 2 == token.content.count("\n") and token.content[-1:] in ("", "\n")
