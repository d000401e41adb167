"""Putting a file in the place of another, or taking one away, so that what somebody saves in that moment is not lost.

A look and a rename are two system calls, and an editor may save in between. So the two files change places in one
step, and what stood there is looked at once more where nobody saves over it any more: if it is not what was to be
replaced, it goes back. Where the system cannot exchange names (other systems, some network file systems) the look
before has to do.
"""

import ctypes
import errno
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

_EXCHANGE: Final = 2
"""RENAME_EXCHANGE of renameat2(2)."""
_CANNOT: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM})

Check = Callable[[str], None]
"""Looks at what stands under a name of the folder, and raises where that is not what was to be replaced."""


def replace(folder: int, temporary: str, name: str, check: Check) -> None:
    """`temporary` takes the place of `name`, and its name is free again. Raises what `check` does; then all is as it
    was, and the new file has the temporary name."""
    ours = os.stat(temporary, dir_fd=folder, follow_symlinks=False).st_ino
    if not _swapped(folder, temporary, name):
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        check(temporary)
    except BaseException:
        with suppress(FileNotFoundError):  # who removed the name meanwhile wants it so
            _swapped(folder, temporary, name)
            if os.stat(temporary, dir_fd=folder, follow_symlinks=False).st_ino != ours:
                # Ours was saved over already, so what just came back is the older one of theirs.
                _swapped(folder, temporary, name)
        raise
    os.unlink(temporary, dir_fd=folder)


def remove(folder: int, temporary: str, name: str, check: Check) -> None:
    """Removes a file or link. Raises what `check` does; then it is there as before, or what was saved there since."""
    os.rename(name, temporary, src_dir_fd=folder, dst_dir_fd=folder)
    try:
        check(temporary)
    except BaseException:
        with suppress(FileExistsError):
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        raise
    finally:
        os.unlink(temporary, dir_fd=folder)


def _swapped(folder: int, one: str, other: str) -> bool:
    """Exchanges two names of a folder; False where that is not to be had here."""
    call = _renameat2()
    if call is None:
        return False
    if call(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), other)


@cache
def _renameat2() -> Any:
    """The C library's function; None where it has none."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        call.restype = ctypes.c_int
    return call
