"""How commands of the same user speak with the running daemon."""

import http.client
from dataclasses import dataclass
from typing import Any

import msgspec

from hd.config.home import Home
from hd.config.lock import Daemon, control_secret, running
from hd.errors import HomeUnusable, NotRunning

TIMEOUT_S = 10.0


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

    def post(self, path: str) -> Any:
        """The decoded answer; `NotRunning` when the daemon does not answer as ours."""
        connection = http.client.HTTPConnection(self.daemon.host, self.daemon.port, timeout=TIMEOUT_S)
        try:
            connection.request("POST", path, headers={"X-Hd-Secret": self.secret})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == http.client.OK:
                return msgspec.json.decode(body)
            if answer.status == http.client.SERVICE_UNAVAILABLE:
                raise NotRunning(f"The daemon at {self.daemon.url} is about to end.")
        except OSError as error:
            raise NotRunning(
                f"The daemon at {self.daemon.url} (process {self.daemon.pid}) does not answer: {error}."
            ) from error
        except (http.client.HTTPException, msgspec.DecodeError):
            pass
        finally:
            connection.close()
        raise NotRunning(f"What answers at {self.daemon.url} is not the daemon of this home.")

    def login_url(self) -> str:
        return f"{self.daemon.url}/?token={self.post('/api/local/token')['token']}"
