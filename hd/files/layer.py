"""The one place where files are read and changed.

Paths are those that people and models give; each method resolves and judges its own (`hd.files.paths`), so there is no
way around the guard. All methods block and may be called from any thread; changes are made one at a time. A change
with `dry_run` says what it would do, or refuses, and does nothing.

A change names the state it starts from (`expect`). What is on disk is compared with it twice, before anything is
computed and again in the last moment before the exchange, so that what a person saved in between is not lost.
"""

import copy
import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hd.files import content, disk, exchange, paths, search
from hd.files.changes import Deleted, Edited, Written
from hd.files.content import FileText
from hd.files.encoding import shown
from hd.files.errors import Code, FileError, FileRefused, from_os
from hd.files.guard import Guard
from hd.files.leftovers import Leftovers, temporary_name
from hd.files.listing import Listing, listing
from hd.files.pages import Part, read_part
from hd.files.scan import VCS, Kind, kind_of, relative_name
from hd.files.versions import Versions
from hd.files.walk import Walk
from hd.files.witness import Witness, nobody

SIZE_LIMIT = 64 << 20
ABSENT = ""
"""As `expect`: there must be no file."""


@dataclass(frozen=True, slots=True)
class _Present:
    """A file as it stands on disk now."""

    raw: bytes
    file: FileText
    state: os.stat_result


