"""A person's own rules on which files are secret, on top of the guard's; they may change while the daemon runs.

A pattern counts from the workspace (`secrets/**`, `deploy/*.json`) or, without a slash, at any depth (`*.sqlite`); what
lies below a folder that it names counts too, and case does not. An exception opens what the guard or a rule closes;
nothing opens the daemon's own folder.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hd.files.glob import chooser, composed

MOST_RULES: Final = 200
_Compiled = tuple[tuple[str, re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a rule of the person's says of a name."""

    verdict: Literal["deny", "allow"]
    pattern: str


class OwnRules:
    """The rules that count now. `revision` is another after every change."""

    def __init__(self, deny: Sequence[str] = (), allow: Sequence[str] = ()) -> None:
        self._compiled: tuple[_Compiled, _Compiled] = ((), ())
        self.revision = 0
        self.change(deny, allow)

    def change(self, deny: Sequence[str], allow: Sequence[str]) -> None:
        """Puts these in the place of all before; `FileError` (FS_PATTERN), and nothing is changed, for a bad one."""
        self._compiled = (compiled(deny), compiled(allow))
        self.revision += 1

    @property
    def denies(self) -> bool:
        """Whether any rule closes anything."""
        return bool(self._compiled[0])

    def judge(self, name: str) -> Ruled | None:
        """What they say of a path with `/`; an exception goes before a prohibition."""
        deny, allow = self._compiled
        if not deny and not allow:
            return None
        name = composed(name)
        for pattern, expression in allow:
            if expression.match(name):
                return Ruled("allow", pattern)
        for pattern, expression in deny:
            if expression.match(name):
                return Ruled("deny", pattern)
        return None


def compiled(patterns: Sequence[str]) -> _Compiled:
    """The patterns ready for use; `FileError` (FS_PATTERN) names one that cannot be used."""
    return tuple((one, re.compile(rf"(?:{chooser(one).pattern})(?=/|\Z)", re.S | re.I)) for one in patterns)
