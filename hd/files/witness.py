"""Who is told of what the file layer changes."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol


class Witness(Protocol):
    """Gives a block around one change, entered right before it is made and left behind it, by the thread that makes it.

    `places` are absolute: one for what is written (`content` has its new bytes), removed or made, two for what is
    moved from the first to the second. What a witness raises at the start keeps the change from being made.
    """

    def __call__(self, *places: Path, content: bytes | None = None) -> AbstractContextManager[None]: ...


def nobody(*places: Path, content: bytes | None = None) -> AbstractContextManager[None]:
    """The witness where nobody keeps what was there."""
    return nullcontext()
