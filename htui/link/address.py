"""Which host: from a URL, the environment, or the daemon that runs here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import msgspec

from htui.errors import BadUrl

DEFAULT_ORIGIN = "http://127.0.0.1:3080"
_PORTS = {"http": 80, "https": 443}
_RUN_FILE_LIMIT = 65536


@dataclass(frozen=True, slots=True)
class Address:
    """A host. `origin` is normalised: lower case, without path and without the scheme's own port.

    `token` logs in. `home` is the home of the daemon on this machine: while that one runs and listens at `origin`, its
    own secret opens the door. `given` says that a person named the origin, so that it stays as it is.
    """

    origin: str
    token: str | None = field(default=None, repr=False)
    home: Path | None = None
    given: bool = True

    @property
    def tls(self) -> bool:
        return self.origin.startswith("https:")

    @property
    def hostname(self) -> str:
        return urlsplit(self.origin).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.origin).port or _PORTS["https" if self.tls else "http"]

    @property
    def socket_url(self) -> str:
        return f"ws{self.origin.removeprefix('http')}/api/remote.mux"

    @property
    def secret_file(self) -> Path | None:
        """The file with the local daemon's secret, None when the daemon that runs here listens elsewhere."""
        if self.home is None or running(self.home) != self.origin:
            return None
        return self.home / "run" / "secret"

    def door(self) -> tuple[str | None, int]:
        """What would let us in on this machine: the origin of its daemon and the age of its secret."""
        if self.home is None:
            return None, 0
        try:
            written = (self.home / "run" / "secret").stat().st_mtime_ns
        except OSError:
            written = 0
        return running(self.home), written

    def renewed(self) -> "Address":
        """The address as of now: a local daemon that was started again may listen elsewhere."""
        found = None if self.given or self.home is None else running(self.home)
        return self if found is None else replace(self, origin=found)


def parse(url: str) -> Address:
    """A bare http(s) origin with at most `?token=…`; `BadUrl` for anything else, without repeating the token."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadUrl("The address is no URL. It looks like http://127.0.0.1:3080.") from None
    if parts.scheme not in _PORTS or not host:
        raise BadUrl("The address must begin with http:// or https:// and name a host, as http://127.0.0.1:3080.")
    if parts.username is not None or parts.password is not None:
        raise BadUrl("The address must not hold a user name or a password.")
    if parts.path not in ("", "/") or parts.fragment:
        raise BadUrl("The address must be a bare origin: nothing but ?token=… may follow host and port.")
    query = parse_qsl(parts.query, keep_blank_values=True)
    if len(query) > 1 or any(name != "token" or not value for name, value in query):
        raise BadUrl("The address may hold one ?token=… and nothing else behind host and port.")
    shown = f"[{host}]" if ":" in host else host
    ending = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return Address(f"{parts.scheme}://{shown}{ending}", query[0][1] if query else None)


def token_of(pasted: str) -> str:
    """The token in what a person pasted: alone, or in the URL that the host printed, whatever host that names.

    The same daemon has another name behind a tunnel, so the host in the URL does not count.
    """
    try:
        return parse(pasted).token or pasted.strip()
    except BadUrl:
        return pasted.strip()


def resolve(url: str | None, environ: Mapping[str, str]) -> Address:
    """The address of `url`, else of the environment, else of the daemon that runs here, else the default.

    A token in `url` counts most, then `HTUI_TOKEN`, then `DSH_TOKEN`, then one in the environment's URL.
    """
    home = home_of(environ)
    from_env = environ.get("HTUI_TOKEN") or environ.get("DSH_TOKEN") or None
    given = url or environ.get("HTUI_URL") or environ.get("DSH_URL")
    if not given:
        return Address(running(home) or DEFAULT_ORIGIN, from_env, home, given=False)
    address = parse(given)
    token = (address.token or from_env) if url else (from_env or address.token)
    return replace(address, token=token, home=home)


def home_of(environ: Mapping[str, str]) -> Path:
    named = environ.get("HD_HOME")
    return Path(os.path.expanduser(named)) if named else Path.home() / ".h"


def running(home: Path) -> str | None:
    """The origin of the daemon that runs on `home`, None when none does."""
    try:
        found = msgspec.json.decode((home / "run" / "daemon.json").read_bytes()[:_RUN_FILE_LIMIT])
        origin = parse(found["url"]).origin
        pid = int(found["pid"])
    except (
        OSError,
        msgspec.DecodeError,
        UnicodeDecodeError,
        LookupError,
        TypeError,
        ValueError,
        BadUrl,
        AttributeError,
    ):
        return None
    return origin if _alive(pid) else None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return pid > 0
