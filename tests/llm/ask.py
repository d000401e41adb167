"""Requests and their answers, for the tests of this folder."""

from collections.abc import Sequence
from typing import Any

from hd.llm.base import Chunk, Provider, ProviderError, Request, Tell, quiet
from hd.protocol.messages import Block, Message, assistant_message, system_message, text_block, user_message
from hd.protocol.stream import Partial
from hd.protocol.tools import ToolSpec

KEY = "sk-0123456789abcdef0123456789abcdef"


def human(text: str) -> Message:
    return user_message([text_block(text)], {"kind": "user"})


def answered(*blocks: Block) -> Message:
    return assistant_message(blocks, "deepseek-official", "deepseek-flash")


def request_of(*messages: Message | str, tools: Sequence[str] = (), **fields: Any) -> Request:
    """A request with a system message in front; a text is a prompt."""
    specs = [ToolSpec(name, f"Does {name}.", {"type": "object", "properties": {}}) for name in tools]
    spoken = [human(message) if isinstance(message, str) else message for message in messages]
    return Request("deepseek-flash", [system_message("You are a test."), *spoken], specs, **fields)


async def chunks_of(provider: Provider, request: Request) -> list[Chunk]:
    return [chunk async for batch in provider.stream(request) for chunk in batch]


async def attempt(provider: Provider, request: Request, tell: Tell = quiet) -> tuple[list[Chunk], ProviderError | None]:
    """All chunks, and the failure behind them if there was one."""
    chunks: list[Chunk] = []
    try:
        async for batch in provider.stream(request, tell):
            chunks += batch
    except ProviderError as problem:
        return chunks, problem
    return chunks, None


def partial_of(chunks: Sequence[Chunk]) -> Partial:
    partial = Partial()
    for chunk in chunks:
        partial.feed(chunk)
    return partial


def ended(chunks: Sequence[Chunk]) -> list[Block]:
    """The blocks as their `block-end` gives them."""
    return [chunk["block"] for chunk in chunks if chunk["type"] == "block-end"]


def check_order(chunks: Sequence[Chunk]) -> None:
    """One block at a time, each started once and ended before the next; deltas add up to the block."""
    open_index: int | None = None
    text = ""
    started = 0
    for chunk in chunks:
        kind = chunk["type"]
        if kind == "block-start":
            assert open_index is None
            assert chunk["index"] == started
            open_index, text, started = chunk["index"], "", started + 1
        elif kind.endswith("-delta"):
            assert chunk["index"] == open_index
            text += chunk.get("text", "") + chunk.get("argumentsDelta", "")
        elif kind == "block-end":
            assert chunk["index"] == open_index
            assert chunk["block"].get("text", chunk["block"].get("arguments")) == text
            open_index = None
