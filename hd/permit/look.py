"""The disk as `hd.permit.reading` asks about it: what may be read, where secrets lie, what a pattern matches.

What is seen here may be another a moment later; who can change it in that moment can write anyway.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import iglob
from itertools import islice
from pathlib import Path
from typing import Final

from hd.files.errors import FileRefused
from hd.files.layer import FileLayer

_MOST_MATCHES: Final = 500
_MOST_ENTRIES: Final = 20_000
_LARGEST_SETTINGS: Final = 64 * 1024
_SECTION: Final = re.compile(r'\[(core|init|user|remote "[^"\\]*"|branch "[^"\\]*")\]\Z', re.IGNORECASE)
# The settings that can make git run nothing.
_SETTING: Final = re.compile(
    r"(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|name|email|url|pushurl|fetch|merge|rebase|defaultbranch|description|gh-resolved|vscode-merge-base)\s*=",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DiskLook:
    """A `Look` at the workspace of a file layer. It blocks."""

    files: FileLayer

    def may_read(self, path: str, folder: str) -> bool:
        return self._real(path, folder) is not None

    def hides_secrets(self, path: str, folder: str, only: Sequence[str]) -> bool:
        real = self._real(path, folder)
        if real is None:
            return True
        seen = 0
        for place, folders, names in os.walk(real):
            seen += len(folders) + len(names)
            if seen > _MOST_ENTRIES:
                return True
            below = [name for name in names if not only or any(fnmatchcase(name, one) for one in only)]
            if any(self.files.guard.why(Path(place, name), self.files.root) for name in below):
                return True
        return False

    def matches(self, pattern: str, folder: str) -> list[str] | None:
        found = sorted(islice(iglob(pattern, root_dir=self.files.root / folder), _MOST_MATCHES + 1))
        return found if len(found) <= _MOST_MATCHES else None

    def trusts_git(self, folder: str) -> bool:
        """Git takes the nearest `.git` above, or the folder itself where it looks like a bare repository."""
        place = self._real(folder, ".")
        if place is None:
            return False
        for here in (place, *place.parents):
            if (here / ".git").is_dir():
                return _runs_nothing(here / ".git")
            if os.path.lexists(here / ".git") or ((here / "HEAD").exists() and (here / "objects").exists()):
                return False
        return True

    def _real(self, path: str, folder: str) -> Path | None:
        try:
            return self.files.resolve(os.path.join(folder, path))
        except FileRefused:
            return None


def _runs_nothing(repository: Path) -> bool:
    """Whether each line of its settings is one that names no program and no further file, and nothing of its own runs
    when a mere look writes the index anew."""
    if any(os.path.lexists(repository / name) for name in ("commondir", "hooks/post-index-change")):
        return False
    try:
        with (repository / "config").open("rb") as file:
            text = file.read(_LARGEST_SETTINGS + 1).decode()
    except FileNotFoundError:
        return True
    except (OSError, UnicodeDecodeError):
        return False
    if len(text) > _LARGEST_SETTINGS or "\\" in text:
        return False
    lines = [line for line in map(str.strip, text.splitlines()) if line and line[0] not in "#;"]
    return all(_SECTION.match(line) or _SETTING.match(line) for line in lines)
