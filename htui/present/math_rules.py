"""Rules for markdown-it that find formulas: `$…$`, `$$…$$`, `\\\\(…\\\\)` and `\\\\[…\\\\]` (CLIENT 7).

A dollar is more often money than mathematics, so a pair of them counts only where it cannot be read otherwise: no blank
inside next to them, no letter or digit outside, and no sentence between them. A displayed formula ends at the latest at
an empty line, as it does in TeX. Until its end has come it is shown as it was written, so that nothing of it is taken
for Markdown while it is being typed. Whether one begins
is decided by its first line alone: what stands above must not become something else by what comes below.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

INLINE = "math_inline"
BLOCK = "math_block"
"""Types of the tokens. `content` is the formula, `markup` opens it, `info` is `open` while its end is missing."""

LONGEST = 4 * 1024
_CLOSING = {"$$": "$$", "\\[": "\\]", "$": "$", "\\(": "\\)"}
_FORMULA = re.compile(r"[\\^_={}+*/<>|]")
_SENTENCE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}[ \n]+[A-Za-z]{2,}")
_MACRO = re.compile(r"\\[A-Za-z]+\*?(?:\{[^{}]*\})?")


def add_math(markdown: "MarkdownIt") -> None:
    markdown.inline.ruler.before("escape", INLINE, _inline)
    markdown.block.ruler.before("fence", BLOCK, _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _inline(state: "StateInline", silent: bool) -> bool:
    found = _inline_formula(state.src, state.pos, state.posMax)
    if found is None:
        return False
    markup, content = found
    if not silent:
        token = state.push(INLINE, "", 0)
        token.content, token.markup = content, markup
    state.pos += len(markup) + len(content) + len(_CLOSING[markup])
    return True


def _inline_formula(text: str, start: int, end: int) -> tuple[str, str] | None:
    """(what opens it, the formula) of the formula that begins at `start`."""
    markup = text[start : start + 2]
    if markup not in _CLOSING:
        markup = text[start : start + 1]
        if markup != "$":
            return None
    first = start + len(markup)
    last = _end(text, first, min(end, first + LONGEST), markup)
    content = text[first:last] if last > first else ""
    if not content.strip() or "`" in content or "\n\n" in content:
        return None
    if markup == "$" and (_is_word(text, start - 1) or _is_word(text, last + 1) or not _tight(content)):
        return None
    if markup == "\\[" and not _FORMULA.search(content):
        return None
    return markup, content


def _end(text: str, start: int, end: int, markup: str) -> int:
    """Where the formula ends; -1 when it does not."""
    closing = _CLOSING[markup]
    place = text.find(closing, start, end)
    while place > 0 and closing[0] == "$" and text[place - 1] == "\\":
        place = text.find(closing, place + 1, end)
    return place


def _is_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and (text[place] in "$\\_" or (text[place].isascii() and text[place].isalnum()))


def _tight(content: str) -> bool:
    return content == content.strip() and _SENTENCE.search(_MACRO.sub("", content)) is None


def _block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    markup = state.src[state.bMarks[start] + state.tShift[start] :][:2]
    if markup not in ("$$", "\\["):
        return False
    lines: list[str] = []
    closed = False
    line = start
    while line < end and not closed and (line == start or state.sCount[line] >= state.blkIndent):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        text = text[2:] if line == start else text
        if line > start and not text.strip():
            break
        before, found, behind = text.partition(_CLOSING[markup])
        if line == start and found and behind.strip():
            return False
        closed = bool(found) and not behind.strip()
        lines.append(before if closed else text)
        line += 1
    if silent:
        return True
    token = state.push(BLOCK, "", 0)
    token.content, token.markup, token.info = "\n".join(lines), markup, "" if closed else "open"
    token.map = [start, line]
    state.line = line
    return True
