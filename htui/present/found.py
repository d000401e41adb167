"""What a search in a conversation finds, and how it is shown: pure."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hd.protocol.projections.transcript import Row, RowKind
from htui.present import when
from htui.present.cells import width
from htui.present.lines import Line, Span, cut_line
from htui.present.picks import Pick
from htui.present.safe import safe

MOST: Final = 200
"""Hits that are kept of a search."""
_BEFORE: Final = 24
_BEHIND: Final = 200
"""Characters of a text around what was found that are kept."""

_SPACES: Final = re.compile(r"\s+")

_SAID: Final[frozenset[RowKind]] = frozenset({"user", "assistant", "reasoning", "compaction"})
"""What a search looks through; a row of a tool is no message."""

_MARKS: Final[dict[str, tuple[str, str]]] = {
    "user": ("❯", "user"),
    "assistant": ("✦", "assistant"),
    "reasoning": ("…", "muted"),
    "compaction": ("≡", "muted"),
}


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds what is looked for: the text in front of it, itself, and the text behind it, each one line.

    `seq` and `key` are the row's; `time` is in ms.
    """

    seq: int
    key: str
    kind: RowKind
    time: int
    before: str
    found: str
    behind: str

    @property
    def id(self) -> str:
        return f"{self.seq}:{self.key}"


def pattern_of(words: str) -> re.Pattern[str]:
    """Finds `words` literally, in any case, with composed and decomposed letters as the same, and blanks as one."""
    parts = [re.escape(part) for part in unicodedata.normalize("NFC", words).split()]
    return re.compile(r"\s+".join(parts), re.IGNORECASE)


def hits_in(rows: Iterable[Row], pattern: re.Pattern[str], *, prompts: bool) -> list[Hit]:
    """The rows that hold it, in their order, each once; `prompts` looks only through what a person said."""
    found = (_hit(row, pattern) for row in rows if (row.kind == "user" if prompts else row.kind in _SAID))
    return [hit for hit in found if hit is not None]


def _hit(row: Row, pattern: re.Pattern[str]) -> Hit | None:
    text = unicodedata.normalize("NFC", row.text)
    match = pattern.search(text)
    if match is None:
        return None
    start = max(0, match.start() - _BEFORE)
    if start:  # Rather less than a part of a word.
        start = next((n for n in range(start, match.start()) if text[n].isspace()), start)
    return Hit(
        row.seq,
        row.key,
        row.kind,
        row.time,
        ("…" if start else "") + _flat(text[start : match.start()]).lstrip(),
        _flat(match[0][:_BEHIND]),
        _flat(text[match.end() : match.end() + _BEHIND]),
    )


def _flat(text: str) -> str:
    return safe(_SPACES.sub(" ", text))


def hit_picks(hits: Sequence[Hit], now: int, cells: int) -> list[Pick]:
    """A row for each hit: who said it, what stands around it, how long ago."""
    return [Pick(hit.id, _line(hit, now, cells), f"{hit.before}{hit.found}{hit.behind}") for hit in hits]


def _line(hit: Hit, now: int, cells: int) -> Line:
    mark, role = _MARKS[hit.kind]
    side = when.age(hit.time, now)
    spans = (Span(f"{mark} ", role), Span(hit.before), Span(hit.found, "strong"), Span(hit.behind))
    text = cut_line(spans, max(4, cells - width(side) - 2))
    gap = cells - sum(width(span.text) for span in text) - width(side)
    return (*text, Span(" " * max(1, gap)), Span(side, "muted"))
