"""Trees of files for the tests of the file room and the file tools."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hd.files.errors import FileError


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    """Writes the files, text as UTF-8, with the folders above them; gives the root back."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def snapshot(root: Path) -> dict[str, bytes | str | None]:
    """Everything below the root: bytes of files, targets of links, None for folders."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def refused(call: Callable[[], object]) -> FileError:
    """The error of a call that must have one."""
    with pytest.raises(FileError) as caught:
        call()
    return caught.value
