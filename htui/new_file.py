"""A file of somebody's own that is new, private, and there only when all of it was written."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Opens it; `OSError`, among them `FileExistsError` where something stands there. Whatever fails, none is left."""
    try:
        handle = os.open(path, _FLAGS, 0o600)
    except ValueError as error:  # A name that no file can have.
        raise OSError(errno.EINVAL, str(error)) from None
    try:
        with open(handle, "wb") as file:
            yield file
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
