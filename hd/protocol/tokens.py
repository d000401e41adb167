"""How many tokens a text has, as an estimate by classes of characters: pure, and fast enough for every fold.

The weights were fitted to DeepSeek's own vocabulary over code, English, Chinese, JSON, logs and tables; a test holds
the error against the tokenizer itself (`tests/protocol/test_tokens.py`, `docs/notes/compaction.md`). The provider's
figures count where there are any; this counts what came after them.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hd.protocol.messages import tool_result_of

_LETTERS: Final = bytes([*range(0x41, 0x5B), *range(0x61, 0x7B)])
_DIGITS: Final = b"0123456789"
_BLANKS: Final = bytes(range(0x21))
_MARKS: Final = bytes(byte for byte in range(0x21, 0x80) if byte not in _LETTERS and byte not in _DIGITS)
_TWO: Final = bytes(range(0xC2, 0xE0))
_CJK: Final = bytes(range(0xE3, 0xEA))
_THREE: Final = bytes([*range(0xE0, 0xE3), *range(0xEA, 0xF0)])
_FOUR: Final = bytes(range(0xF0, 0xF5))

_WEIGHTS: Final = (
    (_LETTERS, 27),
    (_BLANKS, 9),
    (_MARKS, 55),
    (_DIGITS, 70),
    (_CJK, 62),
    (_THREE, 80),
    (_TWO, 40),
    (_FOUR, 180),
)
"""Hundredths of a token for each byte of UTF-8 that begins a character of the class."""

_PIECES: Final = 16
_PIECE: Final = 1_024
"""A text longer than all pieces together is judged by pieces of it that lie evenly in it."""


def tokens_in(value: Any) -> int:
    """An estimate of how many tokens a text, or the JSON of anything else, has; 0 only for an empty text."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if len(text) <= _PIECES * _PIECE:
        return -(-_hundredths(text) // 100)
    step = (len(text) - _PIECE) // (_PIECES - 1)
    sample = "".join(text[start : start + _PIECE] for start in range(0, step * _PIECES, step))
    return -(-_hundredths(sample) * len(text) // (len(sample) * 100))


def tokens_of(message: Mapping[str, Any]) -> int:
    """The same for a message of the log: what a model reads of its blocks."""
    content = message.get("content") or ()
    result = tool_result_of(message)
    if result is not None:
        return tokens_in(result[1])
    return sum(
        tokens_in(str(block.get("text") or "")) + tokens_in(f"{block.get('name', '')}{block.get('arguments', '')}")
        for block in content
    )


def _hundredths(text: str) -> int:
    rest = text.encode("utf-8", "replace")
    total = 0
    for members, weight in _WEIGHTS:
        if not rest:
            break
        left = rest.translate(None, members)
        total += (len(rest) - len(left)) * weight
        rest = left
    return total
