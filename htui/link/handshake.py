"""How the socket is opened, blocking or not, and why it could not be."""

import logging
from typing import Any

from htui.errors import HtuiError, ProtocolBroken, Unreachable
from htui.link import http
from htui.link.address import Address

FRAME_LIMIT = 256 * 1024 * 1024
"""Bytes of one frame; a snapshot of a long session is one."""


def options(cookie: str) -> dict[str, Any]:
    """The arguments of `connect` in both flavours of the library.

    No proxy of the environment stands between us and a daemon on loopback, nothing is compressed (WIRE 4), and no log
    line of the library gets onto a screen.
    """
    return {
        "additional_headers": {"Cookie": cookie},
        "user_agent_header": None,
        "compression": None,
        "proxy": None,
        "open_timeout": http.LIMIT,
        "close_timeout": 1,
        "max_size": FRAME_LIMIT,
        "logger": logging.Logger("htui.socket", logging.CRITICAL + 1),
    }


def failed(address: Address, error: Exception) -> HtuiError:
    """Why a socket could not be opened."""
    from websockets.exceptions import InvalidStatus

    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        if status == 404:
            return Unreachable(f"{address.origin} offers no connection: it is still starting, or no hd.")
        return http.refused(status, "the connection", address)
    if isinstance(error, OSError):
        return http.unreachable(address, error)
    return ProtocolBroken(f"What answers at {address.origin} speaks no WebSocket.")
