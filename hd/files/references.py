"""Finding the file that a person means by a few letters, as behind an `@` in a prompt.

A workspace is walked once and the names are kept for a moment, so that typing on does not walk it again. What the walk
leaves out (secret and ignored places, links) is never offered.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hd.files.encoding import shown
from hd.files.guard import Guard
from hd.files.scan import Kind
from hd.files.walk import Limits, Walk

MOST_OFFERED = 50
KEPT_FOR_S = 5.0
MOST_KEPT = 8
"""Workspaces whose names are kept at a time."""

LIMITS = Limits(entries=50_000, seconds=2.0)


@dataclass(frozen=True, slots=True)
class Reference:
    """`path` is relative to the workspace, with `/`; `folded` is what it is compared by."""

    path: str
    kind: Kind
    folded: str

    def to_wire(self) -> dict[str, str]:
        return {"path": self.path, "kind": self.kind.value}


def fold(text: str) -> str:
    """Text without the differences that do not count: case and the form of composed letters."""
    return unicodedata.normalize("NFC", text).casefold()


def ranked(references: Sequence[Reference], query: str, most: int = MOST_OFFERED) -> list[Reference]:
    """Those that a query may mean, best first; without a query what lies on top.

    A whole name is better than the beginning of one, that better than a part, and letters in order are the least; in
    each of these the name counts more than the folders before it, and a short path more than a long one.
    """
    wanted = fold(query.strip().removeprefix("./"))
    if not wanted:
        return sorted(references, key=lambda r: (r.path.count("/"), r.kind is not Kind.DIRECTORY, r.folded))[:most]
    letters = re.compile(".*?".join(re.escape(letter) for letter in wanted), re.DOTALL)
    fitting = [(rank(r.folded, wanted, letters), r) for r in references if letters.search(r.folded)]
    return [r for _, r in sorted(fitting, key=lambda pair: (pair[0], len(pair[1].folded), pair[1].folded))[:most]]


def rank(path: str, wanted: str, letters: re.Pattern[str]) -> int:
    """How well a path fits that holds the wanted letters in order; 0 is best."""
    name = path.rpartition("/")[2]
    if wanted in (name, path):
        return 0
    if name.startswith(wanted):
        return 1
    if path.startswith(wanted) or wanted in name:
        return 2
    if wanted in path:
        return 3
    return 4 if letters.search(name) else 5


@dataclass(frozen=True, slots=True)
class _Kept:
    since: float
    references: tuple[Reference, ...]


class References:
    """The names of some workspaces. `clock` gives seconds. The method blocks and may be called from any thread."""

    def __init__(self, guard: Guard, clock: Callable[[], float]) -> None:
        self._guard = guard
        self._clock = clock
        self._kept: dict[Path, _Kept] = {}
        self._walking = threading.Lock()

    def find(self, root: Path, query: str) -> list[Reference]:
        """What `query` may mean in the workspace `root`, which is resolved."""
        with self._walking:
            references = self._references(root)
        return ranked(references, query)

    def _references(self, root: Path) -> tuple[Reference, ...]:
        kept = self._kept.pop(root, None)
        if kept is None or self._clock() - kept.since > KEPT_FOR_S:
            kept = _Kept(self._clock(), _walked(root, self._guard))
        while len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[root] = kept
        return kept.references


def _walked(root: Path, guard: Guard) -> tuple[Reference, ...]:
    """All names; one that is no text cannot stand in a prompt."""
    try:
        return tuple(
            Reference(entry.name, entry.kind, fold(entry.name))
            for entry in Walk(root, root, guard, limits=LIMITS)
            if entry.kind in (Kind.FILE, Kind.DIRECTORY)
            and entry.name.isprintable()
            and shown(entry.name) == entry.name
        )
    except OSError:
        return ()
