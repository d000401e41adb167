"""What a model provider is to the rest of the house.

A provider turns one `Request` into batches of chunks in the shape of the wire (WIRE 7.4, `Chunk`). It yields a list
of chunks for each piece of bytes that arrived, so that a burst of deltas costs one step of the event loop. A normal
end is a `finish` chunk; anything else is a `ProviderError`. It never retries by itself: that is `hd.llm.retry`'s rule
and the agent step's act, because each attempt is a fact in the log.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from hd.protocol.tools import ToolSpec

Chunk = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One model request.

    `messages` are messages of the log (`hd.protocol.messages`: roles system, user, assistant, tool) that already
    fulfil law 6. `effort` is `off`, `low`, `high`, `max` or None (the model’s default); `max_tokens` bounds the answer.
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[ToolSpec] = ()
    effort: str | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Effort:
    id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the catalogue. `context_window` and `max_output` are in tokens; None where the provider's own default
    is best, because nothing is known. No `efforts` means that the model does not think.
    """

    id: str
    name: str
    context_window: int
    max_output: int | None
    description: str = ""
    efforts: tuple[Effort, ...] = ()
    default_effort: str | None = None


class ProviderError(Exception):
    """A request that failed, in words for a person.

    `code` is one of EMPTY_RESPONSE RATE_LIMIT SERVER TIMEOUT TRANSPORT AUTH INVALID_REQUEST QUOTA CONTEXT_OVERFLOW
    CUT_OFF LEAKED_CALL; `status` the HTTP status where there was one; `retry_after_ms` what the provider asked us to
    wait. The text holds no key and no part of the conversation.
    """

    def __init__(
        self, message: str, *, code: str, status: int | None = None, retry_after_ms: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.retry_after_ms = retry_after_ms

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"message": self.message, "code": self.code}
        if self.status is not None:
            wire["status"] = self.status
        if self.retry_after_ms is not None:
            wire["providerRetryAfterMs"] = self.retry_after_ms
        return wire


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a request is not answered yet, for `waited` seconds so far and `left` more where that is known.

    `limit`: the provider asked all requests of the key to wait. `place`: as many as it bears are on their way. `queue`:
    the provider has the request and says that it waits its turn there.
    """

    reason: Literal["limit", "place", "queue"]
    waited: float
    left: float | None = None


Tell = Callable[[Waiting | None], None]
"""Hears again and again why a request waits, and None when it does no more."""


def quiet(waiting: Waiting | None) -> None:
    """For those whom it does not matter."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What a provider offers; `failure` says why the list is only the built-in one."""

    models: tuple[Model, ...]
    failure: str | None = field(default=None)


class Provider(Protocol):
    """`id` is the name on the wire (existing clients price by `deepseek-official`), `name` the one people read.

    `title_model` is the cheap one that names sessions; None where none shall be asked.
    """

    id: str
    name: str
    default_model: str
    title_model: str | None

    def stream(self, request: Request, tell: Tell = quiet) -> AsyncGenerator[list[Chunk], None]: ...

    async def catalogue(self) -> Catalogue: ...

    def model(self, model_id: str) -> Model:
        """The model by id; an id that is not listed gets the limits of the provider's default model."""
        ...

    async def warm(self) -> None:
        """Loads what the first request would have to wait for; optional, and never an error."""
        ...

    async def aclose(self) -> None: ...
