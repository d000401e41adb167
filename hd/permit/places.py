"""Which places belong to a session: its workspace, what is temporary, and the devices that hold nothing; pure.

Paths are judged by their text, so a symbolic link is taken for the place where it stands.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from posixpath import expanduser, join, normpath
from typing import Final

_TEMPORARY: Final = re.compile(r"(?:/tmp|/var/tmp|/private/tmp|/dev/shm)(?:/|\Z)")
_DEVICE: Final = re.compile(r"/dev(?:/|\Z)")
_HARMLESS: Final = re.compile(r"/dev/(?:null|zero|full|tty|stdin|stdout|stderr|fd/\d+|u?random)\Z")


@dataclass(frozen=True, slots=True)
class Ground:
    """The workspace and the person's home, as absolute paths; what is in the home and not in the workspace is beyond
    even where the home is a temporary folder."""

    workspace: str
    home: str

    @classmethod
    def of(cls, workspace: Path) -> "Ground":
        """The ground of a workspace, with the home that the commands of this daemon have too."""
        home = normpath(expanduser("~"))
        return cls(normpath(workspace.as_posix()), home if home.startswith("/") else "/~")

    def holds(self, path: str) -> bool:
        """Whether a path, absolute or relative to the workspace, is in the workspace."""
        return _within(self.at(path, self.workspace), self.workspace)

    def at(self, path: str, folder: str) -> str:
        """The absolute path of a path that is given in a folder."""
        # A glob such as `.*` matches the folder above in shells of some age.
        parts = [".." if part in {".*", ".?", ".?*", "..*"} else part for part in path.split("/")]
        return normpath(join(folder, "/".join(parts)))

    def is_beyond(self, path: str, folder: str) -> bool:
        """Whether what is written to `path` in `folder` is written outside the workspace. A path that climbs out of
        the workspace is beyond wherever it leads; a temporary place counts where it is named as one."""
        full = self.at(path, folder)
        if _within(full, self.workspace) or _HARMLESS.match(full):
            return False
        if not path.startswith("/") and _within(folder, self.workspace):
            return True
        return not _TEMPORARY.match(full) or _within(full, self.home)

    def is_device(self, path: str, folder: str) -> bool:
        """Whether writing to it writes to hardware."""
        full = self.at(path, folder)
        return bool(_DEVICE.match(full) and not _HARMLESS.match(full) and not _TEMPORARY.match(full))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
