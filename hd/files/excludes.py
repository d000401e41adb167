"""The ignore rules that git keeps outside the tree: its own of the repository, and the user's for all repositories."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from hd.files import disk
from hd.files.errors import FileError

_LIMIT = 1 << 20
_POINTER_LIMIT = 1 << 12
_PATIENCE_S = 2.0
# What decides which configuration git reads; nothing else of the daemon's environment is its business.
_CONFIGURATION = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


def outside_rules(top: Path) -> list[list[str]]:
    """The lines of the files that hold besides those in the tree of the repository `top`, the weakest first.

    None at all where `top` is no repository: git's rules are about what git keeps.
    """
    if not os.path.lexists(top / ".git"):
        return []
    own = _common_folder(top) / "info" / "exclude"
    return [lines for lines in (_lines(_global_file(top)), _lines(own)) if lines]


def lines_of(folder: int, name: str) -> list[str]:
    """The lines of an ignore file in an open folder; none if it is none or cannot be read.

    A link is followed. Git itself stopped that for files in the tree; but who links a rule file means its rules, the
    other search tools follow it, and what it says is only used to leave names out.
    """
    try:
        raw = disk.read_linked(folder, name, _LIMIT).raw
    except (OSError, FileError):
        return []
    return os.fsdecode(raw).removeprefix("\ufeff").split("\n")


def _lines(path: Path) -> list[str]:
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return lines_of(folder, path.name)
    finally:
        os.close(folder)


def _common_folder(top: Path) -> Path:
    """Where the repository keeps what its linked work trees share."""
    kept = top / ".git"
    pointer = _pointer(top, ".git")
    if pointer.startswith("gitdir: "):
        kept = top / pointer.removeprefix("gitdir: ")
    return kept / (_pointer(kept, "commondir") or ".")


def _pointer(folder: Path, name: str) -> str:
    with suppress(OSError, FileError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return os.fsdecode(disk.read(descriptor, name, _POINTER_LIMIT).raw).rstrip("\r\n")
        finally:
            os.close(descriptor)
    return ""


def _global_file(top: Path) -> Path:
    """`core.excludesFile` as git finds it (files that include others, conditions), or where git looks without it."""
    command = ["git", "config", "--type=path", "--get", "core.excludesFile"]
    environment = {name: os.environ[name] for name in _CONFIGURATION if name in os.environ}
    with suppress(OSError, subprocess.TimeoutExpired):
        found = subprocess.run(
            command, cwd=top, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S
        )
        if found.returncode == 0:
            return top / os.fsdecode(found.stdout.removesuffix(b"\n"))
    home = os.path.expanduser("~")
    return Path(os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")) / "git" / "ignore"
