"""What the mock model answers, and how that looks on the wire of chat completions."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

AUTO: Final = "auto"
DONE: Final = b"data: [DONE]\n\n"
KEEP_ALIVE: Final = b": keep-alive\n\n"
_ARGUMENT_PIECE: Final = 12


@dataclass(frozen=True)
class Call:
    """A tool call. `arguments` as text go out as they are, malformed or not; without `id` the mock makes one up."""

    name: str
    arguments: str | Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None

    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else msgspec.json.encode(self.arguments).decode()


@dataclass(frozen=True)
class Reply:
    """One answer.

    `text` and `reasoning` go out word by word, or `chunks` characters at a time, or as given where they are lists.
    `usage` is computed, a given mapping, or None for none; `finish` is computed, given, or None for none at all (then
    `done=False` too makes an early end of the stream).

    An event is one delta, the finish, or the usage, counted from 0. `gates[n]` holds back event n and all behind it
    until it is set; `cut_after=n` drops the connection behind n events; `stall` stays silent behind `cut_after` events
    (or behind all deltas) until the client goes away, with a comment every `keep_alive` seconds. `comments` are sent
    before the first event. `batch` events go out in one write (0: all of them); `delay_s` pauses between events and is
    meant for the process mode.

    `status`, `headers` and `body` make an answer that is no stream, held back by `gates[0]`; `raw` is sent verbatim as
    the pieces of one.
    """

    text: str | Sequence[str] = ""
    reasoning: str | Sequence[str] = ""
    calls: Sequence[Call] = ()
    usage: Mapping[str, Any] | str | None = AUTO
    finish: str | None = AUTO
    done: bool = True
    chunks: int | None = None
    interleave: bool = False
    gates: Mapping[int, asyncio.Event] = field(default_factory=dict)
    cut_after: int | None = None
    stall: bool = False
    keep_alive: float | None = None
    comments: int = 0
    batch: int = 1
    delay_s: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str | Mapping[str, Any] | None = None
    raw: bytes | Sequence[bytes] | None = None

    def is_stream(self) -> bool:
        return self.status == 200 and self.body is None

    def said(self) -> str:
        return self.text if isinstance(self.text, str) else "".join(self.text)

    def thought(self) -> str:
        return self.reasoning if isinstance(self.reasoning, str) else "".join(self.reasoning)


def with_ids(reply: Reply, request_number: int) -> list[Call]:
    """The calls of a reply, each with an id."""
    return [
        Call(call.name, call.arguments, call.id or f"call_{request_number}_{place}")
        for place, call in enumerate(reply.calls)
    ]


def usage_for(reply: Reply, body: bytes, common: int) -> dict[str, Any]:
    """Deterministic figures: a token is four bytes, and the cache holds the common beginning in blocks of 64 tokens."""
    prompt = len(body) // 4
    hit = min(common // 4 // 64 * 64, prompt)
    thought = len(reply.thought()) // 4
    output = max(1, thought + len(reply.said()) // 4 + sum(len(call.text()) // 4 for call in reply.calls))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_cache_hit_tokens": hit,
        "prompt_cache_miss_tokens": prompt - hit,
        "prompt_tokens_details": {"cached_tokens": hit},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def deltas(reply: Reply, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The deltas in order; only the first of a call names it."""
    found: list[dict[str, Any]] = [{"reasoning_content": piece} for piece in _pieces(reply.reasoning, reply.chunks)]
    found += [{"content": piece} for piece in _pieces(reply.text, reply.chunks)]
    streams = [_call_deltas(place, call, reply.chunks) for place, call in enumerate(calls)]
    if reply.interleave:
        longest = max((len(stream) for stream in streams), default=0)
        found += [stream[step] for step in range(longest) for stream in streams if step < len(stream)]
    else:
        found += [delta for stream in streams for delta in stream]
    return found


def events(
    reply: Reply, calls: Sequence[Call], usage: Mapping[str, Any] | None, number: int, model: str
) -> list[bytes]:
    """The events of a reply as bytes, without the closing `[DONE]`."""
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model}
    before = b"data: " + msgspec.json.encode(head)[:-1] + b',"choices":[{"index":0,"delta":'
    found = [before + msgspec.json.encode(delta) + b',"finish_reason":null}]}\n\n' for delta in deltas(reply, calls)]
    finish = ("tool_calls" if calls else "stop") if reply.finish == AUTO else reply.finish
    if finish is not None:
        found.append(before + b'{},"finish_reason":' + msgspec.json.encode(finish) + b"}]}\n\n")
    if usage is not None:
        found.append(b"data: " + msgspec.json.encode({**head, "choices": [], "usage": usage}) + b"\n\n")
    return found


def error_body(message: str, kind: str = "invalid_request_error") -> bytes:
    error = {"message": message, "type": kind, "param": None, "code": kind}
    return msgspec.json.encode({"error": error})


def body_of(reply: Reply) -> tuple[bytes, str]:
    """Body and content type of a reply that is no stream."""
    if isinstance(reply.body, bytes):
        return reply.body, "application/octet-stream"
    if isinstance(reply.body, str):
        return reply.body.encode(), "text/html" if reply.body.startswith("<") else "text/plain"
    if reply.body is not None:
        return msgspec.json.encode(reply.body), "application/json"
    return error_body(f"fake error {reply.status}", "fake_error"), "application/json"


def _pieces(text: str | Sequence[str], size: int | None) -> Sequence[str]:
    if not isinstance(text, str):
        return text
    if size is None:
        return re.findall(r"\S+\s*|\s+", text)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _call_deltas(place: int, call: Call, size: int | None) -> list[dict[str, Any]]:
    function = {"name": call.name, "arguments": ""}
    first = {"tool_calls": [{"index": place, "id": call.id, "type": "function", "function": function}]}
    pieces = _pieces(call.text(), size or _ARGUMENT_PIECE)
    return [first, *({"tool_calls": [{"index": place, "function": {"arguments": piece}}]} for piece in pieces)]
