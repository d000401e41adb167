"""Notes about changes in the making, by which the next daemon knows what a killed one did and could not record."""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec


class Pending:
    """Notes in `folder`, one for each call of a session or undo of it (`key`). Every method may be called from any
    thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, session_id: str, key: str, body: Mapping[str, Any]) -> None:
        """The note, new or in the place of the one before; OSError when the disk does not take it."""
        place = self._place(session_id, key)
        content = msgspec.json.encode({**body, "sessionId": session_id, "key": key})
        part = place.with_suffix(".part")
        self._folder.mkdir(mode=0o700, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(content)
        os.rename(part, place)

    def drop(self, session_id: str, *, but: str | None = None) -> None:
        """Removes the notes of a session, once what they are about is on disk in its log."""
        spared = None if but is None else self._place(session_id, but)
        for place in self._folder.glob(f"{_name(session_id)}-*"):
            if place != spared:
                place.unlink(missing_ok=True)

    def all(self) -> list[dict[str, Any]]:
        """All notes; one that cannot be read is none."""
        found: list[dict[str, Any]] = []
        for place in sorted(self._folder.glob("*.json")):
            with suppress(OSError, msgspec.DecodeError):
                note = msgspec.json.decode(place.read_bytes())
                if isinstance(note, dict):
                    found.append(note)
        return found

    def _place(self, session_id: str, key: str) -> Path:
        return self._folder / f"{_name(session_id)}-{_name(key)}.json"


def _name(text: str) -> str:
    """A name for a file: ids may come from clients and models."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]
