"""Text from outside with nothing hidden in it, for a card that a person decides by; pure."""

import re
import unicodedata
from typing import Final

_NAMED: Final = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\x1b": r"\e"}
# Format and control characters, surrogates, private use, separators: nothing to see, or not what it seems.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
# Characters of other categories that show as nothing or as a blank.
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def reveal(text: str, *, one_line: bool = False) -> str:
    """`text` with every invisible, control and direction-changing character spelled out, such as `\\u202e`.

    Line breaks and tabs stay unless the text has to fit `one_line`. Joiners and variation selectors inside emoji are
    spelled out too: here exactness goes before looks.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character, one_line) for character in text)


def _shown(character: str, one_line: bool) -> str:
    if character == " " or (character in "\n\t" and not one_line):
        return character
    if unicodedata.category(character) not in _HIDDEN and not _BLANK.match(character):
        return character
    code = ord(character)
    return _NAMED.get(character) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )
