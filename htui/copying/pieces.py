"""What `/copy` takes out of a conversation: the source of an answer, or of a code block in one. Pure."""

from collections.abc import Callable, Iterator

from hd.protocol.projections.transcript import Row
from htui.present.grammar import parse
from htui.present.guarded import guarded

LOOK_BACK = 2000
"""Rows that are looked through, from the end."""

RowAt = Callable[[int], Row]


def answer(row: RowAt, count: int, number: int) -> str | None:
    """The answer that is `number`-th from the end (1 is the last), as the model wrote it."""
    return _nth(_answers(row, count), number)


def code(row: RowAt, count: int, number: int) -> str | None:
    """The code block that is `number`-th from the end, over all answers, without its fence."""
    return _nth((block for text in _answers(row, count) for block in reversed(code_blocks(text))), number)


def code_blocks(text: str) -> list[str]:
    """The code blocks of a text in their order, wherever they stand, in lists and quotes too."""
    if "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        return []
    tokens = guarded(lambda: parse(text)) or []
    return [token.content for token in tokens if token.type in ("fence", "code_block") and token.content]


def _answers(row: RowAt, count: int) -> Iterator[str]:
    for place in range(count - 1, max(-1, count - 1 - LOOK_BACK), -1):
        found = row(place)
        if found.kind == "assistant" and found.text.strip():
            yield found.text


def _nth(found: Iterator[str], number: int) -> str | None:
    return next((text for place, text in enumerate(found, 1) if place == number), None)
