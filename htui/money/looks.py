"""Which sessions of a host are to be read, by what its list says of them: pure."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from msgspec import Struct

from hd.billing.summary import DAYS_SHOWN
from htui.mirror.rows import SessionEntry, projection_block, session_row

_WINDOW_MS: Final = DAYS_SHOWN * 24 * 3_600_000


class Mark(Struct, frozen=True, array_like=True):
    """What a list told of a session before its log was read: the same again means that nothing was logged since.

    `updated_at` (ms) is no more than the time of the last prompt, so how far the projections went counts too, and what
    runs has always something new.
    """

    updated_at: int = -1
    as_of: int = -1
    running: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of `session/list`."""

    entry: SessionEntry
    mark: Mark
    exact: bool = False
    """Whether `mark.as_of` is the last event, as it is of a session that the host has loaded."""

    @property
    def session_id(self) -> str:
        return self.entry.session_id


def listed(value: Any) -> list[Listed]:
    """The rows of an answer of `session/list` in its order, the latest first; a row that cannot be read is left out."""
    items = value.get("items") if isinstance(value, Mapping) else None
    rows = []
    for item in items if isinstance(items, list) else ():
        entry = session_row(item)
        if entry is not None:
            block = item.get("projections")
            as_of, _ = projection_block(block)
            loaded = entry.running or (isinstance(block, Mapping) and block.get("kind") == "sequenced")
            rows.append(Listed(entry, Mark(entry.updated_at, as_of, entry.running), exact=loaded))
    return rows


def in_window(rows: Sequence[Listed], selected: str | None, now_ms: int) -> list[Listed]:
    """Those to be reckoned with: not what has been at rest for longer than the days that are told, unless it is
    `selected`."""
    oldest = now_ms - _WINDOW_MS
    return [
        row for row in rows if row.mark.running or not 0 < row.mark.updated_at < oldest or row.session_id == selected
    ]


def due(rows: Sequence[Listed], marks: Mapping[str, Mark], stirred: Set[str]) -> list[Listed]:
    """Those whose logs may have grown since they were read with `marks`; `stirred` began or ended to run since."""
    return [
        row
        for row in rows
        if row.mark.running or row.session_id in stirred or marks.get(row.session_id, Mark()) != row.mark
    ]
