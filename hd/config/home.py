"""The home folder: what lies where, and the one place that makes it.

hd.db and key.json in store/, .key beside it, daemon.json, lock and secret in run/, hd.log in logs/, spill/ for
output that is too long for a message, uploads/ for files that came with prompts, and undo/ for what files held before
the agent changed them.
"""

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hd.errors import HomeUnusable

_FOLDERS = ("store", "run", "logs", "spill", "uploads", "undo")


@dataclass(frozen=True, slots=True)
class Home:
    """The layout below `root`, which is absolute. Nothing is touched before `prepare`."""

    root: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Home":
        """`HD_HOME`, by default `~/.h`."""
        named = environment.get("HD_HOME", "").strip()
        return cls(Path(os.path.abspath(os.path.expanduser(named or "~/.h"))))

    @property
    def database(self) -> Path:
        return self.root / "store" / "hd.db"

    @property
    def key(self) -> Path:
        """The API key, encrypted."""
        return self.root / "store" / "key.json"

    @property
    def prices(self) -> Path:
        """The person's own price table."""
        return self.root / "prices.json"

    @property
    def machine_key(self) -> Path:
        return self.root / ".key"

    @property
    def lock(self) -> Path:
        return self.root / "run" / "lock"

    @property
    def daemon(self) -> Path:
        """Where the running daemon listens."""
        return self.root / "run" / "daemon.json"

    @property
    def secret(self) -> Path:
        """By which local commands prove to the running daemon that they are of the same user."""
        return self.root / "run" / "secret"

    @property
    def log(self) -> Path:
        return self.root / "logs" / "hd.log"

    @property
    def start_log(self) -> Path:
        """What a daemon in the background said before it had a log."""
        return self.root / "logs" / "start.log"

    @property
    def spill(self) -> Path:
        return self.root / "spill"

    @property
    def uploads(self) -> Path:
        """Files that came with prompts, each named by the hash of what it holds."""
        return self.root / "uploads"

    @property
    def scratch(self) -> Path:
        """Notes about files in the making, by which the next daemon removes what a killed one left in a workspace."""
        return self.root / "scratch"

    @property
    def recordings(self) -> Path:
        """What providers were asked and sent, for as long as somebody wanted that recorded."""
        return self.root / "recordings"

    @property
    def undo(self) -> Path:
        """What the files of workspaces held before the agent changed them."""
        return self.root / "undo"

    def prepare(self) -> None:
        """Makes the folders that are missing, closed to others; `HomeUnusable` when they cannot be used."""
        self._make(self.root, tighten=False)
        for name in _FOLDERS:
            self._make(self.root / name, tighten=True)

    def _make(self, folder: Path, *, tighten: bool) -> None:
        """A folder of ours. Only those below the root are tightened: the root may be one that others use too."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = folder.stat()
            if state.st_uid != os.geteuid():
                raise self._unusable(f"{folder} belongs to another user (uid {state.st_uid})")
            if tighten and stat.S_IMODE(state.st_mode) != 0o700:
                folder.chmod(0o700)
        except OSError as error:
            raise self._unusable(_reason(folder, error)) from None
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
            raise self._unusable(_reason(folder, OSError(errno.EROFS if read_only else errno.EACCES, "")))

    def _unusable(self, reason: str) -> HomeUnusable:
        return HomeUnusable(f"The home folder {self.root} cannot be used: {reason}. Mend that or set HD_HOME.")


def _reason(folder: Path, error: OSError) -> str:
    match error.errno:
        case errno.EEXIST | errno.ENOTDIR:
            blocking = next((p for p in (folder, *folder.parents) if p.exists() and not p.is_dir()), folder)
            return f"{blocking} is a file, not a folder"
        case errno.EROFS:
            return f"{folder} lies on a disk that is read-only"
        case errno.EACCES | errno.EPERM:
            return f"you may not create or change {folder}"
        case errno.ENOSPC | errno.EDQUOT:
            return f"the disk of {folder} is full"
        case _:
            return f"{folder}: {error.strerror or error}"
