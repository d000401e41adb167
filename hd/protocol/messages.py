"""Messages and their blocks (WIRE 8.2), as the plain objects that stand in the log and on the wire."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hd.protocol.ids import new_id

Block = dict[str, Any]
Message = dict[str, Any]


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def reasoning_block(text: str) -> Block:
    return {"type": "reasoning", "text": text}


def tool_call_block(call_id: str, name: str, arguments: str) -> Block:
    """`arguments` is the JSON text exactly as the model wrote it."""
    return {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}


def user_message(content: Sequence[Block], source: Mapping[str, Any], message_id: str | None = None) -> Message:
    return {"content": list(content), "source": dict(source), "role": "user", "id": message_id or new_id()}


def system_message(text: str) -> Message:
    return {"role": "system", "content": [text_block(text)], "source": {"kind": "system-prompt"}, "id": new_id()}


def context_message(kind: str, text: str) -> Message:
    """A message that the daemon adds for the model: `kind` names who speaks (`runtime-context`, `instructions`, …)."""
    return user_message([text_block(text)], {"kind": kind})


def assistant_message(content: Sequence[Block], provider: str, model: str) -> Message:
    source = {"kind": "model", "provider": provider, "model": model}
    return {"role": "assistant", "content": list(content), "source": source, "id": new_id()}


def tool_message(call_id: str, text: str, *, is_error: bool) -> Message:
    """A tool's answer in both shapes at once.

    The flat fields and the text block are what 0.2 clients read; the empty `tool-result` block is what older clients
    join the row by (CLIENT 1.6). The text stands once, so nobody shows it twice.
    """
    return {
        "role": "tool",
        "source": {"kind": "tool", "callId": call_id},
        "toolCallId": call_id,
        "content": [
            text_block(text),
            {"type": "tool-result", "toolCallId": call_id, "content": [], "isError": is_error},
        ],
        "isError": is_error,
        "id": new_id(),
    }


def text_of(content: Iterable[Mapping[str, Any]]) -> str:
    """All text blocks of a message joined by a line break."""
    return "\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")


def told_of(content: Iterable[Mapping[str, Any]]) -> str:
    """What the model reads of a message: its text, and the files that came with it where they stand.

    A file's text is logged in its block, so that the request stays a function of the log.
    """
    return "\n".join(
        _file_text(block) if block.get("type") == "file" else str(block.get("text", ""))
        for block in content
        if block.get("type") in ("text", "file")
    )


def _file_text(block: Mapping[str, Any]) -> str:
    attachment: Mapping[str, Any] = block.get("attachment") or {}
    head = f'<attached-file name="{attachment.get("name")}" bytes="{attachment.get("bytes")}">'
    text = block.get("text")
    if not isinstance(text, str):
        return f"{head}\n(This file is not text; its content is not shown.)\n</attached-file>"
    cut = "\n(The rest of the file is left out.)" if block.get("cut") else ""
    return f"{head}\n{text}{cut}\n</attached-file>"


def shown_of(content: Iterable[Mapping[str, Any]]) -> str:
    """What people read of a message: its text, and a line for each file that came with it."""
    blocks = list(content)
    files = [block.get("attachment") or {} for block in blocks if block.get("type") == "file"]
    lines = [text_of(blocks), *(f"[file: {file.get('name')}, {file.get('bytes')} bytes]" for file in files)]
    return "\n".join(line for line in lines if line)


def tool_calls_of(content: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [block for block in content if block.get("type") == "tool-call"]


def tool_result_of(message: Mapping[str, Any]) -> tuple[str, str, bool] | None:
    """(call id, text, is error) of a tool result in the 0.2 shape, the 0.1.5 shape or both; None if it is neither."""
    blocks = [b for b in message.get("content") or () if isinstance(b, Mapping)]
    nested = next((b for b in blocks if b.get("type") == "tool-result"), None)
    source = message.get("source")
    from_source = source.get("callId") if isinstance(source, Mapping) else None
    call_id = message.get("toolCallId") or (nested or {}).get("toolCallId") or from_source
    if not isinstance(call_id, str):
        return None
    text = text_of(blocks)
    if not text and nested is not None:
        text = text_of(b for b in nested.get("content") or () if isinstance(b, Mapping))
    is_error = message.get("isError")
    if is_error is None and nested is not None:
        is_error = nested.get("isError")
    return call_id, text, bool(is_error)
