"""Tokens and cookies (WIRE 2), pure: time comes in as an argument.

A token opens the page once in a browser or a client; the cookie that it is exchanged for is bound to the literal Host
and signed with a secret of the home, so it outlives the daemon. `GET /connect` gives cookies of version 2, each to a
caller of its own, an *operator*, which says beforehand whether it will answer what a person is asked (WIRE 14).
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import msgspec

COOKIE_PREFIX = "dsh-auth-"
LIFETIME_MS = 30 * 24 * 60 * 60 * 1000
CLOCK_STEP_MS = 60 * 1000
"""A clock may be set back by so much behind a login: a client that meets one 401 stays away for good (CLIENT 1.1)."""

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


Interactions = Literal["answer", "none"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is behind a request. The person's own clients are one caller, whose `operator` is empty.

    `interactions` says whether this caller is asked what a person is asked. `connection` names the socket of a stream;
    it is empty for a call.
    """

    operator: str = ""
    interactions: bool = True
    connection: str = ""


class _Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a cookie says; times in ms."""

    version: int
    authority: str
    issued_at: int = msgspec.field(name="issuedAt")
    expires_at: int = msgspec.field(name="expiresAt")
    id: str = ""
    interactions: Interactions = "none"

    def caller(self) -> Caller:
        return Caller() if self.version == 1 else Caller(self.id, self.interactions == "answer")


def audience(host: str, *, tls: bool) -> str:
    """What a cookie is bound to: the Host header in lower case without the default port, over TLS the whole origin."""
    plain = host.strip().lower()
    return f"https://{plain.removesuffix(':443')}" if tls else plain.removesuffix(":80")


def cookie_name(authority: str) -> str:
    return COOKIE_PREFIX + _base64url(hashlib.sha256(raw_bytes(authority)).digest())


def _signature(secret: bytes, payload: str) -> str:
    return _base64url(hmac.new(secret, raw_bytes(payload), hashlib.sha256).digest())


def sign(secret: bytes, authority: str, now_ms: int, operator: str = "", interactions: Interactions = "none") -> str:
    """A cookie value for `authority`, good for 30 days from now: of version 2 where an `operator` is named."""
    version = 2 if operator else 1
    body = _Body(version, authority, now_ms, now_ms + LIFETIME_MS, operator, interactions)
    payload = _base64url(msgspec.json.encode(body))
    return f"v{version}.{payload}.{_signature(secret, payload)}"


def read(secret: bytes, authority: str, value: str, now_ms: int) -> Caller | None:
    """The caller to whom `value` was given, if we signed it for this authority and it is in its time. Never raises."""
    version, _, rest = value.partition(".")
    payload, _, signature = rest.partition(".")
    if not hmac.compare_digest(_signature(secret, payload).encode(), raw_bytes(signature)):
        return None
    try:
        raw = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        body = msgspec.json.decode(raw, type=_Body)
    except (ValueError, msgspec.DecodeError):
        return None
    in_time = (
        body.issued_at - CLOCK_STEP_MS <= now_ms < body.expires_at and body.expires_at - body.issued_at <= LIFETIME_MS
    )
    if not in_time or body.authority != authority:
        return None
    right = (version, body.version, bool(body.id)) in (("v1", 1, False), ("v2", 2, True))
    return body.caller() if right else None


def set_cookie(authority: str, value: str, now_ms: int) -> str:
    """The whole `Set-Cookie` header. Over TLS the browser must never send it in the clear."""
    expires = datetime.fromtimestamp((now_ms + LIFETIME_MS) / 1000, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    secure = "; Secure" if authority.startswith("https://") else ""
    return (
        f"{cookie_name(authority)}={value}; Max-Age={LIFETIME_MS // 1000}; Path=/; Expires={expires}; HttpOnly; "
        f"SameSite=Strict{secure}"
    )


def caller_of(cookies: Mapping[str, str], secret: bytes, authority: str, now_ms: int) -> Caller | None:
    """Who sent these cookies, None when nobody is logged in by them."""
    value = cookies.get(cookie_name(authority))
    return None if value is None else read(secret, authority, value, now_ms)


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

    def revoke(self) -> None:
        """Ends all of them."""
        self._issued.clear()

    @staticmethod
    def _alive(known: _Issued, now_ms: int) -> bool:
        if known.first_used_at is not None:
            return now_ms < known.first_used_at + TOKEN_USED_MS
        return now_ms < known.issued_at + TOKEN_UNUSED_MS
