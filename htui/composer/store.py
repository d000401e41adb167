"""Drafts on disk, one file a session, so that nothing typed is lost by a crash (case J16)."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

LARGEST = 8 * 1024 * 1024
"""Bytes of a draft that are still read."""


class DraftStore:
    """Drafts under `folder`, which is made when it is needed.

    A disk that cannot be used is no error: what is being typed is never disturbed for the sake of its copy.
    """

    def __init__(self, folder: Path, origin: str) -> None:
        self._folder = folder
        self._origin = origin

    def load(self, session_id: str) -> Mapping[str, Any] | None:
        try:
            with self._path(session_id).open("rb") as file:
                found = msgspec.json.decode(file.read(LARGEST))
        except (OSError, msgspec.DecodeError, UnicodeError):
            return None
        return found if isinstance(found, dict) and found.get("session") == session_id else None

    def save(self, session_id: str, state: Mapping[str, Any]) -> bool:
        """Keeps the draft, or removes the file of an empty one; False when that did not work.

        `doubts` in it are kept with an empty draft too.
        """
        path = self._path(session_id)
        try:
            if not state.get("text") and not state.get("doubts"):
                path.unlink(missing_ok=True)
                return True
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode({**state, "session": session_id}))
            part.replace(path)
        except (OSError, UnicodeError):
            return False
        return True

    def _path(self, session_id: str) -> Path:
        name = hashlib.sha256(f"{self._origin}\n{session_id}".encode()).hexdigest()
        return self._folder / f"{name}.json"
