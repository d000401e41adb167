"""Searching contents and names over a walk, with ends: a number of results, a time, a cancellation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hd.files import disk
from hd.files.errors import Code, FileError
from hd.files.glob import chooser, composed, is_pattern
from hd.files.literals import required
from hd.files.matcher import Matcher
from hd.files.pieces import Piece, pieces
from hd.files.scan import Entry, Kind, relative_name
from hd.files.walk import Walk

MOST_MATCHES = 200
MOST_NAMES = 200
_MOST_AT_ONCE = 64
_MOST_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a file; `text` is clipped around what was found."""

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Matches:
    """`more` says that the search ended at the number of results, `stopped` why it ended otherwise before the end.

    `files` were searched; `skipped` were not because they are binary or not readable.
    """

    found: tuple[Match, ...]
    more: bool
    stopped: str | None
    files: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Names:
    """Entries whose name fits; `more` and `stopped` as in `Matches`."""

    found: tuple[Entry, ...]
    more: bool
    stopped: str | None


def grep(walk: Walk, pattern: str, *, include: str | None = None, most: int = MOST_MATCHES) -> Matches:
    """The lines below the walk's start, or of the file that it is, in which the regular expression is found.

    `include` is a pattern for the file's name or, with a `/`, its path below the start. The walk ends with the first
    match beyond `most`.
    """
    files = skipped = 0
    with Matcher(pattern, most=most + 1, seconds=walk.limits.seconds, may_go_on=walk.may_go_on) as matcher:
        queue = _Queue(matcher)
        for name, piece in _pieces(walk, include, required(pattern)):
            if piece.text is None:
                skipped += 1
                continue
            files += piece.number == 1
            queue.add(name, piece.number, piece.text)
            if len(queue.found) > most or matcher.ended:
                break
        else:
            queue.search()
    found = queue.found
    stopped = walk.stopped or ("the search process ended" if matcher.ended else None)
    return Matches(tuple(found[:most]), len(found) > most, stopped, files, skipped)


class _Queue:
    """Texts on their way to the matcher: more and more at once where nothing is found, as an answer is waited for; one
    by one where something is, so that the walk ends at the number of results."""

    def __init__(self, matcher: Matcher) -> None:
        self.found: list[Match] = []
        self._matcher = matcher
        self._waiting: list[tuple[str, int, str]] = []
        self._characters = 0
        self._most = 1

    def add(self, name: str, first: int, text: str) -> None:
        if not text:
            return
        self._waiting.append((name, first, text))
        self._characters += len(text)
        if len(self._waiting) >= self._most or self._characters > _MOST_CHARACTERS:
            before = len(self.found)
            self.search()
            self._most = min(2 * self._most, _MOST_AT_ONCE) if len(self.found) == before else 1

    def search(self) -> None:
        answers = self._matcher.lines_of([text for _, _, text in self._waiting])
        for (name, first, _), lines in zip(self._waiting, answers, strict=False):
            self.found += (Match(name, first - 1 + number, line) for number, line in lines)
        self._waiting.clear()
        self._characters = 0


def names(walk: Walk, pattern: str, *, most: int = MOST_NAMES) -> Names:
    """Files, folders and links below the walk's start whose name fits.

    A pattern with `*`, `?`, `[` or `{` fits as a whole; any other is a part of the name or, with a `/`, of the path
    below the start. Case does not count.
    """
    fits = _name_test(pattern)
    skip = _base_length(walk)
    found: list[Entry] = []
    for entry in walk:
        if fits(entry.name[skip:]):
            found.append(entry)
            if len(found) > most:
                break
    return Names(tuple(found[:most]), len(found) > most, walk.stopped)


def _name_test(pattern: str) -> Callable[[str], bool]:
    if is_pattern(pattern):
        regex = chooser(pattern.rstrip("/"))
        return lambda below: regex.fullmatch(composed(below)) is not None
    part = composed(pattern).removeprefix("./").strip("/").casefold()
    if not part:
        raise FileError(Code.PATTERN, "The pattern is empty. Give a part of a name, or a pattern such as **/*.py.")
    if "/" in part:
        return lambda below: part in composed(below).casefold()
    return lambda below: part in composed(below.rpartition("/")[2]).casefold()


def _pieces(walk: Walk, include: str | None, literals: tuple[str, ...]) -> Iterator[tuple[str, Piece]]:
    """What is to be searched, with the name of the file relative to the workspace."""
    wanted = None if include is None else chooser(include)
    written = tuple(literal.encode("utf-8", "surrogatepass") for literal in literals)
    if not walk.start.is_dir():
        base = walk.start.name
        if wanted is None or wanted.fullmatch(composed(base)):
            name = relative_name(walk.root, walk.start)
            try:
                with disk.folder_of(walk.root, walk.start) as folder:
                    for piece in pieces(folder, base, written, walk.may_go_on):
                        yield name, piece
            except OSError:
                # The folder above it went away since somebody looked.
                yield name, Piece(1, None)
        return
    skip = _base_length(walk)
    for entry in walk:
        if entry.kind is Kind.FILE and (wanted is None or wanted.fullmatch(composed(entry.name[skip:]))):
            for piece in pieces(walk.folder, entry.base, written, walk.may_go_on, just_seen=True):
                yield entry.name, piece


def _base_length(walk: Walk) -> int:
    base = relative_name(walk.root, walk.start)
    return len(base) + 1 if base else 0
