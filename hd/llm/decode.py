"""The answer of a chat-completions request: its events become chunks of the wire (WIRE 7.4). Pure."""

from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

import msgspec

from hd.llm.base import Chunk, ProviderError
from hd.llm.event import CallDelta, arguments, plain, read
from hd.llm.failure import (
    cut_off,
    empty_response,
    leaked_call,
    missing_call,
    mixed_calls,
    no_capacity,
    object_failure,
)
from hd.llm.leaks import has_leaked_call
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

_GIVEN_UP: Final = frozenset({"insufficient_system_resource", "error", "abort", "aborted", "cancelled", "timeout"})
"""`finish_reason` of an answer that the server itself gave up, in the words of DeepSeek and of servers like it."""


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
    turns an error object into the failure to raise. `tools` are the names that the model may call.
    """

    def __init__(
        self,
        taken: Collection[str] = (),
        fresh_id: Callable[[], str] = new_id,
        explain: Callable[[Any], ProviderError] = object_failure,
        tools: Collection[str] = (),
    ) -> None:
        self.done = False
        self.failure: ProviderError | None = None
        self._taken = set(taken)
        self._fresh_id = fresh_id
        self._explain = explain
        self._tools = tools
        self._choice: int | None = None
        self._texts: list[str] = []
        self._index = -1
        self._open: Literal["text", "reasoning"] | None = None
        self._pieces: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._waiting: deque[_Call] = deque()
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
        if self.done or payload == DONE:
            self.done = True
            return chunks
        event = read(payload)
        if (complaint := event.complaint()) is not None:
            raise self._explain(complaint)
        if event.usage:
            self._usage = event.usage
        for choice in event.choices or ():
            if self._choice is None:
                self._choice = choice.index or 0
            if (choice.index or 0) != self._choice:
                continue  # Only one answer was asked for; the first that comes is it, whatever its number.
            delta = choice.delta or choice.message
            if delta is not None:
                if delta.reasoning_content:
                    self._text("reasoning", delta.reasoning_content, chunks)
                if delta.content:
                    self._text("text", plain(delta.content), chunks)
                for call in delta.tool_calls or ():
                    self._call(call, chunks)
            if choice.finish_reason:
                self._reason = choice.finish_reason
        return chunks

    def finish(self) -> list[Chunk]:
        """What is left at the end of the stream: open blocks, usage and, where the answer counts, `finish`."""
        chunks: list[Chunk] = []
        if self._reason is not None and self._reason not in _GIVEN_UP:
            self._end_all(chunks)
        kind = self._kind()
        self.failure = self._problem(kind)
        usage = usage_of(self._usage) if self._usage else None
        if usage is not None:
            chunks.append({"type": "usage", "usage": usage})
        if self.failure is None:
            chunks.append({"type": "finish", "reason": {"kind": kind}})
        return chunks

    def _kind(self) -> str:
        said = _KINDS.get(self._reason or "", "stop")
        if said in ("max-tokens", "content-filter"):
            return said
        return "tool-calls" if self._calls else "stop"

    def _problem(self, kind: str) -> ProviderError | None:
        """Why an answer of this kind does not count; None where it does."""
        if self._reason is None:
            return cut_off()
        if self._reason in _GIVEN_UP:
            return no_capacity()
        if kind != "stop":
            return None
        text = "\n".join(self._texts)
        if _KINDS.get(self._reason) == "tool-calls":
            return missing_call()
        if not text.strip():
            return empty_response()
        return leaked_call() if has_leaked_call(text, self._tools) else None

    def _text(self, kind: Literal["text", "reasoning"], text: str, chunks: list[Chunk]) -> None:
        if not text:
            return
        if self._open != kind:
            self._end_all(chunks)
            self._open = kind
            self._start(kind, chunks)
        self._pieces.append(text)
        chunks.append(
            {"type": "text-delta" if kind == "text" else "reasoning-delta", "index": self._index, "text": text}
        )

    def _call(self, delta: CallDelta, chunks: list[Chunk]) -> None:
        call = self._find(delta) or self._new_call(delta)
        function = delta.function
        if function is not None:
            call.name = call.name or function.name or ""
            piece = arguments(function.arguments)
            if call.ended and piece.strip():
                raise mixed_calls()
            if piece and not call.ended:
                call.pieces.append(piece)
                call.held.append(piece)
        self._send_calls(chunks)

    def _find(self, delta: CallDelta) -> _Call | None:
        """The call that a delta continues: by index, else by id, else the last one."""
        if delta.index is None:
            if delta.id:
                return self._by_id.get(delta.id)
            return self._calls[-1] if self._calls else None
        call = self._by_index.get(delta.index)
        if call is not None and delta.id and call.given_id not in ("", delta.id):
            # A provider that gives every call the same index names each; one without a name has changed its id only.
            is_new = delta.function is not None and delta.function.name
            return self._by_id.get(delta.id) or (None if is_new else call)
        return call

    def _new_call(self, delta: CallDelta) -> _Call:
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
            if self._open == "text":
                self._texts.append(text)
            self._end(text_block(text) if self._open == "text" else reasoning_block(text), chunks)
            self._open = None
            self._pieces.clear()

    def _end_all(self, chunks: list[Chunk]) -> None:
        self._end_text(chunks)
        self._send_calls(chunks, all_known=True)
