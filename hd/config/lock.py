"""One daemon a home, by a lock that the kernel drops when its holder dies.

The lock is `flock` on `run/lock`, so neither a file that was left behind nor a process id that was used again can
pretend to be a daemon. It also says who holds it: process, machine, and by which command. Everything else in `run/`
only counts while the lock is held: `daemon.json` says where the holder listens, `secret` lets commands of the same user
ask it for a login token.

On a network disk `flock` may be missing, which is refused, or be seen by one machine only. There a lock that another
machine took and did not give back counts as held, for nobody here can know better.
"""

import errno
import fcntl
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

import msgspec

from hd.config.disks import network_disk
from hd.config.home import Home
from hd.config.private import read_private, write_private
from hd.errors import HomeBusy, HomeUnusable

_POLL_S: Final = 0.02
_INSTANT_S: Final = 0.2
"""A command that asks whether a daemon runs holds the lock too, for less than this."""

Purpose = Literal["web", "run", "doctor"]
"""The command that holds a home. Only `web` listens."""


class Daemon(msgspec.Struct, frozen=True, rename="camel"):
    """What `daemon.json` says. `url` is the bare origin, without a token; `started_at` is in ms since the epoch."""

    url: str
    host: str
    port: int
    pid: int
    version: str
    started_at: int


class Holder(msgspec.Struct, frozen=True):
    """What the lock file says of the process that holds the lock, or held it last and did not give it back."""

    pid: int
    machine: str
    purpose: Purpose


@dataclass(slots=True)
class HomeLock:
    """The held lock. Keep it until the process ends or `release` it; made by `acquire`."""

    home: Home
    _descriptor: int
    _written: dict[Path, bytes] = field(default_factory=dict)

    def is_in_place(self) -> bool:
        """Whether the lock is still the one of the home: not after somebody removed the home or put another there."""
        return _is_at(self._descriptor, self.home.lock)

    def publish(self, daemon: Daemon) -> None:
        """Says where this daemon listens, to whoever may read the home."""
        self._write(self.home.daemon, msgspec.json.encode(daemon))

    def new_secret(self) -> str:
        """A new control secret for this run, written where commands of the same user find it."""
        secret = secrets.token_urlsafe(32)
        self._write(self.home.secret, secret.encode())
        return secret

    def _write(self, path: Path, content: bytes) -> None:
        write_private(path, content)
        self._written[path] = content

    def restore(self) -> None:
        """Writes again what was published and is gone or changed, so that commands find the way; blocks."""
        for path, content in self._written.items():
            with suppress(OSError):
                if not _is_private(path, content):
                    write_private(path, content)

    def release(self) -> None:
        if self._descriptor < 0:
            return
        # What lies in a home that took the place of ours belongs to somebody else.
        if self.is_in_place():
            with suppress(OSError):
                _forget(self.home)
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> "HomeLock":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def acquire(home: Home, purpose: Purpose = "web", *, wait_s: float = 5.0) -> HomeLock:
    """Takes the lock of a prepared home, or raises `HomeBusy` naming who has it and how to go on.

    A daemon that does not listen yet is waited for, up to `wait_s`, until it can be named or is gone. The error's
    details have the `url` where there is one, and the `pid`. Blocks; call it before the event loop runs or in a thread.
    """
    began = time.monotonic()
    while True:
        descriptor = _try_lock(home.lock, fcntl.LOCK_EX)
        if descriptor is not None:
            if _is_at(descriptor, home.lock):
                return _taken(home, descriptor, purpose)
            os.close(descriptor)
            continue
        daemon, holder = _named_daemon(home), _holder(home)
        if daemon is not None:
            raise HomeBusy(
                f"A daemon of this home runs already at {daemon.url} (process {daemon.pid}). Use it, or stop it with "
                "`hd stop`.",
                {"url": daemon.url, "pid": daemon.pid},
            )
        other = holder is not None and holder.purpose != "web" and _lives(holder.pid)
        if time.monotonic() - began >= (min(wait_s, _INSTANT_S) if other else wait_s):
            raise _busy(home, holder if other else None)
        time.sleep(_POLL_S)


