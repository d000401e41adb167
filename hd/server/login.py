"""Tokens and cookies (WIRE 2), pure: time comes in as an argument.

A token opens the page once in a browser or a client; the cookie that it is exchanged for is bound to the literal Host
and signed with a secret of the home, so it outlives the daemon.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

COOKIE_PREFIX = "dsh-auth-"
LIFETIME_MS = 30 * 24 * 60 * 60 * 1000
SECRET_BYTES = 32

TOKEN_UNUSED_MS = 24 * 60 * 60 * 1000
TOKEN_USED_MS = 10 * 60 * 1000
"""A token dies this long after its first use, and unused after `TOKEN_UNUSED_MS`."""

MAX_TOKENS = 64
"""So many tokens live at once; one more ends the oldest."""


def raw_bytes(text: str) -> bytes:
    """A header's text as bytes, whatever was in it: comparing must not fail on what is not UTF-8."""
    return text.encode(errors="surrogatepass")


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def normal_authority(host: str) -> str:
    """A Host header as it stands in a cookie: lower case, without the default port."""
    return host.strip().lower().removesuffix(":80")


def cookie_name(authority: str) -> str:
    return COOKIE_PREFIX + _base64url(hashlib.sha256(raw_bytes(authority)).digest())


def _signature(secret: bytes, payload: str) -> str:
    return _base64url(hmac.new(secret, raw_bytes(payload), hashlib.sha256).digest())


def sign(secret: bytes, authority: str, now_ms: int) -> str:
    """A cookie value for `authority`, good for 30 days from now."""
    body = {"version": 1, "authority": authority, "issuedAt": now_ms, "expiresAt": now_ms + LIFETIME_MS}
    payload = _base64url(msgspec.json.encode(body))
    return f"v1.{payload}.{_signature(secret, payload)}"


def verify(secret: bytes, authority: str, value: str, now_ms: int) -> bool:
    """Whether `value` was signed by us for this authority and is in its time. Never raises."""
    version, _, rest = value.partition(".")
    payload, _, signature = rest.partition(".")
    if version != "v1" or not hmac.compare_digest(_signature(secret, payload).encode(), raw_bytes(signature)):
        return False
    try:
        body = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        issued, expires = int(body["issuedAt"]), int(body["expiresAt"])
    except (ValueError, KeyError, TypeError, msgspec.DecodeError):
        return False
    in_time = issued <= now_ms < expires and expires - issued <= LIFETIME_MS
    return in_time and body.get("version") == 1 and body.get("authority") == authority


def set_cookie(secret: bytes, authority: str, now_ms: int) -> str:
    """The whole `Set-Cookie` header."""
    expires = datetime.fromtimestamp((now_ms + LIFETIME_MS) / 1000, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    return (
        f"{cookie_name(authority)}={sign(secret, authority, now_ms)}; Max-Age={LIFETIME_MS // 1000}; Path=/; "
        f"Expires={expires}; HttpOnly; SameSite=Strict"
    )


def logged_in(cookies: Mapping[str, str], secret: bytes, host: str, now_ms: int) -> bool:
    authority = normal_authority(host)
    value = cookies.get(cookie_name(authority))
    return value is not None and verify(secret, authority, value, now_ms)


@dataclass(slots=True)
class _Issued:
    digest: bytes
    issued_at: int
    first_used_at: int | None = None


class Tokens:
    """The login tokens of one process: several may live, each may be redeemed more than once while it does."""

    def __init__(self) -> None:
        self._issued: list[_Issued] = []

    def issue(self, now_ms: int) -> str:
        """A new token of 43 base64url characters."""
        token = _base64url(secrets.token_bytes(SECRET_BYTES))
        self._issued = [known for known in self._issued if self._alive(known, now_ms)][1 - MAX_TOKENS :]
        self._issued.append(_Issued(hashlib.sha256(token.encode()).digest(), now_ms))
        return token

    def redeem(self, token: str, now_ms: int) -> bool:
        """Whether the token is good now. Takes the same time for every wrong one."""
        digest = hashlib.sha256(raw_bytes(token)).digest()
        good = False
        for known in self._issued:
            if hmac.compare_digest(known.digest, digest) and self._alive(known, now_ms):
                known.first_used_at = known.first_used_at or now_ms
                good = True
        return good

    @staticmethod
    def _alive(known: _Issued, now_ms: int) -> bool:
        if known.first_used_at is not None:
            return now_ms < known.first_used_at + TOKEN_USED_MS
        return now_ms < known.issued_at + TOKEN_UNUSED_MS
