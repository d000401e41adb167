"""Looks at the disk for what a plan is made of; it blocks.

What a command can write decides nothing about what the next one can: a link or a `.git` file in the workspace opens no
folder outside by itself.
"""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hd.files.closed import closed
from hd.files.rules import OwnRules
from hd.process.sandbox.plan import CACHES, SECRETS, TEMPORARY, Ground

_LINE = 4096


def look(workspace: Path, home: Path, own: Path, rules: OwnRules | None = None) -> Ground:
    """The ground of a workspace; `home` is the person's home, `own` the daemon's, `rules` close files."""
    root = _real(workspace)
    caches = () if _real(home).is_relative_to(root) else _there(home / name for name in CACHES)
    temporary = tempfile.gettempdir()
    if temporary.startswith(tuple(f"{folder}/" for folder in TEMPORARY)):
        temporary = TEMPORARY[0]
    return Ground(
        root,
        _real(own),
        secrets=_there(home / name for name in SECRETS),
        caches=caches,
        temporary=_there(map(Path, dict.fromkeys((*TEMPORARY, temporary)))),
        repository=tuple(folder for folder in _repository(root) if not folder.is_relative_to(root)),
        denied=() if rules is None else closed(root, rules),
    )


def _there(places: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(_real(place) for place in places if place.exists()))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _repository(workspace: Path) -> list[Path]:
    """Where git keeps what belongs to the workspace: its own folder of a worktree or submodule, and the shared one."""
    for folder in (workspace, *workspace.parents):
        git = folder / ".git"
        if git.is_symlink():
            return []
        if git.is_dir():
            return [git]
        if git.is_file():
            own = _named(git, "gitdir:")
            if own is None or not (_names_back(own, git) or _holds(folder, own)):
                return []
            shared = _named(own / "commondir", "")
            return [own, shared] if shared is not None and own.is_relative_to(shared) else [own]
    return []


def _names_back(own: Path, git: Path) -> bool:
    """Whether a worktree's own folder says that the worktree is this one."""
    back = _named(own / "gitdir", "")
    return back is not None and back == _real(git)


def _holds(folder: Path, own: Path) -> bool:
    """Whether it is the folder of a submodule, in the repository around it."""
    return any(own.is_relative_to(_real(parent / ".git" / "modules")) for parent in folder.parents)


def _named(file: Path, word: str) -> Path | None:
    """The folder that the first line of a file names after `word`."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as opened:
            line = opened.readline(_LINE).strip()
    except OSError:
        return None
    return _real(file.parent / line.removeprefix(word).strip()) if line.startswith(word) and line != word else None
