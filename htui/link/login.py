"""From a token to a cookie (WIRE 2), and where the token comes from.

A kept cookie goes first. Only when the host answers 401 to it, a new one is fetched: with the token of the address, or
on the same machine with the daemon's own secret.
"""

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import msgspec

from htui.errors import HtuiError, LoginNeeded, ProtocolBroken, Unreachable
from htui.link import http
from htui.link.address import Address
from htui.link.cookies import Cookie, CookieFolder, is_pair
from htui.link.http import Http

T = TypeVar("T")

_SECRET_LIMIT = 1024


@dataclass(frozen=True, slots=True)
class Auth:
    """How to be known to a host. Without `folder` no cookie is kept from one start to the next."""

    folder: CookieFolder | None = None

    @staticmethod
    def of(environ: Mapping[str, str]) -> "Auth":
        return Auth(CookieFolder.of(environ))

    def kept(self, address: Address) -> Cookie | None:
        return None if self.folder is None else self.folder.load(address.origin)

    def renew(self, address: Address) -> Cookie:
        """A new cookie, kept for later; `LoginNeeded` when there is nothing to get one with, or it is refused."""
        token = address.token or local_token(address)
        if token is None:
            raise why_shut(address)
        try:
            cookie = redeem(address, token)
        except LoginNeeded:
            if address.token is None or address.secret_file is None:
                raise
            second = local_token(address)
            if second is None:
                raise
            cookie = redeem(address, second)
        if self.folder is not None:
            self.folder.save(address.origin, cookie)
        return cookie


def with_cookie(address: Address, auth: Auth, work: Callable[[Http], T]) -> T:
    """The result of `work` with a login; when the kept cookie is refused, once more with a new one.

    `work` must therefore change nothing.
    """
    kept = auth.kept(address)
    if kept is not None:
        try:
            return _working(address, kept, work)
        except LoginNeeded:
            pass
    return _working(address, auth.renew(address), work)


def _working(address: Address, cookie: Cookie, work: Callable[[Http], T]) -> T:
    client = Http(address, cookie.pair)
    try:
        return work(client)
    finally:
        client.close()


def why_shut(address: Address) -> HtuiError:
    """Why there is no way in without a token: the host is not there, or it is and asks for one."""
    status, _, _ = _request(address, "GET", "/", {})
    if status == 404:
        return Unreachable(f"{address.origin} is still starting, or is no hd.")
    return http.refused(401 if status in (200, 401) else status, "the login", address)


def redeem(address: Address, token: str) -> Cookie:
    """`GET /?token=…`, which answers 303 with the cookie."""
    status, headers, _ = _request(address, "GET", f"/?token={quote(token, safe='')}", {})
    if status == 401:
        raise LoginNeeded(
            f"{address.origin} refused the token: it is used up, or of an earlier start. `hd token` prints a new URL."
        )
    if status == 404:
        raise Unreachable(f"{address.origin} is still starting.")
    if status == 403:
        raise http.refused(status, "the login", address)
    cookies = [cookie for cookie in map(cookie_of, headers) if cookie is not None]
    if status != 303 or not cookies:
        raise ProtocolBroken(f"What answers at {address.origin} is no hd: it did not take the token (HTTP {status}).")
    return cookies[0]


def local_token(address: Address) -> str | None:
    """A token from the daemon that runs on this home, asked for with the secret that only its owner can read."""
    path = address.secret_file
    secret = None if path is None else _secret(path)
    if secret is None:
        return None
    status, _, body = _request(address, "POST", "/api/local/token", {"x-hd-secret": secret})
    if status != 200:
        return None
    try:
        token = msgspec.json.decode(body)["token"]
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError):
        return None
    return token if isinstance(token, str) and token else None


def _secret(path: Path) -> str | None:
    """The secret, None when there is none or it does not belong to this user alone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            return None
        secret = file.read(_SECRET_LIMIT).decode("ascii", "replace").strip()
    return secret if secret.isascii() and secret.isprintable() and secret else None


def cookie_of(header: str) -> Cookie | None:
    """The login cookie of a `Set-Cookie` header; None for any other cookie."""
    pair, *attributes = [part.strip() for part in header.split(";")]
    if not is_pair(pair):
        return None
    named = {name.lower(): value for name, _, value in (part.partition("=") for part in attributes)}
    return Cookie(pair, _expiry(named))


def _expiry(named: Mapping[str, str]) -> int | None:
    now = time.time() * 1000
    try:
        if "max-age" in named:
            return int(now + int(named["max-age"]) * 1000)
        if "expires" in named:
            return int(parsedate_to_datetime(named["expires"]).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return None


def _request(address: Address, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, list[str], bytes]:
    """(status, `Set-Cookie` headers, body) of one request on a connection of its own."""
    connection = http.connected(address)
    try:
        if connection.sock is not None:
            connection.sock.settimeout(http.LIMIT)
        connection.request(method, path, headers=dict(headers))
        response = connection.getresponse()
        return response.status, response.headers.get_all("set-cookie") or [], response.read()
    except (OSError, HTTPException) as error:
        raise http.unreachable(address, error) from error
    finally:
        connection.close()
