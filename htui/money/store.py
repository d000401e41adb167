"""The records that sessions are billed by, kept here so that a restart reads only what is new.

A file a session, a line for each reading that brought something: from where to where it went, and the records. They are
kept and no sums, so prices that change count for the past too. A line is written at once to the end; what does not
join, as after a kill or beside another client, is passed over, and read from the host again.
"""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from hd.billing.summary import DAYS_SHOWN
from hd.protocol.events import Event
from htui.money.looks import Mark

VERSION: Final = 1
LARGEST: Final = 16 * 1024 * 1024
"""Bytes of one file, some 80,000 requests; a longer one is dropped and its session read again at each start."""

_KEPT_S: Final = DAYS_SHOWN * 24 * 3600


class Record(Struct, frozen=True, array_like=True):
    """An event as far as it is billed by."""

    type: str
    seq: int
    time: int
    data: Mapping[str, Any]

    def event(self) -> Event:
        return Event(self.type, self.seq, self.time, self.data)


class Part(Struct, frozen=True, array_like=True):
    """A line: the records of the log above the event `above` and up to `seen`."""

    version: int
    session_id: str
    seeded: bool
    above: int
    seen: int
    mark: Mark
    records: tuple[Record, ...]


class Store:
    """Blocking. A disk that cannot be used is no error: then a start reads more of the host."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, session_id: str) -> list[Part]:
        """The parts of a session that join, from its first event on."""
        try:
            with self._path(session_id).open("rb") as file:
                content = file.read(LARGEST + 1)
        except OSError:
            return []
        return [] if len(content) > LARGEST else list(_joining(content.split(b"\n"), session_id))

    def add(self, part: Part) -> None:
        """Keeps a part; one from the beginning takes the place of all that is kept."""
        path = self._path(part.session_id)
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        flags |= os.O_TRUNC if part.above < 0 else os.O_APPEND
        with suppress(OSError, msgspec.ValidationError, UnicodeError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0) as file:
                # The first byte ends a line that a kill left behind.
                file.write(b"\n" + msgspec.json.encode(part) + b"\n")
                too_large = file.tell() > LARGEST
            if too_large:
                path.unlink()

    def clear(self) -> None:
        """Removes what belongs to sessions that were not used for as long as days are told."""
        oldest = time.time() - _KEPT_S
        with suppress(OSError):
            for path in self._folder.glob("*.jsonl"):
                with suppress(OSError):
                    if path.stat().st_mtime < oldest:
                        path.unlink()

    def _path(self, session_id: str) -> Path:
        """Sessions have ids of their own everywhere, so their host plays no part in it."""
        return self._folder / f"{hashlib.sha256(session_id.encode(errors='replace')).hexdigest()}.jsonl"


def _joining(lines: Iterable[bytes], session_id: str) -> Iterator[Part]:
    seen = -1
    for line in lines:
        try:
            part = msgspec.json.decode(line, type=Part)
        except (msgspec.DecodeError, UnicodeError):
            continue
        if (part.version, part.session_id) == (VERSION, session_id) and part.above <= seen <= part.seen:
            yield part
            seen = part.seen


def part_of(session_id: str, *, seeded: bool, above: int, seen: int, mark: Mark, events: Iterable[Event]) -> Part:
    records = tuple(Record(event.type, event.seq, event.time, event.data) for event in events)
    return Part(VERSION, session_id, seeded, above, seen, mark, records)