class FileLayer:
    """The files below `root`. `scratch` is a folder of the daemon's own for notes about files in the making."""

    def __init__(self, root: Path, guard: Guard | None = None, *, scratch: Path | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self.guard = Guard() if guard is None else guard
        self._versions = Versions()
        self._leftovers = Leftovers(scratch)
        self._leftovers.sweep()
        self._changing = threading.Lock()
        self._witness: Witness = nobody

    def witnessed(self, witness: Witness) -> Self:
        """The same layer, whose changes are told to `witness`."""
        layer = copy.copy(self)
        layer._witness = witness
        return layer

    def resolve(self, path: str) -> Path:
        """The real path, absolute; `FileRefused` if it lies outside, is secret or is no path."""
        return paths.resolve(path, self.root, self.guard)

    def name(self, path: Path) -> str:
        """How a path inside the workspace is shown: relative to it, `.` for itself."""
        return shown(relative_name(self.root, path)) or "."

    def kind(self, path: str) -> Kind | None:
        """What stands there, links followed; None where nothing does."""
        with self._about(real := self.resolve(path)):
            try:
                return kind_of(os.stat(real, follow_symlinks=False).st_mode)
            except FileNotFoundError:
                return None

    def read(self, path: str) -> FileText:
        """A text file. What is not regular is refused without being opened."""
        real = self.resolve(path)
        with self._about(real, "Nothing was read."):
            file = self._present(real).file
        self._versions.keep(file.hash, file.view)
        return file

    def read_part(
        self, path: str, first: int, limit: int, longest: int, may_go_on: Callable[[], bool] = lambda: True
    ) -> Part:
        """Some lines of a text file that may be larger than what `read` takes (`hd.files.pages`)."""
        real = self.resolve(path)
        with self._about(real, "Nothing was read."):
            self._require_below(real)
            with disk.folder_of(self.root, real) as folder, disk.opened(folder, real.name) as descriptor:
                return read_part(descriptor, first, limit, longest, may_go_on)

    def list(self, path: str) -> Listing:
        """What a folder holds, without secrets and version control."""
        real = self.resolve(path)
        with self._about(real, "Nothing was listed."):
            return listing(self.root, real, self.guard)

    def grep(
        self, pattern: str, path: str = ".", include: str | None = None, cancel: threading.Event | None = None
    ) -> search.Matches:
        return search.grep(self._walk(path, cancel), pattern, include=include)

    def search(self, pattern: str, path: str = ".", cancel: threading.Event | None = None) -> search.Names:
        return search.names(self._walk(path, cancel), pattern)

    def write(self, path: str, text: str, *, expect: str | None = None, dry_run: bool = False) -> Written:
        """The file with `text` as its whole content, new or over the old one (`content.overwritten`).

        `expect` is the hash of the file as it was last read, `ABSENT` for a file that must not exist yet, None to take
        what is there. FS_STALE or FS_EXISTS when it does not hold.
        """
        real = self._changeable(self.resolve(path))
        with self._about(real), self._changing:
            present = self._present_or_none(real)
            self._require_fresh(present, expect)
            before = None if present is None else present.file
            after, raw = content.overwritten(real, before, text)
            if before is None or before.hash != after.hash:
                self._put(real, raw, present, dry_run)
        if not dry_run:
            self._versions.keep(after.hash, after.view)
        return Written(before, after, _other_links(present))

    def edit(
        self,
        path: str,
        old: str,
        new: str,
        *,
        replace_all: bool = False,
        expect: str | None = None,
        dry_run: bool = False,
    ) -> Edited:
        """`old` replaced by `new` where it stands exactly (`hd.files.edit`). FS_STALE when `expect` does not hold."""
        real = self._changeable(self.resolve(path))
        with self._about(real), self._changing:
            present = self._present(real)
            self._require_fresh(present, expect)
            after, raw, replaced = content.edited(present.file, present.raw, old, new, everywhere=replace_all)
            self._put(real, raw, present, dry_run)
        if not dry_run:
            self._versions.keep(after.hash, after.view)
        return Edited(present.file, after, replaced.lines, _other_links(present), replaced.apart_from)

    def make_directory(self, path: str, *, dry_run: bool = False) -> bool:
        """The folder and those above it; whether it was made (False: it was there)."""
        real = self._changeable(self.resolve(path))
        with self._about(real), self._changing:
            if os.path.lexists(real) and not real.is_dir():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            existed = real.is_dir()
            if not (existed or dry_run):
                with self._witness(real), disk.folder_of(self.root, real / "_", create=True):
                    pass
        return not existed

    def rename(self, path: str, new_path: str, *, dry_run: bool = False) -> tuple[Path, Path]:
        """Gives a file, link or folder a new name or place, which must be free; both paths.

        Folders above the new place are made. A folder may not be renamed so that a file below it ceases to be secret.
        """
        source = self._changeable(paths.entry(path, self.root, self.guard))
        target = self._changeable(paths.entry(new_path, self.root, self.guard))
        with self._changing:
            with self._about(source):
                if stat.S_ISDIR(os.lstat(source).st_mode):
                    self._require_movable(source, target)
            with self._about(target):
                if os.path.lexists(target) and str(target).casefold() != str(source).casefold():
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                if not dry_run:
                    self._move(source, target)
        return source, target

    def delete(self, path: str, *, expect: str | None = None, dry_run: bool = False) -> Deleted:
        """Removes a file, a link (not what it leads to) or an empty folder. FS_STALE when `expect` does not hold."""
        place = self._changeable(paths.entry(path, self.root, self.guard))
        with self._about(place), self._changing, disk.folder_of(self.root, place) as folder:
            state = os.stat(place.name, dir_fd=folder, follow_symlinks=False)
            kind = kind_of(state.st_mode)
            if kind is Kind.OTHER:
                raise FileError(Code.NOT_A_FILE, "It is a pipe, socket or device. It was left alone.")
            if kind is Kind.DIRECTORY and os.listdir(place):
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))

            def check(name: str) -> None:
                if kind is Kind.FILE and expect is not None:
                    self._require_fresh(self._present(place.with_name(name)), expect)

            check(place.name)
            if not dry_run:
                with self._witness(place):
                    self._remove(folder, place, kind, check)
        return Deleted(place, kind, state.st_size, f"{state.st_ino}:{state.st_size}:{state.st_mtime_ns}")

    def _remove(self, folder: int, place: Path, kind: Kind, check: exchange.Check) -> None:
        if kind is Kind.DIRECTORY:
            os.rmdir(place.name, dir_fd=folder)
            return
        temporary = temporary_name()
        with self._leftovers.noted(place.with_name(temporary)):
            exchange.remove(folder, temporary, place.name, check)

    def _walk(self, path: str, cancel: threading.Event | None) -> Walk:
        real = self.resolve(path)
        if not os.path.lexists(real):
            raise FileError(Code.NOT_FOUND, f"{self.name(real)} does not exist. Nothing was searched.")
        return Walk(self.root, real, self.guard, cancel=cancel)

    def _put(self, real: Path, raw: bytes, present: _Present | None, dry_run: bool) -> None:
        if len(raw) > SIZE_LIMIT:
            raise FileError(Code.TOO_LARGE, f"It would have more than {SIZE_LIMIT:,} bytes. Nothing was written.")
        if present is not None and not (present.state.st_mode & 0o222 and os.access(real, os.W_OK)):
            raise FileError(
                Code.READ_ONLY, "It is read-only. Nothing was changed. Ask the person whether its mode may be changed."
            )
        if dry_run:
            return

        def check(name: str) -> None:
            here = real.with_name(name)
            if present is not None and self._raw_or_none(here) != present.raw:
                self._require_fresh(self._present_or_none(here), present.file.hash)

        with (
            self._witness(real, content=raw),
            disk.folder_of(self.root, real, create=present is None) as folder,
        ):
            over = None if present is None else present.state
            disk.put(folder, real, raw, over=over, check=check, leftovers=self._leftovers)

    def _raw_or_none(self, real: Path) -> bytes | None:
        try:
            with disk.folder_of(self.root, real) as folder:
                return disk.read(folder, real.name, SIZE_LIMIT).raw
        except (OSError, FileError):
            return None

    def _present(self, real: Path) -> _Present:
        self._require_below(real)
        with disk.folder_of(self.root, real) as folder:
            found = disk.read(folder, real.name, SIZE_LIMIT)
        return _Present(found.raw, content.file_text(real, found.raw), found.state)

    def _present_or_none(self, real: Path) -> _Present | None:
        try:
            return self._present(real)
        except FileNotFoundError:
            return None

    def _require_below(self, real: Path) -> None:
        if real == self.root:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))

    def _require_fresh(self, present: _Present | None, expect: str | None) -> None:
        now = None if present is None else present.file
        if expect is None or expect == (ABSENT if now is None else now.hash):
            return
        if expect == ABSENT:
            raise FileError(Code.EXISTS, "It exists already. Nothing was written. Read it before you replace it.")
        raise FileError(Code.STALE, content.staleness(self._versions.text(expect), now))

    def _move(self, source: Path, target: Path) -> None:
        with (
            self._witness(source, target),
            disk.folder_of(self.root, source) as here,
            disk.folder_of(self.root, target, create=True) as there,
        ):
            disk.move(here, source.name, there, target.name)

    def _require_movable(self, source: Path, target: Path) -> None:
        if target.is_relative_to(source):
            raise FileError(Code.BAD_PATH, "A folder cannot be moved into itself. Nothing was changed.")
        before, after = relative_name(self.root, source), relative_name(self.root, target)
        for folder, folders, files in os.walk(source):
            below = os.path.relpath(folder, source)
            for name in (*folders, *files):
                inner = os.path.normpath(os.path.join(below, name))
                if self.guard.why_name(f"{before}/{inner}") and not self.guard.why_name(f"{after}/{inner}"):
                    raise FileRefused(
                        Code.SECRET,
                        f"{shown(before)} holds files that are secret because of its name, so it must keep the name. "
                        "Nothing was changed.",
                    )

    def _changeable(self, place: Path) -> Path:
        if place == self.root:
            raise FileRefused(Code.PROTECTED, "That is the workspace itself, which stays as it is. Name a path in it.")
        if not VCS.isdisjoint(place.relative_to(self.root).parts):
            raise FileRefused(
                Code.PROTECTED,
                f"{self.name(place)} belongs to version control, and programs run from there. Nothing was changed. "
                "Use the version control's own commands.",
            )
        return place

    @contextmanager
    def _about(self, path: Path, kept: str = "Nothing was changed.") -> Iterator[None]:
        """Turns errors of the system and of the pure parts into ones that name the file."""
        try:
            yield
        except FileRefused:
            raise
        except FileError as error:
            raise FileError(error.code, f"{self.name(path)}: {error.message}") from error
        except OSError as error:
            raise from_os(error, self.name(path), kept) from error


def _other_links(present: _Present | None) -> int:
    return max(present.state.st_nlink - 1, 0) if present is not None else 0
