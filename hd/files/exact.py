"""What stands under a path byte for byte, and how exactly that is put there again.

Where the file layer keeps encodings and endings for whoever edits text, this knows only bytes, links, folders and
permission bits. The same rules hold: nothing outside the workspace, nothing secret, nothing of version control, and a
last look before each exchange.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hd.files import disk, exchange, paths
from hd.files.errors import Code, FileError, FileRefused, from_os
from hd.files.guard import Guard
from hd.files.leftovers import Leftovers, temporary_name
from hd.files.scan import VCS, Kind, kind_of, relative_name


@dataclass(frozen=True, slots=True)
class Form:
    """`content` are the bytes of a file or of the target of a link; None for a file larger than was asked for, and for
    what has none. `size` is in bytes."""

    kind: Kind
    mode: int
    content: bytes | None = None
    size: int = 0


Check = Callable[[Form | None], bool]


class Exact:
    """The places below `root`, by names relative to it. All methods block and raise `FileError`."""

    def __init__(self, root: Path, guard: Guard, scratch: Path | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self._guard = guard
        self._leftovers = Leftovers(scratch)

    def form(self, name: str, limit: int) -> Form | None:
        """What stands there, a link for itself; None where nothing does."""
        try:
            return form_at(self.root, self._place(name), limit)
        except OSError as error:
            raise from_os(error, name, "Nothing was read.") from error

    def bring(self, name: str, form: Form | None, still: Check, limit: int) -> None:
        """Puts `form` there, or nothing. FS_STALE when `still` does not hold for what is there in the last moment.

        A file and a link are exchanged in one step. A folder is only removed when it is empty.
        """
        place = self._place(name)

        def check(here: str) -> None:
            if not still(form_at(self.root, place.with_name(here), limit)):
                raise FileError(Code.STALE, f"{name} changed in this very moment. It was left as it is.")

        try:
            with disk.folder_of(self.root, place, create=form is not None) as folder:
                self._exchange(folder, place, form, check)
        except FileRefused:
            raise
        except OSError as error:
            raise from_os(error, name, "It was left as it is.") from error

    def _exchange(self, folder: int, place: Path, form: Form | None, check: exchange.Check) -> None:
        there = _state(folder, place.name)
        if there is not None and (form is None or _is_folder(there) is not (form.kind is Kind.DIRECTORY)):
            check(place.name)
            self._remove(folder, place, there, check)
            there, check = None, _nothing
        match form:
            case None:
                check(place.name)
            case Form(Kind.DIRECTORY):
                check(place.name)
                if there is None:
                    os.mkdir(place.name, dir_fd=folder)
                _set_mode(folder, place.name, form.mode)
            case Form(Kind.LINK, content=bytes(target)):
                check(place.name)
                self._link(folder, place, target, there is not None, check)
            case Form(Kind.FILE, content=bytes(raw)):
                left = self._leftovers
                disk.put(folder, place, raw, over=there, check=check, leftovers=left, mode=form.mode)
            case _:
                raise FileError(Code.NOT_A_FILE, "It is a pipe, socket or device. It was left as it is.")

    def _remove(self, folder: int, place: Path, there: os.stat_result, check: exchange.Check) -> None:
        if _is_folder(there):
            os.rmdir(place.name, dir_fd=folder)
            return
        temporary = temporary_name()
        with self._leftovers.noted(place.with_name(temporary)):
            exchange.remove(folder, temporary, place.name, check)

    def _link(self, folder: int, place: Path, target: bytes, over: bool, check: exchange.Check) -> None:
        if not over:
            os.symlink(target, os.fsencode(place.name), dir_fd=folder)
            return
        temporary = temporary_name()
        with self._leftovers.noted(place.with_name(temporary)):
            os.symlink(target, os.fsencode(temporary), dir_fd=folder)
            try:
                exchange.replace(folder, temporary, place.name, check)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
                raise

    def _place(self, name: str) -> Path:
        place = paths.entry(name, self.root, self._guard)
        if place != self.root / name:
            raise FileRefused(Code.OUTSIDE, f"{name} leads through a link now. Nothing was touched.")
        if place == self.root or not VCS.isdisjoint(place.relative_to(self.root).parts):
            raise FileRefused(Code.PROTECTED, f"{name} belongs to version control. Nothing was touched.")
        return place


def form_at(root: Path, place: Path, limit: int) -> Form | None:
    """What stands at `place` (absolute, below `root`, its folders no links); OSError."""
    try:
        with disk.folder_of(root, place) as folder:
            state = os.stat(place.name, dir_fd=folder, follow_symlinks=False)
            return _form(folder, place.name, state, limit)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _form(folder: int, name: str, state: os.stat_result, limit: int) -> Form:
    kind, mode = kind_of(state.st_mode), stat.S_IMODE(state.st_mode)
    if kind is Kind.LINK:
        target = os.fsencode(os.readlink(name, dir_fd=folder))
        return Form(kind, 0, target, len(target))
    if kind is not Kind.FILE:
        return Form(kind, mode)
    if state.st_size > limit:
        return Form(kind, mode, None, state.st_size)
    try:
        found = disk.read(folder, name, limit)
    except FileError:
        return Form(kind, mode, None, state.st_size)
    return Form(kind, stat.S_IMODE(found.state.st_mode), found.raw, len(found.raw))


def below(root: Path, place: Path, guard: Guard, most: int) -> list[Path] | None:
    """Everything in the folder `place` without its secrets, links not followed; None where that is more than `most`."""
    found: list[Path] = []
    for folder, folders, files in os.walk(place):
        inside = (Path(folder) / name for name in (*folders, *files))
        found += (path for path in inside if guard.why_name(relative_name(root, path)) is None)
        if len(found) > most:
            return None
    return found


def _nothing(name: str) -> None:
    """The check of what was just removed by ourselves."""


def _state(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _is_folder(state: os.stat_result) -> bool:
    return stat.S_ISDIR(state.st_mode)


def _set_mode(folder: int, name: str, mode: int) -> None:
    descriptor = disk.open_folder(folder, name)
    try:
        with suppress(PermissionError):
            os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)
