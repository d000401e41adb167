"""Small files that only their owner may read, replaced as a whole or not at all."""

import os
import secrets
from pathlib import Path

MODE = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Replaces a file: readers see the old content or the new, and after a loss of power one of the two is there.

    `OSError` names `path`, whatever it was that failed.
    """
    try:
        _replace(path, content)
        sync_folder(path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_private(path: Path) -> bytes | None:
    """The content of such a file; None when there is none. PermissionError when others could have written it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        state = os.fstat(file.fileno())
        if state.st_uid != os.geteuid() or state.st_mode & 0o077:
            raise PermissionError(f"{path} must belong to you and be closed to others (chmod 600)")
        return file.read()
