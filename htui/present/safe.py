"""The one place where text from outside becomes text that a terminal may be given (law 9, row X14).

Whatever a model, a tool, a file name or a host sends is data. Control characters are shown as the Unicode pictures of
themselves, characters that reorder or hide text are spelled out by their number, tabs become spaces and halves of
surrogate pairs become the replacement character. The line break is the only control character that is left.
"""

import re
from re import Match

TAB = 4
"""Cells between two tab stops."""

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROL = "\x00-\x09\x0b-\x1f\x7f-\x9f"
_SURROGATE = "\ud800-\udfff"
_JOINER = "\u200c\u200d\ufe00-\ufe0f"

_SUSPECT = re.compile(f"[{_CONTROL}{BIDI}{_INVISIBLE}{_SURROGATE}{_JOINER}]")
_RAW = re.compile(f"[\n\u2028\u2029{_CONTROL}{BIDI}{_SURROGATE}]")
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_SPACES = re.compile(r"\s+")


def safe(text: str, *, strict: bool = False) -> str:
    """`text` without anything that a terminal would act on or that a reader could not see.

    Joiners and variation selectors that only shape an emoji or a letter stay, for without them the text reads wrong;
    `strict` spells them out as well, which is for what a person is asked to approve.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    if _SUSPECT.search(text) is None:
        return text
    kept = () if strict else {m.start() + i for m in _FLAG_TAGS.finditer(text) for i in range(1, len(m.group()))}

    def shown(match: Match[str]) -> str:
        at = match.start()
        char = match.group()
        if char == "\t":
            return char
        if at in kept or (not strict and _shapes(text, at, char)):
            return char
        return visible(char)

    return _untab(_SUSPECT.sub(shown, text))


def one_line(text: str, limit: int = 2000, *, strict: bool = False) -> str:
    """The beginning of `text` as one safe line; runs of white space are one blank. At most about `limit` characters."""
    return safe(_SPACES.sub(" ", text[: limit * 2]).strip()[:limit], strict=strict)


def visible(char: str) -> str:
    """What stands for a character that must not reach a terminal."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0x80 <= code <= 0x9F:
        return "␛" + chr(code - 0x40)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨{code:04X}⟩"


def gate(text: str) -> str:
    """The last gate before the terminal: no control, bidi control or surrogate passes, whoever made the text."""
    if text.isascii() and text.isprintable():
        return text
    return _RAW.sub("\ufffd", text)


def _shapes(text: str, at: int, char: str) -> bool:
    """True for a joiner or selector between characters that it can shape."""
    if char not in "\u200c\u200d" and not "\ufe00" <= char <= "\ufe0f":
        return False
    before = text[at - 1] if at else ""
    if not before or before in "\u200c\u200d":
        return False
    if char in "\ufe0e\ufe0f" and before in "0123456789#*":
        return text[at + 1 : at + 2] == "\u20e3"
    if before.isascii() or before.isspace():
        return False
    if char in "\u200c\u200d":
        after = text[at + 1 : at + 2]
        return bool(after) and not after.isascii() and not after.isspace() and _SUSPECT.match(after) is None
    return True


def _untab(text: str) -> str:
    if "\t" not in text:
        return text
    return "\n".join(line.expandtabs(TAB) if "\t" in line else line for line in text.split("\n"))
