"""What can go wrong with a file, in words for a person and for the model.

Every text says what happened, what is kept and what to do; none holds content of a secret file or a path outside the
workspace. The tools pass `code` on as `tool/result.error.code`.
"""

import errno
import os
from enum import StrEnum


class Code(StrEnum):
    """The reason, stable for clients."""

    NOT_FOUND = "FS_NOT_FOUND"
    OUTSIDE = "FS_OUTSIDE"
    SECRET = "FS_SECRET"
    PROTECTED = "FS_PROTECTED"
    BAD_PATH = "FS_BAD_PATH"
    NOT_A_FILE = "FS_NOT_A_FILE"
    NOT_A_DIRECTORY = "FS_NOT_A_DIRECTORY"
    NOT_EMPTY = "FS_NOT_EMPTY"
    NOT_TEXT = "FS_NOT_TEXT"
    ENCODING = "FS_ENCODING"
    TOO_LARGE = "FS_TOO_LARGE"
    EXISTS = "FS_EXISTS"
    READ_ONLY = "FS_READ_ONLY"
    STALE = "FS_STALE"
    UNREAD = "FS_UNREAD"
    EDIT_NOT_FOUND = "FS_EDIT_NOT_FOUND"
    EDIT_AMBIGUOUS = "FS_EDIT_AMBIGUOUS"
    EDIT_EMPTY = "FS_EDIT_EMPTY"
    PATTERN = "FS_PATTERN"
    IO = "FS_IO"


class FileError(Exception):
    """The call did nothing, or as much as its text says."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class FileRefused(FileError):
    """A path that no call may touch, whether or not anything stands there: outside, secret, protected, malformed."""


_BY_ERRNO = {
    errno.ENOENT: (Code.NOT_FOUND, "does not exist"),
    errno.EEXIST: (Code.EXISTS, "exists already"),
    errno.ENOTDIR: (Code.NOT_A_DIRECTORY, "is not a directory, or its path runs through something that is none"),
    errno.EISDIR: (Code.NOT_A_FILE, "is a directory"),
    errno.ENOTEMPTY: (Code.NOT_EMPTY, "is a directory that is not empty"),
    errno.ELOOP: (Code.NOT_A_FILE, "is a link that changed or runs in a circle"),
    errno.EACCES: (Code.READ_ONLY, "may not be accessed by this user"),
    errno.EPERM: (Code.READ_ONLY, "may not be changed by this user"),
    errno.EROFS: (Code.READ_ONLY, "is on a file system that cannot be written"),
    errno.ENAMETOOLONG: (Code.BAD_PATH, "has too long a name"),
    errno.ENOSPC: (Code.IO, "could not be written: the disk is full"),
    errno.EDQUOT: (Code.IO, "could not be written: the disk quota is used up"),
}


def from_os(error: OSError, name: str, kept: str = "Nothing was changed.") -> FileError:
    """The error of the operating system about the file shown as `name`. `kept` says what state the call left."""
    code, what = _BY_ERRNO.get(error.errno or 0, (Code.IO, f"could not be used ({os.strerror(error.errno or 0)})"))
    return FileError(code, f"{name} {what}. {kept}")
