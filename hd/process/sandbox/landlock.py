"""Landlock, the kernel's own sandbox for programs without rights, by three system calls.

It is a list of what is allowed, so what is hidden is left out by allowing all that lies beside it; the names in hidden
folders can be seen, what is in them cannot. It binds the calling thread and what that starts. Therefore a command is
started from a thread of its own that goes into the cage first and ends right after: no code runs between fork and
exec, and no other program has to start in between.

Numbers: linux/landlock.h and asm-generic/unistd.h of the kernel's user interface; landlock(7).
"""

import ctypes
import os
import stat
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.process.sandbox.base import Argv, Spawn
from hd.process.sandbox.plan import DEVICES, Plan

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_VERSION: Final = 1
_BENEATH: Final = 1
_NO_NEW_PRIVS: Final = 38

_EXECUTE, _WRITE, _READ, _READ_DIR = (1 << bit for bit in range(4))
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_ALL: Final = (1 << 15) - 1
"""Everything up to version 3. Control of devices (version 5) is left alone: terminals live by it."""
_LOOK: Final = _EXECUTE | _READ | _READ_DIR
_CHANGE: Final = _ALL & ~(_MAKE_CHAR | _MAKE_BLOCK)
"""No device files: who may make one for a disk may write to that disk."""
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE

_TCP: Final = 0b11
_SCOPES: Final = 0b11
"""Abstract sockets, and signals, of processes outside the cage."""

_NEEDED: Final = 3
_NETWORK_SINCE: Final = 4
_SCOPES_SINCE: Final = 6

Rule = tuple[Path, int]
Listing = Callable[[Path], Iterable[Path]]


class _Attributes(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """The kernel's version of Landlock; 0 where it has none, or none that is switched on."""
    try:
        return max(0, int(_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))
    except (OSError, AttributeError):
        return 0


@dataclass(frozen=True, slots=True)
class Landlock:
    """The mechanism, for a kernel's version of it."""

    version: int

    @property
    def name(self) -> str:
        return "landlock"

    @property
    def cuts_network(self) -> bool:
        return self.version >= _NETWORK_SINCE

    @property
    def gaps(self) -> tuple[str, ...]:
        gaps = [
            "the names in hidden folders can be seen",
            "files that your own rules close can be read where the workspace may be written",
            "Unix sockets by path can be reached",
        ]
        if self.version < _SCOPES_SINCE:
            gaps.append("other processes of yours can be ended")
        gaps.append("without a network, only TCP is cut" if self.cuts_network else "the network cannot be cut")
        return tuple(gaps)

    @property
    def hides_within(self) -> bool:
        return False

    @property
    def trouble(self) -> str | None:
        """Why it cannot serve."""
        if self.version == 0:
            return "the kernel has no Landlock, or it is switched off"
        if self.version < _NEEDED:
            return f"the kernel's Landlock (version {self.version}) cannot keep files from being emptied"
        return None

    def start(self, plan: Plan, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        started: Future[subprocess.Popen[bytes]] = Future()

        def run() -> None:
            try:
                self._enter(plan)
                started.set_result(spawn(argv))
            except BaseException as error:
                started.set_exception(error)

        thread = threading.Thread(target=run, name="start in Landlock", daemon=True)
        thread.start()
        thread.join()
        return started.result()

    def _enter(self, plan: Plan) -> None:
        """Puts the calling thread into the cage, for good."""
        net = 0 if plan.network or not self.cuts_network else _TCP
        scoped = _SCOPES if self.version >= _SCOPES_SINCE else 0
        attributes = _Attributes(_ALL, net, scoped)
        # Older kernels refuse a longer structure, so it ends with the last field that says something.
        size = 24 if scoped else 16 if net else 8
        ruleset = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
        try:
            for path, allowed in rules(plan, _listing):
                _allow(ruleset, path, allowed)
            if _libc().prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
                raise _error("no_new_privs")
            _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
        finally:
            os.close(ruleset)


def rules(plan: Plan, listing: Listing) -> Iterator[Rule]:
    """What is allowed beneath which path. `listing` gives what is in a folder."""
    yield Path("/"), _READ_DIR
    exposed = plan.exposed
    for path in readable([path for path in plan.hidden if path not in exposed], listing):
        yield path, _LOOK
    for path in plan.writable:
        yield path, _CHANGE
    for device in DEVICES:
        yield Path(device), _LOOK | _WRITE | _TRUNCATE


def readable(hidden: Iterable[Path], listing: Listing) -> Iterator[Path]:
    """The fewest paths beneath which lies everything but what is hidden."""
    left_out = frozenset(hidden)
    if not left_out:
        yield Path("/")
    opened = {parent for place in left_out for parent in place.parents}
    for folder in sorted(opened):
        if left_out.isdisjoint((folder, *folder.parents)):
            yield from (path for path in listing(folder) if path not in left_out and path not in opened)


def _listing(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            return [Path(entry.path) for entry in found if not entry.is_symlink()]
    except OSError:
        return []


def _allow(ruleset: int, path: Path, allowed: int) -> None:
    """Adds a rule; a path that is gone needs none."""
    try:
        opened = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        mode = os.fstat(opened).st_mode
        if stat.S_ISLNK(mode):
            return
        rule = _PathBeneath(allowed if stat.S_ISDIR(mode) else allowed & _OF_FILES, opened)
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(opened)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    """A system call; OSError as the kernel says."""
    result = int(_libc().syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise _error(f"system call {number}")
    return result


def _error(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"Landlock: {what}: {os.strerror(code)}")
