"""One event of a chat-completions stream: what is read of it, and what is forgiven. Pure."""

import json
from typing import Any, Final

import msgspec

from hd.llm.encode import without_surrogates
from hd.llm.failure import unreadable


class Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class CallDelta(msgspec.Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: Function | None = None


class Part(msgspec.Struct, gc=False):
    text: str | None = None


class Delta(msgspec.Struct, gc=False):
    content: str | list[Part] | None = None
    reasoning_content: str | None = None
    tool_calls: list[CallDelta] | None = None


class Choice(msgspec.Struct, gc=False):
    index: int | None = None
    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: str | None = None


class Event(msgspec.Struct, gc=False):
    choices: list[Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None
    object: Any = None
    message: Any = None
    msg: Any = None
    detail: Any = None
    code: Any = None
    status: Any = None

    def complaint(self) -> Any:
        """The error that an event is; None for one that is none. Some servers send one without the key `error`."""
        if self.error:
            return self.error
        if self.choices is not None or self.usage:
            return None
        is_one = self.object == "error" or self.message or self.msg or self.detail
        return msgspec.to_builtins(self) if is_one else None


_EVENTS: Final = msgspec.json.Decoder(Event, strict=False)


def read(payload: str) -> Event:
    """The event of a payload. ProviderError for what is none."""
    if not payload.strip():
        return Event()
    try:
        return _EVENTS.decode(payload)
    except (msgspec.ValidationError, RecursionError):
        raise unreadable("an event of an unknown form") from None
    except msgspec.DecodeError:
        return _read_leniently(payload)


def _read_leniently(payload: str) -> Event:
    """An event that is no strict JSON: the standard library forgives raw control characters and halves of surrogate
    pairs, which servers that cut their text by UTF-16 units send."""
    try:
        return msgspec.convert(without_surrogates(json.loads(payload, strict=False)), Event, strict=False)
    except (ValueError, RecursionError):
        raise unreadable("an event that is no JSON") from None


def plain(content: str | list[Part]) -> str:
    """Text as it stands, or in parts, as some servers send it."""
    return content if isinstance(content, str) else "".join(part.text or "" for part in content)


def arguments(value: Any) -> str:
    """Arguments as JSON text; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()
