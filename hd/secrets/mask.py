"""Taking secret values out of a text; pure.

A mask names what it hides, so that the model can go on with the name, and people see that something is hidden. It
knows values as they stand in files. One that a program encoded, cut in two or printed backwards it does not know.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

_MARK: Final = re.compile(r"<hidden:[^<>\n]{1,80}>")
_UNSAFE: Final = re.compile(r"[^\w.\-/]+")


class Mask:
    """`named` gives each value and what it is called."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = dict(named)

    @property
    def named(self) -> Mapping[str, str]:
        return self._named

    def __bool__(self) -> bool:
        return bool(self._named)

    def __or__(self, other: "Mask") -> "Mask":
        return Mask(other._named | self._named) if other and self else self or other

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: of a value that holds another nothing may be left over.
        longest_first = sorted(self._named, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)))

    def hide(self, text: str) -> str:
        """The text with a mark in the place of each value."""
        return self._pattern.sub(lambda found: mark(self._named[found[0]]), text) if self._named else text

    def worn_in(self, text: str) -> list[str]:
        """The marks of this mask in a text: whoever wrote it to a file would put them where the values were."""
        return sorted(set(_MARK.findall(text)) & {mark(name) for name in self._named.values()})

    def hide_in(self, value: Any) -> Any:
        """The same for all texts of a JSON value; keys stay."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            return {key: self.hide_in(item) for key, item in value.items()}
        return [self.hide_in(item) for item in value] if isinstance(value, list | tuple) else value


NOTHING: Final = Mask({})


def mark(name: str) -> str:
    """What stands in a text in place of the value of that name."""
    return f"<hidden:{_UNSAFE.sub('_', name)[:80] or 'secret'}>"
