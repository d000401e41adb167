"""A tool call that the model wrote into its text instead of making it. Pure.

Servers take the markup of calls out of what the model writes. Where that fails, the markup stands in the text and the
answer looks finished: the turn would end as done with nothing done. A text may also speak of such markup, so it counts
only outside of code, and a form that people write themselves only at the beginning of a line and with the name of a
tool that was offered.
"""

import re
from collections.abc import Collection
from typing import Final

_CONTROL: Final = re.compile(
    r"<(?:｜\s*|\|)(?:DSML[｜|]\s*)?(?:tool[▁_](?:calls?|sep|outputs?)|function[▁_]calls?)|<(?:｜\s*|\|)DSML[｜|]",
    re.IGNORECASE,
)
"""The model's own marks (`<｜tool▁calls▁begin｜>`, `<｜DSML｜invoke …`), also with plain bars and underscores."""

_TAG: Final = re.compile(
    r"^[ \t]*(?:<(?:\w+:)?(?:tool_calls?|function_calls?|invoke|function)\b[^<>\n]*>|\[TOOL_CALLS\])", re.MULTILINE
)
"""The marks of other models and of prompts, which begin a line."""

_CODE: Final = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1|\Z)|(`+)[^`\n]+\2", re.MULTILINE | re.DOTALL)
_NAMING: Final = r"""(?:name["']?\s*[=:]\s*["']?|<function=|\[\{\s*"name":\s*"|^\s*|>\s*)"""


def has_leaked_call(text: str, tools: Collection[str]) -> bool:
    """Whether `text`, all of an answer that made no call, holds the markup of one. `tools` are the names offered."""
    if not tools or ("<" not in text and "[" not in text):
        return False
    prose = _CODE.sub(lambda found: " " * len(found[0]), text)
    if _CONTROL.search(prose) is not None:
        return True
    tag = _TAG.search(prose)
    return tag is not None and _names_tool(text[tag.start() :], tools)


def _names_tool(markup: str, tools: Collection[str]) -> bool:
    names = "|".join(re.escape(name) for name in tools)
    return re.search(rf"{_NAMING}(?:{names})\b", markup, re.MULTILINE) is not None
