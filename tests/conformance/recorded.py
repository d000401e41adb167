"""The rows of a recording, in the order in which they were seen on the wire (WIRE 18)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest

from tests.conformance.tokens import subject
from tests.support.recordings import RECORDINGS

Row = Mapping[str, Any]

NEW: Final = "0.2.1-rc.2"
OLD: Final = "0.1.5-rc.1"

MISSING: Final = f"NOT TESTED: the recordings of the official harness are not at {RECORDINGS}"


def scenarios(version: str) -> list[str]:
    """The names of what was recorded; one that cannot be found where nothing is there, so that a test can say so."""
    return sorted(path.stem for path in (RECORDINGS / version).glob("*.jsonl")) or ["nothing"]


@cache
def rows(version: str, name: str) -> tuple[Row, ...]:
    path = RECORDINGS / version / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(MISSING)
    return tuple(json.loads(line) for line in path.read_text().splitlines())


def every_row(version: str) -> Iterator[Row]:
    for name in scenarios(version):
        yield from rows(version, name)


def is_call(row: Row) -> bool:
    return row["dir"] == "c2s" and row.get("ch") == "http"


def frame_of(row: Row) -> Any:
    """The frame of a row of the socket; None where it has none."""
    return row.get("frame") if row.get("ch") == "ws" else None


def is_strange(row: Row, text: str) -> bool:
    """Whether a frame is about a session that this recording does not deal with: others worked on that server as well.

    `text` is all that was called and answered; a session that is dealt with stands in it.
    """
    frame = frame_of(row)
    if row["dir"] != "s2c" or not isinstance(frame, dict) or frame.get("type") != "item":
        return False
    session = subject(frame)
    return session is not None and session not in text


def told_over_http(rows: Iterable[Row]) -> str:
    """All that was called and answered, as one text; lists of sessions are left out, for they name strangers."""
    bodies = [json.dumps(row["body"]) for row in rows if row.get("ch") == "http"]
    return "\n".join(body for body in bodies if '"items"' not in body)
