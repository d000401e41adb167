"""What one folder holds, as the walk and the listings see it: without secrets, with what the ignore files say."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from hd.files import disk
from hd.files.errors import FileError
from hd.files.excludes import lines_of, outside_rules
from hd.files.guard import Guard
from hd.files.ignore import FILE_NAME, Ignores
from hd.files.leftovers import is_temporary

VCS = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "_darcs"})
# Folders that programs fill and nobody writes by hand; they count as ignored even where no ignore file says so.
_MACHINE_MADE = frozenset(
    {
        *("node_modules", "bower_components", "__pycache__", ".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache"),
        *(".pytest_cache", ".hypothesis", ".gradle", ".terraform", ".next", ".nuxt", ".svelte-kit", ".turbo"),
    }
)
_ENVIRONMENT = "pyvenv.cfg"
_WORKTREE = re.compile(rb"gitdir: .*[/\\]worktrees[/\\]")
_POINTER_LIMIT = 1 << 12


def is_machine_made(name: str) -> bool:
    """Whether a folder of this name is filled by programs."""
    return name in _MACHINE_MADE


class Kind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"


class Entry(NamedTuple):
    """`name` is the path relative to the workspace, with `/`. A tuple, because a walk makes a hundred thousand."""

    name: str
    kind: Kind
    ignored: bool = False

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Scope:
    """The ignore rules that hold in a folder. Their paths begin at the folder of the outermost ignore file, which may
    be above the workspace (a workspace in a part of a repository); `prefix` leads from there to the workspace."""

    ignores: Ignores
    prefix: str

    def inside(self, folder: int, base: str) -> "Scope":
        """The rules within the open folder `base` (relative to the workspace)."""
        lines = lines_of(folder, FILE_NAME)
        return Scope(self.ignores.inside(_joined(self.prefix, base), lines), self.prefix) if lines else self


def scan(folder: int, root: Path, base: str, guard: Guard, scope: Scope) -> Iterator[Entry]:
    """The entries of an open folder in the order of the disk. What the guard hides and what version control owns is
    left out, and so is a file of ours in the making."""
    hidden = guard.hidden_names(root)
    with os.scandir(folder) as found:
        for item in found:
            name = _joined(base, item.name)
            if item.name in VCS or is_temporary(item.name) or name in hidden or guard.why_name(name) is not None:
                continue
            kind = _kind(item)
            if kind is Kind.LINK and _leads_to_secret(root, name, guard):
                continue
            directory = kind is Kind.DIRECTORY
            ignored = (directory and is_machine_made(item.name)) or scope.ignores.ignored(
                _joined(scope.prefix, name), directory=directory
            )
            yield Entry(name, kind, ignored)


def scope_above(root: Path, start: Path) -> Scope:
    """The rules that the folders above `start` set for what is in it, from the repository's top downwards.

    If they say that `start` itself is ignored, they say nothing about its content: it was asked for by name.
    """
    top = _repository_top(root)
    prefix = _relative(top, root)
    ignores = Ignores()
    for lines in outside_rules(top):
        ignores = ignores.inside("", lines)
    for folder in reversed(start.parents):
        if folder.is_relative_to(top):
            ignores = _entered(top, folder, ignores)
    name = _relative(top, start)
    if name and ignores.ignored(name, directory=True):
        ignores = Ignores()
    return Scope(ignores, prefix)


def holds_a_copy(folder: int) -> bool:
    """Whether the open folder is a second checkout of some repository (a git worktree) or a Python environment.

    A walk that comes upon one leaves it out, so that copies do not drown the answer (case B01).
    """
    if disk.exists(folder, _ENVIRONMENT):
        return True
    with suppress(OSError, FileError):
        return _WORKTREE.match(disk.read(folder, ".git", _POINTER_LIMIT).raw) is not None
    return False


def relative_name(root: Path, path: Path) -> str:
    """The path relative to the workspace with `/`, empty for the workspace itself."""
    return _relative(root, path)


def kind_of(mode: int) -> Kind:
    """The kind of what has this `st_mode`."""
    if stat.S_ISDIR(mode):
        return Kind.DIRECTORY
    if stat.S_ISREG(mode):
        return Kind.FILE
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER


def _kind(item: "os.DirEntry[str]") -> Kind:
    try:
        if item.is_file(follow_symlinks=False):
            return Kind.FILE
        if item.is_dir(follow_symlinks=False):
            return Kind.DIRECTORY
        return Kind.LINK if item.is_symlink() else Kind.OTHER
    except OSError:
        return Kind.OTHER


def _leads_to_secret(root: Path, name: str, guard: Guard) -> bool:
    return guard.why(Path(os.path.realpath(root / name)), root) is not None


def _entered(top: Path, folder: Path, ignores: Ignores) -> Ignores:
    name = _relative(top, folder)
    if name and ignores.ignored(name, directory=True):
        ignores = Ignores()
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ignores
    try:
        return ignores.inside(name, lines_of(descriptor, FILE_NAME))
    finally:
        os.close(descriptor)


def _repository_top(root: Path) -> Path:
    for folder in (root, *root.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return root


def _relative(above: Path, path: Path) -> str:
    name = path.relative_to(above).as_posix()
    return "" if name == "." else name


def _joined(base: str, name: str) -> str:
    return f"{base}/{name}" if base and name else base or name
