"""What went wrong with a request, as one sentence for a person and one code for the retry rule. Pure.

The provider's own words are quoted only where they hold neither the key nor a piece of what was sent.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from hd.llm.base import ProviderError
from hd.llm.retry import MAX_RETRY_AFTER_MS, retry_after_ms
from hd.llm.sse import SseParser

_QUOTE: Final = 160
"""Characters of the provider's own message that are quoted."""
_OVERLAP: Final = 24
"""So many characters in a row that also stand in the request make a quotation a piece of the conversation."""
_KEY_OVERLAP: Final = 6

_QUOTA = re.compile(r"insufficient[ _-]?(balance|quota|fund)|quota|billing|top[ _-]?up|余额", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _-]?(length|window)|maximum context|(input|prompt|request)[^.]{0,40}too (long|large)"
    r"|too many (input )?tokens|reduce the length",
    re.IGNORECASE,
)
_KEY_LIKE = re.compile(r"sk-\w|api[ _-]?key|bearer|\*{3}", re.IGNORECASE)


def status_failure(
    status: int, body: bytes, *, retry_after: str | None = None, now: datetime, key: str = "", sent: bytes = b""
) -> ProviderError:
    """The failure behind an HTTP answer that is no success. `now` is only used for a `Retry-After` that is a date."""
    error = _error_in(body)
    code = _code(status, _words(error))
    wait = retry_after_ms(retry_after, now) if code in ("RATE_LIMIT", "SERVER") else None
    sentence = _SENTENCES_OF_STATUS.get(status // 100 if status < 400 else status, _SENTENCES[code])
    said = f"HTTP {status}{_quoted(code, error, key, sent)}"
    message = sentence.format(status=said, wait=_asked(wait))
    return ProviderError(message, code=code, status=status, retry_after_ms=wait)


def object_failure(error: Any, *, key: str = "", sent: bytes = b"") -> ProviderError:
    """The failure behind an error object inside an answer that began as a success (HTTP 200)."""
    words = _words(error)
    status = _status_in(error)
    code = _code(status, words) if status else _code_of_words(words)
    said = f"error {status or 'object'} inside its answer{_quoted(code, error, key, sent)}"
    return ProviderError(_SENTENCES[code].format(status=said, wait=""), code=code, status=status)


def unreadable(what: str) -> ProviderError:
    """An answer that began as a success and is none; `what` names its form, never its content."""
    return ProviderError(
        f"The provider's answer could not be read ({what}). If it stays so, check the provider's address.",
        code="SERVER",
    )


def not_a_model(content_type: str) -> ProviderError:
    """A page or some other document where the answer of a model was expected."""
    kind = content_type.partition(";")[0].strip() or "unknown content"
    return ProviderError(
        f"The provider's address answered with {kind} and not with a model's answer. Check DEEPSEEK_BASE_URL and any "
        "proxy in between.",
        code="INVALID_REQUEST",
        status=200,
    )


def cut_off() -> ProviderError:
    return ProviderError(
        "The provider closed the connection in the middle of the answer, so nothing of it was carried out. If it stays "
        "so, try again later.",
        code="CUT_OFF",
    )


def mixed_calls() -> ProviderError:
    """A piece of a tool call that had been whole already, so that it is not known what the model wants."""
    return ProviderError(
        "The provider mixed up the tool calls of its answer, so nothing of it was carried out. If it stays so, try "
        "again later.",
        code="SERVER",
    )


def missing_call() -> ProviderError:
    """The finish reason says that a tool is called, and there is no call."""
    return ProviderError(
        "The provider announced a tool call and sent none, so nothing was carried out. If it stays so, try again "
        "later.",
        code="CUT_OFF",
    )


def leaked_call() -> ProviderError:
    """The markup of a tool call in the text of an answer."""
    return ProviderError(
        "The model wrote a tool call as text instead of making it, so nothing was carried out. If it stays so, put "
        "the prompt in other words or choose another model.",
        code="LEAKED_CALL",
    )


def empty_response() -> ProviderError:
    return ProviderError(
        "The model finished without an answer. If it stays so, put the prompt in other words.", code="EMPTY_RESPONSE"
    )


def no_capacity() -> ProviderError:
    """A finish reason such as `insufficient_system_resource`."""
    return ProviderError(
        "The provider gave up in the middle of the answer, so nothing of it was carried out. If it stays so, try again "
        "later.",
        code="SERVER",
    )


def stalled(seconds: float, keep_alives: int) -> ProviderError:
    """No data for `seconds`; `keep_alives` tells a request that waits its turn from a dead connection."""
    why = (
        "it kept the request waiting in its queue"
        if keep_alives
        else "the connection or the provider may be overloaded"
    )
    return ProviderError(
        f"The provider sent no data for {seconds:g} s ({why}). If it stays so, try again later.",
        code="TIMEOUT",
    )


def connect_timeout(seconds: float) -> ProviderError:
    return ProviderError(
        f"The provider could not be reached within {seconds:g} s. Check the network, the proxy and DEEPSEEK_BASE_URL.",
        code="TIMEOUT",
    )


def transport(reason: str) -> ProviderError:
    """`reason` is the name of what happened to the connection, not its text, which may hold an address with secrets."""
    return ProviderError(
        f"The connection to the provider failed ({reason}). Check the network, the proxy and DEEPSEEK_BASE_URL.",
        code="TRANSPORT",
    )


def no_key() -> ProviderError:
    return ProviderError(
        "No API key is set. Enter one with `hd key set` or set DEEPSEEK_API_KEY; the prompt is kept.", code="AUTH"
    )


def unusable_key() -> ProviderError:
    return ProviderError(
        "The API key holds characters that no key has (spaces, line breaks or letters beyond ASCII). Enter it again "
        "with `hd key set`.",
        code="AUTH",
    )


_SENTENCES: Final[Mapping[str, str]] = {
    "AUTH": "The provider refused the API key ({status}). Enter another one with `hd key set` or in DEEPSEEK_API_KEY.",
    "QUOTA": "The provider's account has no balance or quota left ({status}). Top it up or use another key.",
    "CONTEXT_OVERFLOW": "The conversation is longer than the model can take ({status}). Shorten it with /compact.",
    "RATE_LIMIT": "The provider limits the rate of requests ({status}){wait}. If it stays so, try again later.",
    "TIMEOUT": "The provider gave the request up as too slow ({status}). If it stays so, try again later.",
    "SERVER": "The provider has a problem of its own ({status}){wait}. If it stays so, try again later.",
    "INVALID_REQUEST": "The provider does not accept the request ({status}), so sending it again does not help.",
}

_SENTENCES_OF_STATUS: Final[Mapping[int, str]] = {
    3: "The provider's address redirects elsewhere ({status}), where the key is not sent. Check DEEPSEEK_BASE_URL.",
    404: "The provider knows no such address or model ({status}). Check DEEPSEEK_BASE_URL and the model's name.",
}
"""Where a status says more than its code; 3 stands for all redirects."""


def _code(status: int, words: str) -> str:
    if status in (401, 403):
        return "AUTH"
    if status == 402:
        return "QUOTA"
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(words)):
        return "CONTEXT_OVERFLOW"
    if status == 429:
        return "QUOTA" if _QUOTA.search(words) else "RATE_LIMIT"
    if status == 408:
        return "TIMEOUT"
    return "SERVER" if status >= 500 else "INVALID_REQUEST"


