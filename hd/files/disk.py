"""The system calls: opening without following links, reading regular files, putting new content in place at once.

Every path here is a folder descriptor and a name in it. The way from the root down to the folder is opened part by
part without following links, so that a folder exchanged for a link between the check and the use is noticed.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from hd.files import exchange
from hd.files.errors import Code, FileError
from hd.files.exchange import Check
from hd.files.leftovers import Leftovers, temporary_name

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SLACK = 1 << 16
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class Content(NamedTuple):
    """The bytes of a regular file and its state when they were read."""

    raw: bytes
    state: os.stat_result


@contextmanager
def folder_of(root: Path, path: Path, *, create: bool = False) -> Iterator[int]:
    """A descriptor of the folder in which `path` (resolved, below `root`) stands; `create` makes what is missing."""
    descriptor = os.open(root, _FOLDER)
    try:
        for part in path.relative_to(root).parts[:-1]:
            below = _enter(descriptor, part, create)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def open_folder(folder: int, name: str) -> int:
    """A descriptor of the folder of this name, which is no link."""
    return os.open(name, _FOLDER, dir_fd=folder)


def _enter(folder: int, part: str, create: bool) -> int:
    try:
        return open_folder(folder, part)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(part, dir_fd=folder)
    return open_folder(folder, part)


def read(folder: int, name: str, limit: int, *, just_seen: bool = False) -> Content:
    """The whole of a regular file of at most `limit` bytes. What is not regular (a FIFO, a device) is never opened.

    `just_seen` says that the caller found it regular a moment ago; then it is looked at only once more, when open.
    """
    if not just_seen:
        _require_regular(os.stat(name, dir_fd=folder, follow_symlinks=False))
    return _read_open(os.open(name, _READ, dir_fd=folder), limit)


def read_linked(folder: int, name: str, limit: int) -> Content:
    """The same of a file that may be a link, wherever that leads. For rules that are followed and never shown."""
    _require_regular(os.stat(name, dir_fd=folder))
    return _read_open(os.open(name, _READ & ~os.O_NOFOLLOW, dir_fd=folder), limit)


def _read_open(descriptor: int, limit: int) -> Content:
    """The descriptor is closed in any case."""
    try:
        state = os.fstat(descriptor)
        _require_regular(state)
        if state.st_size > limit:
            raise FileError(Code.TOO_LARGE, _too_large(state.st_size, limit))
        raw = _read_all(descriptor, state.st_size, limit)
    finally:
        os.close(descriptor)
    return Content(raw, state)


@contextmanager
def opened(folder: int, name: str) -> Iterator[int]:
    """A descriptor of a regular file of any size, for reading."""
    _require_regular(os.stat(name, dir_fd=folder, follow_symlinks=False))
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        _require_regular(os.fstat(descriptor))
        yield descriptor
    finally:
        os.close(descriptor)


def read_part(folder: int, name: str, offset: int, length: int) -> Content:
    """At most `length` bytes of a regular file of any size."""
    with opened(folder, name) as descriptor:
        state = os.fstat(descriptor)
        parts: list[bytes] = []
        while length > 0 and (part := os.pread(descriptor, length, offset)):
            parts.append(part)
            length -= len(part)
            offset += len(part)
    return Content(b"".join(parts), state)


def _require_regular(state: os.stat_result) -> None:
    if stat.S_ISREG(state.st_mode):
        return
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(state.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    raise FileError(Code.NOT_A_FILE, "It is not a regular file (a pipe, socket or device) and was not opened.")


def _too_large(size: int, limit: int) -> str:
    return f"It has {size:,} bytes; the file tools read at most {limit:,}. Nothing was read."


def _read_all(descriptor: int, expected: int, limit: int) -> bytes:
    # One byte more than there should be: to get exactly the rest of a regular file means to have met its end.
    first = os.read(descriptor, min(expected, limit) + 1)
    if len(first) == expected:
        return first
    parts, total = [first], len(first)
    while total <= limit and (chunk := os.read(descriptor, max(expected - total, 0) + _SLACK)):
        parts.append(chunk)
        total += len(chunk)
    if total > limit:
        raise FileError(Code.TOO_LARGE, _too_large(total, limit))
    return b"".join(parts)


def put(
    folder: int,
    path: Path,
    raw: bytes,
    *,
    over: os.stat_result | None,
    check: Check,
    leftovers: Leftovers,
    mode: int | None = None,
) -> None:
    """The file `path`, in the folder of this descriptor, with the content `raw`: wholly there or wholly not.

    With `over` (the state of the file that is replaced) mode, owner and extended attributes are kept; without it the
    file must not exist. `mode` are permission bits to be set whatever was there. `check` runs last before the exchange
    and on the old file behind it (`hd.files.exchange`), and may raise. The new content stays without a name for as long
    as the file system allows, so that a kill leaves nothing behind; see `Leftovers` for the rest.
    """
    name, temporary = path.name, temporary_name()
    with leftovers.noted(path.with_name(temporary)):
        descriptor, named = _open_temporary(folder, temporary)
        try:
            _write_all(descriptor, raw)
            if over is not None:
                _inherit(folder, name, descriptor, over)
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            check(name)
            if not named:
                _link(descriptor, folder, name if over is None else temporary)
            if over is not None:
                exchange.replace(folder, temporary, name, check)
            elif named:
                move(folder, temporary, folder, name)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(descriptor)


def _open_temporary(folder: int, name: str) -> tuple[int, bool]:
    """A new empty file in the folder, without a name where that is possible; whether it has one."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):
            return os.open(".", unnamed | os.O_WRONLY | os.O_CLOEXEC, 0o666, dir_fd=folder), False
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o666, dir_fd=folder), True


def _write_all(descriptor: int, raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _link(descriptor: int, folder: int, name: str) -> None:
    os.link(f"/proc/self/fd/{descriptor}", name, dst_dir_fd=folder, follow_symlinks=True)


def move(here: int, name: str, there: int, new_name: str) -> None:
    """Gives an entry another name in another or the same folder; FileExistsError if that name is taken.

    Linking and then removing the old name cannot replace anything; a kill in between leaves two names of one file.
    """
    if not stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
        try:
            os.link(name, new_name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS and not _same(here, name, there, new_name):
                raise
        else:
            os.unlink(name, dir_fd=here)
            return
    # Folders, and file systems without links: here the check and the move are two steps.
    if exists(there, new_name) and not _same(here, name, there, new_name):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)


def _same(here: int, name: str, there: int, other: str) -> bool:
    """Whether both names are one entry, as `Name` and `name` are where case does not count."""
    try:
        one = os.stat(name, dir_fd=here, follow_symlinks=False)
        two = os.stat(other, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(one, two) and name.casefold() == other.casefold()


def _inherit(folder: int, name: str, descriptor: int, over: os.stat_result) -> None:
    """Gives the new file what the old one has besides its content. Owner and attributes: as far as the user may."""
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (over.st_uid, over.st_gid):
        with suppress(PermissionError):
            os.chown(descriptor, over.st_uid, over.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            _copy_attributes(folder, name, descriptor)
    # Last, because a change of the owner clears the set-user-id bit.
    os.fchmod(descriptor, stat.S_IMODE(over.st_mode))


def _copy_attributes(folder: int, name: str, descriptor: int) -> None:
    source = os.open(name, _READ, dir_fd=folder)
    try:
        for attribute in os.listxattr(source):
            with suppress(OSError):
                os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
    finally:
        os.close(source)


def exists(folder: int, name: str) -> bool:
    """Whether anything stands under the name, be it a link that leads nowhere."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
