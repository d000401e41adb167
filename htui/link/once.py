"""The first item of a stream without an event loop, for commands that look once and end."""

import time
from typing import Any

from hd.protocol.mux import ClientMux, Item
from htui.errors import ProtocolBroken, RemoteError, Unreachable
from htui.link import handshake, http
from htui.link.http import Http


def first_item(client: Http, endpoint: str) -> Any:
    """Opens `endpoint` without arguments on a socket of its own and returns what it sends first.

    `RemoteError` when the host refuses the stream, `Unreachable` when it sends nothing within 15 s, and the errors of
    a login as `Http.call` has them.
    """
    from websockets.exceptions import ConnectionClosed, WebSocketException
    from websockets.sync.client import connect

    address = client.address
    try:
        socket = connect(address.socket_url, **handshake.options(client.cookie))
    except (WebSocketException, OSError) as error:
        raise handshake.failed(address, error) from error
    mux = ClientMux()
    until = time.monotonic() + http.LIMIT
    with socket:
        try:
            _, frame = mux.open(endpoint, {})
            socket.send(frame)
            found = None
            while found is None:
                found = mux.receive(socket.recv(timeout=max(0.0, until - time.monotonic())))
        except TimeoutError:
            raise Unreachable(f"{address.origin} did not answer {endpoint} within {http.LIMIT:.0f} seconds.") from None
        except ConnectionClosed as error:
            raise Unreachable(f"The connection to {address.origin} was lost.") from error
        except ValueError as error:
            raise ProtocolBroken(f"The connection broke the rules: {error}.") from error
    if isinstance(found, Item):
        return found.value
    if found.error is not None:
        raise RemoteError(found.error.code, found.error.message, found.error.details)
    raise Unreachable(f"{address.origin} ended {endpoint} at once.")
