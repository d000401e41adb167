"""Single calls over HTTP, blocking, on kept connections (WIRE 3).

No call is repeated, with one exception: a read whose kept connection turns out to be closed before any answer goes out
once more on a new one. `READS` is the closed list of calls that change nothing.
"""

import socket
import time
import zlib
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Lock
from typing import Any

import msgspec

from hd.protocol import codes, envelope
from hd.protocol.ids import new_id
from htui.errors import AnswerLost, Forbidden, HtuiError, LoginNeeded, ProtocolBroken, RemoteError, Unreachable
from htui.link.address import Address

LIMIT = 15.0
"""Seconds that an answer may take."""

CONNECT_LIMIT = 5.0
KEPT_FOR = 3.0
"""Seconds that an idle connection is used again; hosts close theirs after 5 s."""

READS = frozenset(
    {
        "agentPresets/list",
        "commands/list",
        "fileReferences/list",
        "host/describe",
        "permissionPresets/catalog",
        "session/list",
        "session/modelCatalog",
        "session/page",
        "session/projections",
        "session/search",
    }
)


class Ticket:
    """Ends one call from another thread: `abort` closes the connection under it, now or once it is made."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self.aborted = False

    def hold(self, found: socket.socket | None) -> None:
        with self._lock:
            self._socket = found
            if self.aborted:
                _shut(found)

    def abort(self) -> None:
        with self._lock:
            self.aborted = True
            _shut(self._socket)


class Http:
    """Calls to one host with one cookie; safe to use from several threads, each call has its own connection."""

    def __init__(self, address: Address, cookie: str) -> None:
        self.address = address
        self.cookie = cookie
        self._lock = Lock()
        self._idle: list[tuple[float, HTTPConnection]] = []
        self._closed = False

    def call(
        self, endpoint: str, args: Mapping[str, Any], *, limit: float | None = LIMIT, ticket: Ticket | None = None
    ) -> Any:
        """The value of a call, None when it has none.

        `RemoteError` when the host refuses it, `LoginNeeded`, `Forbidden`, `Unreachable` when it was never sent (or
        changes nothing), `AnswerLost` when it may have been carried out, `ProtocolBroken` for an answer that is none.
        """
        rpc_id = new_id()
        headers = {"content-type": "application/json", "accept-encoding": "gzip", "cookie": self.cookie}
        body = envelope.request(rpc_id, endpoint, args)
        reading = endpoint in READS
        status, answer = self._exchange(f"/api/{endpoint}", headers, body, reading, limit, ticket or Ticket())
        if status != 200:
            raise refused(status, endpoint, self.address, answer)
        try:
            return envelope.parse_response(msgspec.json.decode(answer), rpc_id)
        except envelope.WireError as error:
            raise RemoteError(error.code, error.message, error.details) from None
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            raise ProtocolBroken(f"The answer to {endpoint} is none of this wire: {error}.") from error

    def close(self) -> None:
        """Closes the idle connections; one that is in use ends with its call."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _exchange(
        self, path: str, headers: Mapping[str, str], body: bytes, reading: bool, limit: float | None, ticket: Ticket
    ) -> tuple[int, bytes]:
        kept = self._take()
        if kept is not None:
            try:
                return self._send(kept, path, headers, body, limit, ticket)
            except (OSError, HTTPException) as error:
                kept.close()
                if not reading or ticket.aborted or isinstance(error, TimeoutError):
                    raise self._lost(path, reading, error) from error
        connection = connected(self.address)
        try:
            return self._send(connection, path, headers, body, limit, ticket)
        except (OSError, HTTPException) as error:
            connection.close()
            raise self._lost(path, reading, error) from error

    def _send(
        self,
        connection: HTTPConnection,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        limit: float | None,
        ticket: Ticket,
    ) -> tuple[int, bytes]:
        if connection.sock is not None:
            connection.sock.settimeout(limit)
        ticket.hold(connection.sock)
        try:
            connection.request("POST", path, body, dict(headers))
            response: HTTPResponse = connection.getresponse()
            answer = response.read()
        finally:
            ticket.hold(None)
        answer = _unpacked(answer, response.headers.get("content-encoding", ""))
        self._keep(connection, usable=not response.will_close and not ticket.aborted)
        return response.status, answer

    def _keep(self, connection: HTTPConnection, *, usable: bool) -> None:
        with self._lock:
            if usable and not self._closed:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    def _take(self) -> HTTPConnection | None:
        oldest = time.monotonic() - KEPT_FOR
        while True:
            with self._lock:
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if since > oldest and not _closed(connection.sock):
                return connection
            connection.close()

    def _lost(self, path: str, reading: bool, error: Exception) -> HtuiError:
        endpoint = path.removeprefix("/api/")
        why = "no answer within the time limit" if isinstance(error, TimeoutError) else "the connection was lost"
        if reading:
            return Unreachable(f"{endpoint} at {self.address.origin} failed: {why}.")
        return AnswerLost(f"{endpoint} was sent, but {why}: it may have taken effect. It was not sent again.")


