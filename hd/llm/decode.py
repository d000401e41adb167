"""The answer of a chat-completions request: its events become chunks of the wire (WIRE 7.4). Pure."""

import json
from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

import msgspec

from hd.llm.base import Chunk, ProviderError
from hd.llm.encode import without_surrogates
from hd.llm.failure import cut_off, empty_response, mixed_calls, no_capacity, object_failure, unreadable
from hd.llm.usage import usage_of
from hd.protocol.ids import new_id
from hd.protocol.messages import reasoning_block, text_block, tool_call_block

DONE: Final = "[DONE]"

_KINDS: Final = {
    "stop": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "max-tokens",
    "content_filter": "content-filter",
}
"""`finish_reason` in the words of the wire; an unknown one counts as `stop`."""


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: Any = None


class _CallDelta(msgspec.Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_CallDelta] | None = None


class _Choice(msgspec.Struct, gc=False):
    index: int | None = None
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Event(msgspec.Struct, gc=False):
    choices: list[_Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_EVENTS: Final = msgspec.json.Decoder(_Event, strict=False)


class _Call:
    """A tool call as it arrives. `held` is what the wire has not seen yet."""

    __slots__ = ("ended", "given_id", "held", "id", "name", "pieces", "started")

    def __init__(self, call_id: str, given_id: str) -> None:
        self.id, self.given_id, self.name = call_id, given_id, ""
        self.pieces: list[str] = []
        self.held: list[str] = []
        self.started = self.ended = False

    def is_whole(self) -> bool:
        """True when the arguments are a JSON object, which nothing can follow any more."""
        text = "".join(self.pieces)
        if not text.rstrip().endswith("}"):
            return False
        try:
            return isinstance(msgspec.json.decode(text), dict)
        except msgspec.DecodeError:
            return False


class AnswerDecoder:
    """One answer. Feed it each event's data, then call `finish` once; after that `failure` says whether it counts.

    One block is open at a time and is ended before the next one starts. Of tool calls whose pieces come mixed the first
    one streams and the others are held back until it is whole. `taken` are the call ids of the conversation so far; a
    call that comes with one of these, or with none, gets a fresh one, because everything else joins by them. `explain`
    turns an error object into the failure to raise.
    """

    def __init__(
        self,
        taken: Collection[str] = (),
        fresh_id: Callable[[], str] = new_id,
        explain: Callable[[Any], ProviderError] = object_failure,
    ) -> None:
        self.done = False
        self.failure: ProviderError | None = None
        self._taken = set(taken)
        self._fresh_id = fresh_id
        self._explain = explain
        self._index = -1
        self._open: Literal["text", "reasoning"] | None = None
        self._pieces: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._waiting: deque[_Call] = deque()
        self._said = False
        self._reason: str | None = None
        self._usage: dict[str, Any] | None = None

    @property
    def finished(self) -> bool:
        """True once the provider has said why it stopped; without that the answer is cut off."""
        return self._reason is not None

    @property
    def started(self) -> bool:
        """True once a part of the answer has arrived."""
        return self._index >= 0 or bool(self._calls)

    def feed(self, payload: str) -> list[Chunk]:
        """The chunks of one event. ProviderError for an error object and for what is no event."""
        chunks: list[Chunk] = []
        if payload == DONE:
            self.done = True
            return chunks
        event = _read(payload)
        if event.error:
            raise self._explain(event.error)
        if event.usage:
            self._usage = event.usage
        for choice in event.choices or ():
            if choice.index:
                continue
            delta = choice.delta or choice.message
            if delta is not None:
                if delta.reasoning_content:
                    self._text("reasoning", delta.reasoning_content, chunks)
                if delta.content:
                    self._text("text", delta.content, chunks)
                for call in delta.tool_calls or ():
                    self._call(call, chunks)
            if choice.finish_reason:
                self._reason = choice.finish_reason
        return chunks

    def finish(self) -> list[Chunk]:
        """What is left at the end of the stream: open blocks, usage and, where the answer counts, `finish`."""
        chunks: list[Chunk] = []
        kind = "tool-calls" if self._calls else "stop"
        if self._reason is None:
            self.failure = cut_off()
        elif self._reason == "insufficient_system_resource":
            self.failure = no_capacity()
        else:
            self._end_all(chunks)
            said = _KINDS.get(self._reason, "stop")
            kind = said if said in ("max-tokens", "content-filter") else kind
            if kind == "stop" and not self._said:
                self.failure = empty_response()
        usage = usage_of(self._usage) if self._usage else None
        if usage is not None:
            chunks.append({"type": "usage", "usage": usage})
        if self.failure is None:
            chunks.append({"type": "finish", "reason": {"kind": kind}})
        return chunks

    def _text(self, kind: Literal["text", "reasoning"], text: str, chunks: list[Chunk]) -> None:
        if self._open != kind:
            self._end_all(chunks)
            self._open = kind
            self._start(kind, chunks)
        self._pieces.append(text)
        chunks.append(
            {"type": "text-delta" if kind == "text" else "reasoning-delta", "index": self._index, "text": text}
        )
        if not self._said and kind == "text":
            self._said = bool(text.strip())

    def _call(self, delta: _CallDelta, chunks: list[Chunk]) -> None:
        call = self._find(delta) or self._new_call(delta)
        function = delta.function
        if function is not None:
            call.name = call.name or function.name or ""
            arguments = _arguments(function.arguments)
            if call.ended and arguments.strip():
                raise mixed_calls()
            if arguments and not call.ended:
                call.pieces.append(arguments)
                call.held.append(arguments)
        self._send_calls(chunks)

    def _find(self, delta: _CallDelta) -> _Call | None:
        """The call that a delta continues: by index, else by id, else the last one."""
        if delta.index is None:
            if delta.id:
                return self._by_id.get(delta.id)
            return self._calls[-1] if self._calls else None
        call = self._by_index.get(delta.index)
        if call is not None and delta.id and call.given_id not in ("", delta.id):
            return self._by_id.get(delta.id)  # A provider that gives every call the same index.
        return call

    def _new_call(self, delta: _CallDelta) -> _Call:
        given = delta.id or ""
        call = _Call(self._unique(given), given)
        self._calls.append(call)
        self._waiting.append(call)
        if delta.index is not None:
            self._by_index[delta.index] = call
        if given:
            self._by_id.setdefault(given, call)
        return call

    def _unique(self, given: str) -> str:
        call_id = given
        while not call_id or call_id in self._taken:
            call_id = f"call_{self._fresh_id()}"
        self._taken.add(call_id)
        return call_id

    def _send_calls(self, chunks: list[Chunk], *, all_known: bool = False) -> None:
        """Sends what may be sent of the calls in their order; `all_known` when no more pieces of them will come."""
        while self._waiting:
            call = self._waiting[0]
            if not call.started:
                if not call.name and not all_known:
                    return
                self._end_text(chunks)
                self._start("tool-call", chunks)
            if call.held or not call.started:
                chunk: Chunk = {"type": "tool-call-delta", "index": self._index, "id": call.id}
                if not call.started:
                    chunk["name"] = call.name
                chunk["argumentsDelta"] = "".join(call.held)
                chunks.append(chunk)
                call.held.clear()
                call.started = True
            if not all_known and (len(self._waiting) == 1 or not call.is_whole()):
                return
            self._end(tool_call_block(call.id, call.name, "".join(call.pieces)), chunks)
            call.ended = True
            self._waiting.popleft()

    def _start(self, kind: str, chunks: list[Chunk]) -> None:
        self._index += 1
        chunks.append({"type": "block-start", "index": self._index, "blockType": kind})

    def _end(self, block: dict[str, Any], chunks: list[Chunk]) -> None:
        chunks.append({"type": "block-end", "index": self._index, "block": block})

    def _end_text(self, chunks: list[Chunk]) -> None:
        if self._open is not None:
            text = "".join(self._pieces)
            self._end(text_block(text) if self._open == "text" else reasoning_block(text), chunks)
            self._open = None
            self._pieces.clear()

    def _end_all(self, chunks: list[Chunk]) -> None:
        self._end_text(chunks)
        self._send_calls(chunks, all_known=True)


def _read(payload: str) -> _Event:
    if not payload.strip():
        return _Event()
    try:
        return _EVENTS.decode(payload)
    except (msgspec.ValidationError, RecursionError):
        raise unreadable("an event of an unknown form") from None
    except msgspec.DecodeError:
        return _read_leniently(payload)


def _read_leniently(payload: str) -> _Event:
    """An event that is no strict JSON: the standard library forgives raw control characters and halves of surrogate
    pairs, which servers that cut their text by UTF-16 units send."""
    try:
        return msgspec.convert(without_surrogates(json.loads(payload, strict=False)), _Event, strict=False)
    except (ValueError, RecursionError):
        raise unreadable("an event that is no JSON") from None


def _arguments(value: Any) -> str:
    """Arguments as JSON text; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()
