"""Searching contents and names over a walk, with ends: a number of results, a time, a size a file, a cancellation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hd.files import disk
from hd.files.encoding import decode, shown
from hd.files.errors import Code, FileError
from hd.files.glob import chooser, is_pattern
from hd.files.literals import required
from hd.files.matcher import Matcher
from hd.files.scan import Entry, Kind, relative_name
from hd.files.walk import Walk

MOST_MATCHES = 200
MOST_NAMES = 200
SIZE_LIMIT = 16 << 20
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

    `files` were searched; `skipped` were not because they are binary, too large or not readable.
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
        for name, text in _texts(walk, include, required(pattern)):
            if text is None:
                skipped += 1
                continue
            files += 1
            queue.add(name, text)
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
        self._waiting: list[tuple[str, str]] = []
        self._characters = 0
        self._most = 1

    def add(self, name: str, text: str) -> None:
        if not text:
            return
        self._waiting.append((name, text))
        self._characters += len(text)
        if len(self._waiting) >= self._most or self._characters > _MOST_CHARACTERS:
            before = len(self.found)
            self.search()
            self._most = min(2 * self._most, _MOST_AT_ONCE) if len(self.found) == before else 1

    def search(self) -> None:
        answers = self._matcher.lines_of([text for _, text in self._waiting])
        for (name, _), lines in zip(self._waiting, answers, strict=False):
            self.found += (Match(name, number, line) for number, line in lines)
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
        return lambda below: regex.fullmatch(below) is not None
    part = pattern.removeprefix("./").strip("/").casefold()
    if not part:
        raise FileError(Code.PATTERN, "The pattern is empty. Give a part of a name, or a pattern such as **/*.py.")
    if "/" in part:
        return lambda below: part in below.casefold()
    return lambda below: part in below.rpartition("/")[2].casefold()


def _texts(walk: Walk, include: str | None, literals: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """The name, relative to the workspace, and the text of each file to search; None for one that cannot be, and an
    empty text for one in which nothing can be found because none of the literals stands in it."""
    wanted = None if include is None else chooser(include)
    written = tuple(literal.encode("utf-8", "surrogatepass") for literal in literals)
    if not walk.start.is_dir():
        if wanted is None or wanted.fullmatch(walk.start.name):
            with disk.folder_of(walk.root, walk.start) as folder:
                yield relative_name(walk.root, walk.start), _text(folder, walk.start.name, written, just_seen=False)
        return
    skip = _base_length(walk)
    for entry in walk:
        if entry.kind is Kind.FILE and (wanted is None or wanted.fullmatch(entry.name[skip:])):
            yield entry.name, _text(walk.folder, entry.base, written, just_seen=True)


def _base_length(walk: Walk) -> int:
    base = relative_name(walk.root, walk.start)
    return len(base) + 1 if base else 0


def _text(folder: int, name: str, literals: tuple[bytes, ...], *, just_seen: bool) -> str | None:
    """The text of a file as the model reads it, or as little of it as matters (see `_texts`)."""
    try:
        raw = disk.read(folder, name, SIZE_LIMIT, just_seen=just_seen).raw
        if literals and not any(literal in raw for literal in literals) and _is_plain(raw):
            return ""
        encoding, text = decode(raw)
    except (OSError, FileError):
        return None
    return shown(text) if encoding.raw else text


def _is_plain(raw: bytes) -> bool:
    """Whether it is text in UTF-8, so that a literal that stands in the text stands in the bytes."""
    if b"\0" in raw:
        return False
    try:
        return raw.isascii() or raw.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False
