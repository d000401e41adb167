"""One daemon a home, by a lock that the kernel drops when its holder dies.

The lock is `flock` on `run/lock`, so neither a file that was left behind nor a process id that was used again can
pretend to be a daemon. Everything else in `run/` only counts while the lock is held: `daemon.json` says where the
holder listens, `secret` lets commands of the same user ask it for a login token. On a network disk `flock` may be
missing or seen by one machine only; the first is refused, against the second a home belongs on a local disk.
"""

import errno
import fcntl
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec

from hd.config.home import Home
from hd.config.private import read_private, write_private
from hd.errors import HomeBusy, HomeUnusable

_POLL_S = 0.02


class Daemon(msgspec.Struct, frozen=True, rename="camel"):
    """What `daemon.json` says. `url` is the bare origin, without a token; `started_at` is in ms since the epoch."""

    url: str
    host: str
    port: int
    pid: int
    version: str
    started_at: int


@dataclass(slots=True)
class HomeLock:
    """The held lock. Keep it until the process ends or `release` it; made by `acquire`."""

    home: Home
    _descriptor: int

    def publish(self, daemon: Daemon) -> None:
        """Says where this daemon listens, to whoever may read the home."""
        write_private(self.home.daemon, msgspec.json.encode(daemon))

    def new_secret(self) -> str:
        """A new control secret for this run, written where commands of the same user find it."""
        secret = secrets.token_urlsafe(32)
        write_private(self.home.secret, secret.encode())
        return secret

    def release(self) -> None:
        if self._descriptor < 0:
            return
        _forget(self.home)
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> "HomeLock":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def acquire(home: Home, *, wait_s: float = 5.0) -> HomeLock:
    """Takes the lock of a prepared home, or raises `HomeBusy` naming the address of the daemon that has it.

    A holder that does not listen yet is waited for, up to `wait_s`, until it can be named or is gone. Blocks; call it
    before the event loop runs or in a thread.
    """
    deadline = time.monotonic() + wait_s
    while True:
        descriptor = _try_lock(home.lock, fcntl.LOCK_EX)
        if descriptor is not None:
            _forget(home)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
            return HomeLock(home, descriptor)
        holder = _named_holder(home)
        if holder is not None:
            raise HomeBusy(
                f"A daemon of this home runs already at {holder.url} (process {holder.pid}). Use it, or stop it with "
                "`hd stop`.",
                {"url": holder.url, "pid": holder.pid},
            )
        if time.monotonic() >= deadline:
            raise HomeBusy(
                f"Another process holds {home.lock} but does not say where it listens. Wait for it to start or to end, "
                "or set another HD_HOME."
            )
        time.sleep(_POLL_S)


def running(home: Home) -> Daemon | None:
    """The daemon of a home, None when none runs or none listens yet."""
    try:
        descriptor = _try_lock(home.lock, fcntl.LOCK_SH, create=False)
    except FileNotFoundError:
        return None
    if descriptor is not None:
        os.close(descriptor)
        return None
    return _named_holder(home)


def control_secret(home: Home) -> str | None:
    """The secret of the running daemon; None when there is none. PermissionError when others could have written it."""
    secret = read_private(home.secret)
    return None if secret is None else secret.decode("ascii", "replace").strip()


def _try_lock(path: Path, kind: int, *, create: bool = True) -> int | None:
    """An open descriptor that holds the lock, or None when somebody else holds it."""
    flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise HomeUnusable(f"{path} cannot be opened: {error.strerror}. Mend that or set HD_HOME.") from None
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


def _named_holder(home: Home) -> Daemon | None:
    """What `daemon.json` says, if it is the lock's holder that wrote it."""
    try:
        daemon = msgspec.json.decode(home.daemon.read_bytes(), type=Daemon)
        holder = int(home.lock.read_bytes() or b"0")
    except (OSError, ValueError, msgspec.DecodeError):
        return None
    return daemon if daemon.pid == holder and _lives(holder) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _forget(home: Home) -> None:
    for path in (home.daemon, home.secret):
        path.unlink(missing_ok=True)
