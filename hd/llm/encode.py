"""The body of a chat-completions request. Pure.

What stays comes first: the model, the tools, the messages. What may change between two requests of a session, how hard
the model thinks and how long its answer may be, stands behind the messages. So the next body begins with the bytes of
this one up to where its list of messages ends (law 2), which is what the provider's cache is priced by.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hd.llm.base import Model, Request
from hd.protocol.messages import told_of, tool_calls_of, tool_result_of
from hd.protocol.tools import ToolSpec

_THINKING: Final[Mapping[str, Mapping[str, Any]]] = {
    "off": {"thinking": {"type": "disabled"}},
    "low": {"thinking": {"type": "enabled"}, "reasoning_effort": "low"},
    "high": {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
    "max": {"thinking": {"type": "enabled"}, "reasoning_effort": "max"},
}
"""How an effort is asked for. This table is the one place to change when the provider names its levels anew."""


def encode_request(request: Request, model: Model) -> bytes:
    """The JSON body. `model` gives the default effort and the bound of `max_tokens`."""
    return b"".join(encode_parts(request, model))


def encode_parts(request: Request, model: Model) -> tuple[bytes, bytes]:
    """The body in two: what the next request of the session begins with, and what closes this one."""
    try:
        messages = _encode_messages(request.messages)
    except UnicodeEncodeError:
        messages = _encode_messages(without_surrogates(request.messages))
    head = msgspec.json.encode({"model": request.model, "stream": True, "stream_options": {"include_usage": True}})
    tools = b',"tools":' + msgspec.json.encode([_tool(tool) for tool in request.tools]) if request.tools else b""
    parameters = msgspec.json.encode(_parameters(request, model)).removeprefix(b"{")
    lasting = b"".join((head[:-1], tools, b',"messages":', messages[:-1]))
    return lasting, b"]" + (b"," if len(parameters) > 1 else b"") + parameters


def _encode_messages(messages: Sequence[Mapping[str, Any]]) -> bytes:
    return msgspec.json.encode([_message(message) for message in messages])


def _parameters(request: Request, model: Model) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    if model.efforts:
        known = request.effort if request.effort in _THINKING else model.default_effort
        parameters.update(_THINKING.get(known or "", {}))
    if request.max_tokens is not None:
        parameters["max_tokens"] = max(1, min(request.max_tokens, model.max_output or request.max_tokens))
    return parameters


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", "function": tool.to_wire()}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    role, content = message.get("role"), message.get("content") or ()
    if role == "assistant":
        return _assistant(content)
    source = message.get("source")
    if role == "tool" or (isinstance(source, Mapping) and source.get("kind") == "tool"):
        result = tool_result_of(message)
        if result is None:
            raise ValueError("a tool message without the id of its call")
        return {"role": "tool", "tool_call_id": result[0], "content": result[1]}
    return {"role": "system" if role == "system" else "user", "content": told_of(content)}


def _assistant(content: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An answer as it came: what was thought goes back byte for byte, whatever the next request's effort is.

    Where nothing was thought the field is there and empty: with thinking on, the provider refuses a history without it,
    and the history must not change when somebody switches thinking on.
    """
    text = "".join(str(block.get("text", "")) for block in content if block.get("type") == "text")
    thought = [str(block.get("text", "")) for block in content if block.get("type") == "reasoning"]
    calls = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in tool_calls_of(content)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    message["reasoning_content"] = "".join(thought)
    if calls:
        message["tool_calls"] = calls
    return message


def without_surrogates(value: Any) -> Any:
    """`value` with halves of surrogate pairs replaced: no JSON text can carry them and no session may stop at one."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {name: without_surrogates(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [without_surrogates(item) for item in value]
    return value
