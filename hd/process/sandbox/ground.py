"""Looks at the disk for what a plan is made of; it blocks."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hd.process.sandbox.plan import CACHES, SECRETS, TEMPORARY, Ground

_LINE = 4096


def look(workspace: Path, home: Path, own: Path) -> Ground:
    """The ground of a workspace; `home` is the person's home, `own` the daemon's."""
    root = _real(workspace)
    return Ground(
        root,
        _real(own),
        secrets=_there(home / name for name in SECRETS),
        caches=_there(home / name for name in CACHES),
        temporary=_there(map(Path, dict.fromkeys((*TEMPORARY, tempfile.gettempdir())))),
        repository=tuple(folder for folder in _repository(root) if not folder.is_relative_to(root)),
    )


def _there(places: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(_real(place) for place in places if place.exists()))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _repository(workspace: Path) -> list[Path]:
    """Where git keeps what belongs to the workspace: its own folder of a worktree or submodule, and the shared one."""
    for folder in (workspace, *workspace.parents):
        git = folder / ".git"
        if git.is_dir():
            return [_real(git)]
        if git.is_file():
            own = _named(git, "gitdir:")
            if own is None or not (own / "HEAD").is_file():
                return []
            shared = _named(own / "commondir", "")
            return [own, shared] if shared is not None and (shared / "objects").is_dir() else [own]
    return []


def _named(file: Path, word: str) -> Path | None:
    """The folder that the first line of a file names after `word`."""
    try:
        with file.open(encoding="utf-8", errors="surrogateescape") as opened:
            line = opened.readline(_LINE).strip()
    except OSError:
        return None
    return _real(file.parent / line.removeprefix(word).strip()) if line.startswith(word) and line != word else None
