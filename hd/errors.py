"""The tree of errors that a person or a client can meet (law 10).

Each leaf says what happened, what is kept and what to do in its text, and carries the code that crosses the wire, the
exit code of a command that ends on it, and whether doing the same again can help. Anything that is not in this tree is
a defect: its traceback goes to the log file, never to a screen.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from hd.protocol import codes

DONE = 0
FAILED = 1
USAGE = 2
NEEDS_PERSON = 3
DENIED = 4
BUDGET = 5
PROVIDER = 6
UNREACHABLE = 7
CANCELLED = 130


class HdError(Exception):
    """The root. `details` goes to the client beside code and message, and must hold no secret."""

    code: ClassVar[str] = codes.INTERNAL
    exit_code: ClassVar[int] = FAILED
    retry_helps: ClassVar[bool] = False

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, Any] = details or {}


class UsageError(HdError):
    """A command line, setting or environment value that cannot be used."""

    exit_code = USAGE


class BadRequest(HdError):
    code = codes.BAD_REQUEST
    exit_code = USAGE


class ArgumentsInvalid(HdError):
    """Argument names of a call that do not match the endpoint's."""

    code = codes.ARGUMENTS_INVALID


class InputInvalid(HdError):
    """An argument of the right name and the wrong shape."""

    code = codes.INPUT_INVALID


class SignatureInvalid(HdError):
    """A stream called as a call, or the other way round."""

    code = codes.SIGNATURE_INVALID


class EndpointUnknown(HdError):
    code = codes.INVOCATION_UNAVAILABLE


class SessionNotFound(HdError):
    code = codes.SESSION_NOT_FOUND


class SessionConflict(HdError):
    code = codes.SESSION_CONFLICT


class SessionBusy(HdError):
    """Something that cannot be done while the session's agent works."""

    code = codes.SESSION_AGENT_BUSY
    retry_helps = True


class WorkStopped(HdError):
    """A person stopped what was done for them between turns."""


class ModelUnavailable(HdError):
    code = codes.SESSION_MODEL_UNAVAILABLE


class QueueItemNotFound(HdError):
    code = codes.SESSION_QUEUE_ITEM_NOT_FOUND


class SteerUnavailable(HdError):
    code = codes.SESSION_STEER_UNAVAILABLE


class TitleInvalid(HdError):
    code = codes.SESSION_TITLE_INVALID


class TimeZoneInvalid(HdError):
    code = codes.SESSION_INVALID_TIME_ZONE


class AttachmentInvalid(HdError):
    code = codes.SESSION_ATTACHMENT_INVALID


class WorkspaceNotFound(HdError):
    code = codes.WORKSPACE_NOT_FOUND


class WorkspaceInvalidPath(HdError):
    code = codes.WORKSPACE_INVALID_PATH
    exit_code = USAGE


class FollowerLagging(HdError):
    """A follower that reads more slowly than the session writes; following again gives a fresh snapshot."""

    code = codes.FOLLOWER_LAGGING
    retry_helps = True


class StoreFull(HdError):
    """The disk is full. What was recorded is held in memory and written once there is room."""

    code = codes.STORE_FULL
    retry_helps = True


class StoreDamaged(HdError):
    """The database cannot be read as one of ours."""

    code = codes.STORE_DAMAGED


class HomeUnusable(HdError):
    """The home folder cannot be created or written."""


class HomeBusy(HdError):
    """Another daemon runs on this home; the text names its address."""


class HomeGone(HdError):
    """The home was removed or replaced under a process that uses it."""


class PortInUse(HdError):
    """The port cannot be listened on."""


class NotRunning(HdError):
    """No daemon answers where one was expected."""

    exit_code = UNREACHABLE
    retry_helps = True


class Stopped(HdError):
    """A person ended a command before it had begun."""

    exit_code = CANCELLED


class ProviderFailed(HdError):
    """The model's side failed after all attempts that made sense."""

    exit_code = PROVIDER


class BudgetReached(HdError):
    """A request that could pass the cap of its session was not sent."""

    exit_code = BUDGET


class KeyUnusable(HdError):
    """The stored or given API key cannot be used."""

    exit_code = USAGE


class PricesUnusable(HdError):
    """The person's own price table cannot be used; nothing is priced by a table that is half understood."""

    exit_code = USAGE


def tree(root: type[HdError] = HdError, depth: int = 0) -> list[str]:
    """The tree as indented lines `Name  wire code  exit code`, for the documentation and its test."""
    line = f"{'  ' * depth}{root.__name__}  {root.code}  exit {root.exit_code}"
    return [line, *(row for child in root.__subclasses__() for row in tree(child, depth + 1))]
