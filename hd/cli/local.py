"""How commands of the same user speak with the running daemon."""

import http.client
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hd.config.home import Home
from hd.config.lock import Daemon, control_secret, running
from hd.errors import HdError, HomeUnusable, NotRunning

TIMEOUT_S: Final = 10.0
_SAID: Final = 1000
"""Bytes of what a daemon says about a failure that are passed on."""


@dataclass(frozen=True, slots=True)
class Local:
    """The running daemon and the secret by which it knows us."""

    daemon: Daemon
    secret: str

    @staticmethod
    def find(home: Home) -> "Local":
        """`NotRunning` says how to start one."""
        daemon = running(home)
        try:
            secret = control_secret(home) if daemon is not None else None
        except PermissionError as error:
            raise HomeUnusable(f"The daemon's secret is not used: {error}.") from None
        if daemon is None or secret is None:
            raise NotRunning(f"No daemon runs for {home.root}. Start one with `hd web`.")
        return Local(daemon, secret)

    def post(self, path: str, *, timeout_s: float = TIMEOUT_S) -> Any:
        """The decoded answer; `NotRunning` when the daemon does not answer as ours, `HdError` when it failed."""
        connection = _connection(self.daemon, timeout_s)
        try:
            connection.request("POST", path, headers={"X-Hd-Secret": self.secret})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == http.client.OK:
                return msgspec.json.decode(body)
            if answer.status == http.client.SERVICE_UNAVAILABLE:
                raise NotRunning(f"The daemon at {self.daemon.url} is about to end.")
            if answer.status == http.client.INTERNAL_SERVER_ERROR:
                raise HdError(body[:_SAID].decode(errors="replace"))
        except OSError as error:
            raise NotRunning(
                f"The daemon at {self.daemon.url} (process {self.daemon.pid}) does not answer: {error}."
            ) from error
        except (http.client.HTTPException, msgspec.DecodeError):
            pass
        finally:
            connection.close()
        raise NotRunning(f"What answers at {self.daemon.url} is not the daemon of this home.")

    def new_token(self) -> str:
        return str(self.post("/api/local/token")["token"])

    def login_url(self) -> str:
        return f"{self.daemon.url}/?token={self.new_token()}"


def _connection(daemon: Daemon, timeout_s: float) -> http.client.HTTPConnection:
    """A connection to the daemon of this home, which the lock has shown to be ours.

    Its certificate is for the name that others call it by, not for the address of this machine, so it is not asked for.
    """
    if not daemon.url.startswith("https:"):
        return http.client.HTTPConnection(daemon.host, daemon.port, timeout=timeout_s)
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(daemon.host, daemon.port, timeout=timeout_s, context=context)
