"""The login cookies on disk: one file an origin, readable by its owner alone.

A cookie opens the daemon, and with it a shell. Hence folder and file must belong to the user, closed to everybody else
and no symbolic links; anything else is an error with one sentence, never repaired in silence.
"""

import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import msgspec

from htui.errors import CookieFileUnsafe

VERSION = 1
_FILE_LIMIT = 16384


@dataclass(frozen=True, slots=True)
class Cookie:
    """`pair` is `name=value` as the header carries it; `expires_at` is in ms, None for one that must not be kept."""

    pair: str = field(repr=False)
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class CookieFolder:
    """The folder of the cookie files; it is created with the first cookie."""

    path: Path

    @staticmethod
    def of(environ: Mapping[str, str]) -> "CookieFolder":
        """`HTUI_AUTH_DIR`, else a folder of the platform for state."""
        named = environ.get("HTUI_AUTH_DIR")
        if named:
            return CookieFolder(Path(os.path.expanduser(named)))
        from platformdirs import user_state_path

        return CookieFolder(user_state_path("htui", appauthor=False) / "auth")

    def file(self, origin: str) -> Path:
        return self.path / f"{sha256(origin.encode()).hexdigest()}.json"

    def load(self, origin: str) -> Cookie | None:
        """The cookie kept for `origin`, None when there is none or it has expired; `CookieFileUnsafe`."""
        if not self._check_folder():
            return None
        path = self.file(origin)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            raise CookieFileUnsafe(
                f"The cookie file {path} cannot be opened or is a symbolic link; delete it."
            ) from None
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
                raise CookieFileUnsafe(f"The cookie file {path} is not a file of yours; delete it.")
            if stat.S_IMODE(found.st_mode) & 0o077:
                raise CookieFileUnsafe(f"The cookie file {path} is open to others; run: chmod 600 {path}")
            content = file.read(_FILE_LIMIT)
        return _decode(content, path, origin)

    def save(self, origin: str, cookie: Cookie) -> None:
        """Keeps the cookie if it has a lifetime; the file is replaced as a whole."""
        if cookie.expires_at is None:
            return
        if not self._check_folder():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_folder()
        path = self.file(origin)
        content = {"version": VERSION, "origin": origin, "cookie": cookie.pair, "expiresAt": cookie.expires_at}
        draft = path.with_name(f".{path.name}.{uuid4().hex}")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(handle, "wb") as file:
                file.write(msgspec.json.encode(content))
                file.flush()
                os.fsync(handle)
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise CookieFileUnsafe(f"The cookie file {path} cannot be written: {error.strerror}.") from error

    def _check_folder(self) -> bool:
        """True when the folder is there and safe, False when it is not there."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise CookieFileUnsafe(f"The cookie folder {self.path} cannot be read: {error.strerror}.") from error
        if not stat.S_ISDIR(found.st_mode):
            raise CookieFileUnsafe(f"The cookie folder {self.path} is a symbolic link or no folder; remove it.")
        if found.st_uid != os.geteuid():
            raise CookieFileUnsafe(f"The cookie folder {self.path} belongs to another user; set HTUI_AUTH_DIR.")
        if stat.S_IMODE(found.st_mode) != 0o700:
            raise CookieFileUnsafe(f"The cookie folder {self.path} must have mode 0700; run: chmod 700 {self.path}")
        return True


def _decode(content: bytes, path: Path, origin: str) -> Cookie | None:
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict) or found.get("version") != VERSION or found.get("origin") != origin:
        raise CookieFileUnsafe(f"The cookie file {path} is damaged; delete it and log in again.")
    pair, expires_at = found.get("cookie"), found.get("expiresAt")
    if not isinstance(pair, str) or not is_pair(pair) or not isinstance(expires_at, int | float):
        raise CookieFileUnsafe(f"The cookie file {path} is damaged; delete it and log in again.")
    return Cookie(pair, int(expires_at)) if expires_at > time.time() * 1000 else None


_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_VALUE = _NAME | {"."}


def is_pair(pair: str) -> bool:
    """Whether a text is a login cookie of the dialect: `dsh-auth-…=…` in a closed alphabet, so no header can break."""
    name, _, value = pair.partition("=")
    ending = name.removeprefix("dsh-auth-")
    return ending != name and bool(ending) and bool(value) and set(ending) <= _NAME and set(value) <= _VALUE
