"""The tree of errors that the client side knows.

Each text is one or two sentences for a person: what happened, what is kept and what to do. `exit_code` is what a
command ends with (DESIGN 7); nothing here ever carries a token, a cookie or content of a session.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

DONE = 0
FAILED = 1
USAGE = 2
NEEDS_PERSON = 3
DENIED = 4
UNREACHABLE = 7
CANCELLED = 130


class HtuiError(Exception):
    """The root of everything that a person may be shown."""

    exit_code: ClassVar[int] = FAILED

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RemoteError(HtuiError):
    """The host understood the call and refused it; `code` is the one of the wire (WIRE 3.3 and 11)."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details: Mapping[str, Any] = details or {}


class Unreachable(HtuiError):
    """Nobody answers, or the connection was lost. Trying again later can help."""

    exit_code = UNREACHABLE


class LoginNeeded(HtuiError):
    """The host answers and does not know us (401), and there is no token that helps."""

    exit_code = DENIED


class Forbidden(HtuiError):
    """The host refuses the address that it was called by (403); a token does not help."""

    exit_code = DENIED


class BadUrl(HtuiError):
    """The address is no bare http(s) origin."""

    exit_code = USAGE


class CookieFileUnsafe(HtuiError):
    """The file or the folder of the login cookie is damaged, or others could read or replace it."""


class ProtocolBroken(HtuiError):
    """The host sent something that breaks the rules of the wire; what was shown is taken anew from a snapshot."""


class AnswerLost(HtuiError):
    """A call that changes something was sent and its answer was lost: it may or may not have taken effect.

    Such a call is never repeated by itself; what really happened shows in the streams.
    """


class Lagging(HtuiError):
    """A stream was read more slowly than the host sends; opening it again gives a fresh snapshot."""