def _taken(home: Home, descriptor: int, purpose: Purpose) -> HomeLock:
    """Writes down who holds the lock from here on; `HomeBusy` when a machine that we cannot see may hold it too."""
    machine = os.uname().nodename
    last = _holder(home)
    if last is not None and last.machine != machine and (disk := network_disk(home.lock)) is not None:
        os.close(descriptor)
        raise HomeBusy(
            f"{home.root} lies on a network disk ({disk}), and process {last.pid} on the machine {last.machine} did "
            f"not give it back. If nothing of hd runs there any more, delete {home.lock}; better give each machine an "
            "HD_HOME on a disk of its own."
        )
    try:
        _forget(home)
    except OSError as error:
        os.close(descriptor)
        raise HomeUnusable(f"{error.filename} is in the way: {error.strerror}. Remove it or set HD_HOME.") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, msgspec.json.encode(Holder(os.getpid(), machine, purpose)) + b"\n", 0)
    return HomeLock(home, descriptor)


def _busy(home: Home, holder: Holder | None) -> HomeBusy:
    if holder is None:
        return HomeBusy(
            f"Another process holds {home.lock} but does not say where it listens. Wait for it to start or to end, "
            "or set another HD_HOME."
        )
    until = "its turn ends" if holder.purpose == "run" else "it is done"
    return HomeBusy(
        f"`hd {holder.purpose}` (process {holder.pid}) has the home {home.root} until {until}. Wait for that, stop it "
        f"(`kill {holder.pid}`), or set another HD_HOME.",
        {"pid": holder.pid, "purpose": holder.purpose},
    )


def running(home: Home) -> Daemon | None:
    """The daemon of a home, None when none runs or none listens yet."""
    return _named_daemon(home) if _is_held(home) else None


def holder(home: Home) -> Holder | None:
    """Who holds a home, whether or not it listens; None when nobody does."""
    found = _holder(home) if _is_held(home) else None
    return found if found is not None and _lives(found.pid) else None


def control_secret(home: Home) -> str | None:
    """The secret of the running daemon; None when there is none. PermissionError when others could have written it."""
    secret = read_private(home.secret)
    return None if secret is None else secret.decode("ascii", "replace").strip()


def _is_held(home: Home) -> bool:
    try:
        descriptor = _try_lock(home.lock, fcntl.LOCK_SH, create=False)
    except FileNotFoundError:
        return False
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None


def _try_lock(path: Path, kind: int, *, create: bool = True) -> int | None:
    """An open descriptor that holds the lock, or None when somebody else holds it."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        if not create and isinstance(error, FileNotFoundError):
            raise
        reason = "it is a symbolic link" if error.errno == errno.ELOOP else error.strerror
        raise HomeUnusable(f"{path} cannot be opened: {reason}. Mend that or set HD_HOME.") from None
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return None
        raise HomeUnusable(
            f"{path} cannot be locked: {error.strerror}. The disk may be a network disk; set HD_HOME to a folder on a "
            "local one."
        ) from None
    return descriptor


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one that `path` names now."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except OSError:
        return False


def _holder(home: Home) -> Holder | None:
    try:
        return msgspec.json.decode(home.lock.read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None


def _named_daemon(home: Home) -> Daemon | None:
    """What `daemon.json` says, if it is the lock's holder that wrote it."""
    held = _holder(home)
    try:
        daemon = msgspec.json.decode(home.daemon.read_bytes(), type=Daemon)
    except (OSError, msgspec.DecodeError):
        return None
    return daemon if held is not None and daemon.pid == held.pid and _lives(held.pid) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_private(path: Path, content: bytes) -> bool:
    """Whether that is what the file holds, closed to others."""
    try:
        return read_private(path) == content
    except OSError:
        return False


def _forget(home: Home) -> None:
    for path in (home.daemon, home.secret):
        path.unlink(missing_ok=True)
