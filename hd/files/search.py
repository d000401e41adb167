"""Searching contents and names over a walk, with ends: a number of results, a time, a size a file, a cancellation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hd.files import disk
from hd.files.encoding import decode, shown
from hd.files.errors import Code, FileError
from hd.files.glob import chooser, is_pattern
from hd.files.matcher import Matcher
from hd.files.scan import Entry, Kind, relative_name
from hd.files.walk import Walk

MOST_MATCHES = 200
MOST_NAMES = 200
SIZE_LIMIT = 16 << 20


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
    wanted = None if include is None else chooser(include)
    found: list[Match] = []
    files = skipped = 0
    with Matcher(pattern, most=most + 1, seconds=walk.limits.seconds, may_go_on=walk.may_go_on) as matcher:
        for name, below in _files(walk):
            if wanted is not None and not wanted.fullmatch(below):
                continue
            text = _text(walk.root, walk.root / name)
            if text is None:
                skipped += 1
                continue
            files += 1
            found += (Match(name, number, line) for number, line in matcher.lines(text))
            if len(found) > most or matcher.ended:
                break
    stopped = walk.stopped or ("the search process ended" if matcher.ended else None)
    return Matches(tuple(found[:most]), len(found) > most, stopped, files, skipped)


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


def _files(walk: Walk) -> Iterator[tuple[str, str]]:
    """(name relative to the workspace, path below the start) of the files to search."""
    if not walk.start.is_dir():
        yield relative_name(walk.root, walk.start), walk.start.name
        return
    skip = _base_length(walk)
    for entry in walk:
        if entry.kind is Kind.FILE:
            yield entry.name, entry.name[skip:]


def _base_length(walk: Walk) -> int:
    base = relative_name(walk.root, walk.start)
    return len(base) + 1 if base else 0


def _text(root: Path, path: Path) -> str | None:
    """The text of a file as the model reads it, or None for one that is not searched."""
    try:
        with disk.folder_of(root, path) as folder:
            raw = disk.read(folder, path.name, SIZE_LIMIT).raw
        encoding, text = decode(raw)
    except (OSError, FileError):
        return None
    return shown(text) if encoding.raw else text