def _unpacked(body: bytes, encoding: str) -> bytes:
    """The body as it was before `gzip` packed it, the only way that is offered to hosts.

    An `HTTPException` when it is packed otherwise or incomplete: what it says is lost, and the connection with it.
    """
    if encoding in ("", "identity"):
        return body
    unpack = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        plain = unpack.decompress(body)
    except zlib.error as error:
        raise HTTPException(f"an answer that is not {encoding}") from error
    if encoding != "gzip" or not unpack.eof:
        raise HTTPException(f"an answer in {encoding} that cannot be read")
    return plain


def connected(address: Address) -> HTTPConnection:
    """A new connection; `Unreachable` says why there is none."""
    made = HTTPSConnection if address.tls else HTTPConnection
    connection = made(address.hostname, address.port, timeout=CONNECT_LIMIT)
    try:
        connection.connect()
    except OSError as error:
        connection.close()
        raise unreachable(address, error) from error
    return connection


def unreachable(address: Address, error: BaseException) -> Unreachable:
    """What a person is told when nobody answers."""
    if isinstance(error, ConnectionRefusedError):
        return Unreachable(f"Nothing listens at {address.origin}. Start the daemon with: hd web")
    if isinstance(error, TimeoutError):
        return Unreachable(f"{address.origin} does not answer. Is the host up, and the tunnel to it open?")
    if isinstance(error, socket.gaierror):
        return Unreachable(f"The host name in {address.origin} is unknown here.")
    why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    return Unreachable(f"{address.origin} cannot be reached: {why}.")


def refused(status: int, what: str, address: Address, body: bytes = b"") -> HtuiError:
    """The error for an answer that is no envelope (WIRE 3.2)."""
    if status == 401:
        return LoginNeeded(
            f"{address.origin} is up, but asks for a login. Start htui with the URL that `hd token` prints."
        )
    if status == 403:
        return Forbidden(f"{address.origin} refuses to be called by this address. Use the one that it printed.")
    if status == 404:
        return RemoteError(codes.INVOCATION_UNAVAILABLE, f"The host does not offer {what}.")
    if status in (400, 413, 415, 500):
        from htui.present.safe import one_line

        said = one_line(body[:200].decode("utf-8", "replace"))
        return RemoteError(codes.INTERNAL, f"The host failed at {what} (HTTP {status}): {said}")
    return ProtocolBroken(f"{address.origin} answered {what} with HTTP {status}, which is none of this wire.")


def _shut(found: socket.socket | None) -> None:
    if found is not None:
        try:
            found.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def _closed(found: socket.socket | None) -> bool:
    """Whether an idle connection was closed by the host, or holds bytes that nobody asked for."""
    if found is None:
        return True
    found.setblocking(False)
    try:
        found.recv(1)
    except (BlockingIOError, InterruptedError):
        return False
    except OSError as error:
        return type(error).__name__ != "SSLWantReadError"
    return True
