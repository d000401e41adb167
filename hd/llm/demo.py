"""The demo: a scripted provider that works offline, and says so.

It stands behind the same interface as a real one and calls the real tools, so that everything around the model can be
seen, tried and tested without a key. What it says is made by `hd.llm.demo_plan` from what the tools returned.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, Final

import msgspec

from hd.llm.base import Catalogue, Chunk, Effort, Model, Request, Tell, quiet
from hd.llm.demo_plan import Step, next_step
from hd.llm.encode import encode_parts
from hd.protocol.ids import new_id
from hd.protocol.messages import reasoning_block, text_block, tool_call_block
from hd.protocol.stream import merge

MODEL: Final = Model(
    id="demo",
    name="Demo",
    context_window=128_000,
    max_output=8_000,
    description="A script, not a model: it calls the real tools and reports what they returned. Works offline.",
    efforts=(
        Effort("off", "Off", "No reasoning is shown."),
        Effort("high", "On", "A scripted reasoning is shown where a prompt asks for it."),
    ),
    default_effort="high",
)
_REMEMBERED: Final = 8
"""Conversations whose last request is kept to estimate what a cache would have held."""


class Demo:
    """`pace_s` is the pause behind each word; 0 sends an answer as one batch."""

    id = "demo"
    name = "Demo (scripted, offline)"
    default_model = MODEL.id
    title_model: str | None = None

    def __init__(self, *, pace_s: float = 0.02) -> None:
        self._pace_s = pace_s
        self._bodies: OrderedDict[str, bytes] = OrderedDict()

    async def stream(self, request: Request, tell: Tell = quiet) -> AsyncGenerator[list[Chunk], None]:
        step = next_step(request.messages, {tool.name for tool in request.tools})
        if request.effort == "off":
            step = replace(step, reasoning="")
        chunks = chunks_of(step)
        usage = estimate(step, *self._sizes(request))
        chunks.append({"type": "usage", "usage": usage})
        chunks.append({"type": "finish", "reason": {"kind": "tool-calls" if step.calls else "stop"}})
        if self._pace_s <= 0:
            await asyncio.sleep(0)
            yield merge(chunks)
            return
        for chunk in chunks:
            yield [chunk]
            if chunk["type"].endswith("-delta"):
                await asyncio.sleep(self._pace_s)

    async def catalogue(self) -> Catalogue:
        return Catalogue((MODEL,))

    def model(self, model_id: str) -> Model:
        return MODEL if model_id == MODEL.id else replace(MODEL, id=model_id)

    async def warm(self) -> None:
        """There is nothing to load."""

    async def aclose(self) -> None:
        self._bodies.clear()

    def _sizes(self, request: Request) -> tuple[int, int]:
        """Bytes of the request, and of its beginning that the conversation's request before had too."""
        lasting, closing = encode_parts(request, MODEL)
        conversation = next((str(m.get("id")) for m in request.messages if m.get("role") == "user"), "")
        before = self._bodies.pop(conversation, b"")
        self._bodies[conversation] = lasting
        if len(self._bodies) > _REMEMBERED:
            self._bodies.popitem(last=False)
        return len(lasting) + len(closing), len(before) if lasting.startswith(before) else 0


def chunks_of(step: Step) -> list[Chunk]:
    """A step as the wire's chunks, word by word; every call with an id of its own."""
    chunks: list[Chunk] = []
    index = 0
    for kind, text, block in (
        ("reasoning", step.reasoning, reasoning_block(step.reasoning)),
        ("text", step.text, text_block(step.text)),
    ):
        if text:
            chunks.append({"type": "block-start", "index": index, "blockType": kind})
            chunks += [
                {"type": f"{kind}-delta", "index": index, "text": word} for word in re.findall(r"\S+\s*|\s+", text)
            ]
            chunks.append({"type": "block-end", "index": index, "block": block})
            index += 1
    for call in step.calls:
        call_id, arguments = f"demo_{new_id()}", msgspec.json.encode(call.arguments).decode()
        delta = {"type": "tool-call-delta", "index": index, "id": call_id, "name": call.name}
        chunks.append({"type": "block-start", "index": index, "blockType": "tool-call"})
        chunks.append({**delta, "argumentsDelta": arguments})
        chunks.append({"type": "block-end", "index": index, "block": tool_call_block(call_id, call.name, arguments)})
        index += 1
    return chunks


def estimate(step: Step, sent: int, known: int) -> dict[str, Any]:
    """Usage by the rule of thumb of four bytes a token; `known` bytes of `sent` count as read from a cache."""
    prompt, read = sent // 4, known // 4
    thought = len(step.reasoning) // 4
    calls = sum(len(call.name) + len(msgspec.json.encode(call.arguments)) for call in step.calls)
    output = max(1, thought + len(step.text) // 4 + calls // 4)
    return {
        "inputTokens": prompt - read,
        "outputTokens": output,
        "cacheReadTokens": read,
        "cacheWriteTokens": 0,
        "reasoningTokens": thought,
        "totalTokens": prompt + output,
    }
