"""What a client is told of a file that it is not shown; the codes are those of the dialect, and two of our own."""

from collections.abc import Mapping

from hd.errors import HdError
from hd.files.errors import Code, FileError


class WorkspaceFileError(HdError):
    """A file or folder that is not shown."""

    code = "workspace-file/unreadable"


class FileMissing(WorkspaceFileError):
    code = "workspace-file/not-found"


class FileOutside(WorkspaceFileError):
    code = "workspace-file/outside-workspace"


class FileSecret(WorkspaceFileError):
    code = "workspace-file/secret"


class FileNotRegular(WorkspaceFileError):
    code = "workspace-file/not-regular-file"


class FileNotText(WorkspaceFileError):
    code = "workspace-file/not-text"


class FileTooLarge(WorkspaceFileError):
    code = "workspace-file/too-large"


class NoDirectory(WorkspaceFileError):
    code = "workspace-file/not-directory"


_KINDS: Mapping[Code, type[WorkspaceFileError]] = {
    Code.NOT_FOUND: FileMissing,
    Code.OUTSIDE: FileOutside,
    Code.BAD_PATH: FileOutside,
    Code.SECRET: FileSecret,
    Code.NOT_A_FILE: FileNotRegular,
    Code.NOT_A_DIRECTORY: NoDirectory,
    Code.NOT_TEXT: FileNotText,
    Code.TOO_LARGE: FileTooLarge,
}


def refusal(error: FileError, path: str) -> WorkspaceFileError:
    """The error of the file layer about `path`, as it crosses the wire."""
    return _KINDS.get(error.code, WorkspaceFileError)(error.message, {"path": path})