def _code_of_words(words: str) -> str:
    """The class of an error that comes without a status, by what it says; what it does not say is the provider's."""
    lower = words.lower()
    if _TOO_LONG.search(words):
        return "CONTEXT_OVERFLOW"
    if _QUOTA.search(words):
        return "QUOTA"
    if "rate limit" in lower or "rate_limit" in lower or "too many requests" in lower:
        return "RATE_LIMIT"
    if "authentication" in lower or "api key" in lower:
        return "AUTH"
    return "INVALID_REQUEST" if "invalid_request" in lower or "invalid request" in lower else "SERVER"


def _error_in(body: bytes) -> Any:
    """The error of a body: that of a JSON document or of an event, nothing of a page, a short plain text as it is."""
    if body.lstrip()[:6] in (b"data: ", b"event:"):
        body = next(iter(SseParser().feed(body + b"\n\n")), "").encode()
    try:
        parsed = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        text = body[:1000].decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text
    return (parsed.get("error") or parsed) if isinstance(parsed, Mapping) else parsed


_WORDS: Final = ("message", "msg", "detail", "error", "errors", "error_msg", "error_message", "reason", "title")
"""Where an error says what is wrong, in this order."""
_DEEPEST: Final = 4


def _texts(error: Any, *names: str, depth: int = _DEEPEST) -> list[str]:
    """The texts under these names, also where they stand in a list or in an error within the error."""
    if isinstance(error, str) or depth == 0:
        return [error] if isinstance(error, str) else []
    if isinstance(error, Mapping):
        return [text for name in names for text in _texts(error.get(name), *names, depth=depth - 1)]
    if isinstance(error, list):
        return [text for item in error[:_DEEPEST] for text in _texts(item, *names, depth=depth - 1)]
    return []


def _words(error: Any) -> str:
    """All that an error says about its class."""
    return " ".join(_texts(error, *_WORDS, "type", "code"))


def _status_in(error: Any) -> int | None:
    """The HTTP status that some providers put into the `code` or `status` of an error object."""
    fields = (error.get("status"), error.get("code")) if isinstance(error, Mapping) else ()
    for field in fields:
        number = int(field) if isinstance(field, str) and field.isascii() and field.isdigit() else field
        if isinstance(number, int) and 400 <= number <= 599:
            return number
    return None


def _asked(wait: int | None) -> str:
    if wait is None:
        return ""
    seconds = f"{wait / 1000:g}"
    beyond = f", more than the {MAX_RETRY_AFTER_MS // 1000} s that are waited for" if wait > MAX_RETRY_AFTER_MS else ""
    return f" and asks to wait {seconds} s{beyond}"


def _quoted(code: str, error: Any, key: str, sent: bytes) -> str:
    """The provider's words, for the failures that only they explain; empty where they are not safe."""
    if code not in ("INVALID_REQUEST", "SERVER"):
        return ""
    words = next(iter(_texts(error, *_WORDS)), "")
    line = " ".join("".join(c if c.isprintable() else " " for c in words).split())[:_QUOTE]
    if not line or _KEY_LIKE.search(line) or _overlaps(line, key, _KEY_OVERLAP):
        return ""
    if _overlaps(line, sent.decode("utf-8", "replace"), _OVERLAP):
        return ""
    return f": {line.rstrip('.')}"


def _overlaps(line: str, other: str, length: int) -> bool:
    """True when `length` characters in a row of `line` (or the whole of it, where it is shorter) stand in `other`."""
    length = min(length, len(line))
    if len(other) < length:
        return bool(other) and other in line
    return any(line[start : start + length] in other for start in range(len(line) - length + 1))
