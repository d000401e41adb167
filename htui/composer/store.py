"""Drafts on disk, so that nothing typed is lost by a crash (case J16).

Each program writes a file of its own for each session, so that two of them never overwrite each other; what a program
left behind is taken over by the next one that opens the session. A lock that the system releases with its holder tells
the living from the dead. Sessions have ids of their own everywhere, so an address plays no part in it.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hd.protocol.ids import new_id

LARGEST = 8 * 1024 * 1024
"""Bytes of a draft that are still read."""

ASIDE = 10
"""Texts that are kept beside a draft; the oldest go first."""

State = Mapping[str, Any]


class DraftStore:
    """Drafts under `folder`, which is made when it is needed.

    A disk that cannot be used is no error: what is being typed is never disturbed for the sake of its copy.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer = new_id()
        self._lock: int | None = None

    def load(self, session_id: str) -> State | None:
        """What was typed here, and what programs that are gone left; from now on it is kept under this one's name."""
        found = sorted(self._kept(session_id), key=lambda kept: kept[0], reverse=True)
        if not found:
            return None
        state = merged([state for _, state, _ in found])
        if self.save(session_id, state):
            for _, _, path in found:
                if path != self._path(session_id):
                    self._remove(path)
        return state

    def save(self, session_id: str, state: State) -> bool:
        """Keeps the draft, or removes the file of an empty one; False when that did not work.

        `doubts` and `aside` in it are kept with an empty draft too.
        """
        path = self._path(session_id)
        try:
            if not (state.get("text") or state.get("doubts") or state.get("aside")):
                path.unlink(missing_ok=True)
                return True
            self._begin()
            part = path.with_suffix(".part")
            with os.fdopen(_created(part), "wb") as file:
                file.write(msgspec.json.encode({**state, "session": session_id}))
            part.replace(path)
        except (OSError, UnicodeError):
            return False
        return True

    def close(self) -> None:
        """What is kept may be taken over from now on."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _begin(self) -> None:
        """Says that this program lives, and clears away what was said by those that do not and left no drafts."""
        if self._lock is not None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _created(self._lock_of(self._writer))
        _locked(self._lock)
        for path in (*self._folder.glob("*.lock"), *self._folder.glob("*.part")):
            writer = path.stem.rpartition(".")[2]
            if not any(self._folder.glob(f"*.{writer}.json")) and not self._lives(writer):
                self._remove(path)

    def _kept(self, session_id: str) -> list[tuple[int, State, Path]]:
        """When it was written (ns), what, and where."""
        found = []
        for path in self._folder.glob(f"{_name(session_id)}.*.json"):
            writer = path.stem.partition(".")[2]
            if writer == self._writer or not self._lives(writer):
                kept = _read(path)
                if kept is not None and kept[1].get("session") == session_id:
                    found.append((*kept, path))
        return found

    def _lives(self, writer: str) -> bool:
        if writer == self._writer:
            return True
        try:
            descriptor = os.open(self._lock_of(writer), os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return False
        try:
            return not _locked(descriptor)
        finally:
            os.close(descriptor)

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{_name(session_id)}.{self._writer}.json"

    def _lock_of(self, writer: str) -> Path:
        return self._folder / f"{writer}.lock"

    @staticmethod
    def _remove(path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            pass  # it is read once more the next time, and nothing is lost by that


def merged(states: Sequence[State]) -> dict[str, Any]:
    """Several drafts of one session, newest first, as one: the newest with the texts of the others beside it."""
    newest, *others = states
    texts = [text for state in reversed(others) for text in (*asides(state), whole_text(state)) if text]
    doubts: dict[str, Any] = {}
    for state in reversed(states):
        found = state.get("doubts")
        doubts |= found if isinstance(found, Mapping) else {}
    aside = [text for text in dict.fromkeys([*texts, *asides(newest)]) if text != whole_text(newest)][-ASIDE:]
    rest = {key: value for key, value in newest.items() if key not in ("doubts", "aside")}
    return rest | ({"doubts": doubts} if doubts else {}) | ({"aside": aside} if aside else {})


def asides(state: State) -> list[str]:
    """The texts that are kept beside a draft, oldest first."""
    found = state.get("aside")
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def whole_text(state: State) -> str:
    """The text of a draft with its folds open."""
    text, folds = state.get("text"), state.get("folds")
    if not isinstance(text, str):
        return ""
    known = folds if isinstance(folds, Mapping) else {}
    return "".join(str(known.get(char, char)) for char in text) if known else text


def _name(session_id: str) -> str:
    return hashlib.sha256(session_id.encode(errors="replace")).hexdigest()


def _read(path: Path) -> tuple[int, State] | None:
    """The time of a file in ns and the draft in it."""
    try:
        with path.open("rb") as file:
            time = os.fstat(file.fileno()).st_mtime_ns
            found = msgspec.json.decode(file.read(LARGEST))
    except (OSError, msgspec.DecodeError, UnicodeError):
        return None
    return (time, found) if isinstance(found, dict) else None


def _created(path: Path) -> int:
    """A descriptor of a file for its owner alone."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _locked(descriptor: int) -> bool:
    """Takes the lock of a file; False when somebody holds it. Where there are no locks everybody counts as gone."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
