"""Text from outside with nothing hidden in it, for a card that a person decides by; pure."""

import re
from typing import Final

_NAMED: Final = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\x1b": r"\e"}
# Characters that count as printable and show as nothing or as a blank.
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def reveal(text: str, *, one_line: bool = False) -> str:
    """`text` with every invisible, control and direction-changing character spelled out, such as `\\u202e`.

    So are blanks other than the space, and joiners and variation selectors inside emoji: here exactness goes before
    looks. Line breaks and tabs stay unless the text has to fit `one_line`.
    """
    return _spelled(text) if one_line else "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    return "\t".join(map(_spelled, line.split("\t")))


def _spelled(text: str) -> str:
    if text.isprintable() and not _BLANK.search(text):
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() and not _BLANK.match(character):
        return character
    code = ord(character)
    return _NAMED.get(character) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )
