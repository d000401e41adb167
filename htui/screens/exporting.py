"""`/export-html`: the whole conversation as a page in a file (row T16)."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Final

from hd.protocol.events import Event
from htui.errors import HtuiError
from htui.mirror.records import transcript_of
from htui.new_file import new_file
from htui.present.count import plural, size
from htui.present.page import page_end, page_head, row_html
from htui.screens.desk import Desk
from htui.screens.facts import title_of
from htui.screens.pages import Pages

MOST: Final = 100_000
"""Records of a page; of a longer conversation the latest ones."""


class ExportFailed(HtuiError):
    """The page was not written; nothing is left of it."""


async def export_page(desk: Desk, session_id: str, wanted: str) -> str:
    """Writes the page and gives what is told about it; `HtuiError` when that does not work.

    An existing file is never touched, and being cancelled leaves none behind.
    """
    path = _path(desk, session_id, wanted)
    mirror = desk.follow(session_id)
    try:
        events, complete = await _events(Pages(desk, session_id, mirror.cursor))
        entry = desk.link.host.session(session_id)
        title, folder = title_of(mirror), entry.cwd if entry is not None else ""
    finally:
        desk.release(session_id)
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(_write, path, title, folder, desk.now(), events, complete, given_up.is_set)
    finally:
        given_up.set()


def _path(desk: Desk, session_id: str, wanted: str) -> Path:
    text = wanted.strip().strip("\"'")
    if text:
        path = Path(os.path.expanduser(text))
    else:
        path = Path(f"{time.strftime('%Y-%m-%d-%H%M%S')}-{session_id.removeprefix('session-')[:8]}.html")
    return path if path.is_absolute() else desk.directory / path


async def _events(pages: Pages) -> tuple[list[Event], bool]:
    """All records in order, and whether they begin with the conversation's own beginning."""
    found: list[list[Event]] = []
    seq, more, count = pages.last + 1, pages.last >= 0, 0
    while more and count < MOST:
        page = await pages.below(seq)
        if not page.events:
            break
        found.append(list(page.events))
        count += len(page.events)
        seq, more = page.events[0].seq, page.more
    return [event for part in reversed(found) for event in part], not more


def _write(
    path: Path, title: str, folder: str, now: int, events: list[Event], complete: bool, is_given_up: Callable[[], bool]
) -> str:
    rows = transcript_of(events).rows
    note = f"{plural(len(rows), 'entry', 'entries')}." + ("" if complete else " Earlier ones are not in this page.")
    try:
        with new_file(path) as file:
            for part in chain((page_head(title, folder, now),), map(row_html, rows), (page_end(note),)):
                if is_given_up():
                    raise ExportFailed(f"{path} was given up. Nothing is left of it.")
                file.write(part.encode(errors="replace"))
            file.flush()
            written = file.tell()
    except FileExistsError:
        raise ExportFailed(f"{path} is there already and was left as it is. Name another file.") from None
    except OSError as error:
        raise ExportFailed(f"{path} cannot be written: {error.strerror}. Nothing is left of it.") from None
    return f"{note} {size(written)} in {path}"
