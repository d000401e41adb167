"""The lines of a long output that matter, where all of it would fill the context; pure.

Errors, warnings, verdicts and addresses are what a model looks for in an output; its beginning says what ran and its
end how that went. The whole stays where it was kept, and whoever distils names the way back to it.
"""

import re
from typing import Final

from hd.tools.bounds import head_end, tail_start

_TELLING: Final = re.compile(
    r"error|warn|fail|fatal|panic|exception|traceback|denied|not found|undefined|cannot|assert|✗|✘"
    r"|https?://|\bpass(?:ed)?\b|success|succeeded|listening|built in|\b\d+ (?:tests?|errors?|problems?)\b"
    r"|错误|警告|失败|异常|成功|通过",
    re.IGNORECASE,
)
_WIDTH: Final = 300
"""Characters that are shown of a line in the middle; a telling word further out is not looked for."""

_END: Final = "[… the end: …]"


def distil(text: str, limit: int, *, total: int | None = None) -> str:
    """`text` in about `limit` characters: its beginning, the telling lines of the middle, its end.

    A text that is no longer comes back as it is. `total` is the length of the whole where `text` lacks its middle.
    """
    if len(text) <= limit:
        return text
    head = text[: head_end(text, limit // 6)]
    middle = text[len(head) :]
    telling = _telling(middle[: tail_start(middle, len(middle) - limit // 3)], limit // 2)
    room = limit - len(head) - sum(len(line) + 1 for line in telling)
    tail = middle[tail_start(middle, len(middle) - room) :]
    missing = max(total or 0, len(text)) - len(head) - len(tail)
    if not telling:
        return f"{_ended(head)}[… {missing:,} characters left out here …]\n{tail}"
    note = f"[… {missing:,} characters left out here; of these the lines that tell most: …]"
    return "\n".join([f"{_ended(head)}{note}", *telling, _END, tail])


def _telling(text: str, room: int) -> list[str]:
    """The telling lines, each once; the last ones where there is no room for all."""
    lines = [line.strip()[:_WIDTH] for line in text.split("\n")]
    found: list[str] = []
    for line in reversed(dict.fromkeys(line for line in lines if _TELLING.search(line))):
        if room < len(line) + 1:
            break
        room -= len(line) + 1
        found.append(line)
    return found[::-1]


def _ended(head: str) -> str:
    return head if head.endswith("\n") or not head else f"{head}\n"
