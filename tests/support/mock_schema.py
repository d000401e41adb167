"""The body of a chat-completions request as the real provider reads it: fields, JSON types and bounds.

A field that is not here is refused, as is one of another type: what a provider does not know today it may refuse or,
worse, understand tomorrow.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

MOST_TOOLS: Final = 128
MOST_OUTPUT: Final = 384_000

Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern=r"\A[a-zA-Z0-9_-]{1,64}\Z")]


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _System(_Strict, tag_field="role", tag="system"):
    content: Text
    name: Text | None = None


class _User(_Strict, tag_field="role", tag="user"):
    content: Text
    name: Text | None = None


class _Called(_Strict):
    name: Name
    arguments: str


class _Call(_Strict):
    id: Text
    type: Literal["function"]
    function: _Called


class _Assistant(_Strict, tag_field="role", tag="assistant"):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: Annotated[list[_Call], Meta(min_length=1)] | None = None
    name: Text | None = None


class _ToolResult(_Strict, tag_field="role", tag="tool"):
    content: str
    tool_call_id: Text


class _Schema(msgspec.Struct):
    type: Literal["object"]
    properties: dict[str, dict[str, Any]] = {}
    required: list[str] = []


class _Function(_Strict):
    name: Name
    description: str = ""
    parameters: _Schema | None = None
    strict: bool = False


class _Tool(_Strict):
    type: Literal["function"]
    function: _Function


class _Chosen(_Strict):
    name: Name


class _Choice(_Strict):
    type: Literal["function"]
    function: _Chosen


class _Thinking(_Strict):
    type: Literal["enabled", "disabled"]


class _StreamOptions(_Strict):
    include_usage: bool


class _Format(_Strict):
    type: Literal["text", "json_object"]


class _Body(_Strict):
    model: Text
    messages: Annotated[list[_System | _User | _Assistant | _ToolResult], Meta(min_length=1)]
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)] = 0
    logprobs: bool = False
    max_tokens: Annotated[int, Meta(ge=1, le=MOST_OUTPUT)] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)] = 0
    reasoning_effort: Literal["low", "medium", "high", "max"] | None = None
    response_format: _Format | None = None
    stop: str | Annotated[list[str], Meta(max_length=16)] | None = None
    stream: bool = False
    stream_options: _StreamOptions | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] = 1
    thinking: _Thinking | None = None
    tool_choice: Literal["none", "auto", "required"] | _Choice | None = None
    tools: Annotated[list[_Tool], Meta(min_length=1, max_length=MOST_TOOLS)] | None = None
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1
    user_id: str | None = None


def problem_of_form(parsed: Any) -> str | None:
    """Why the form of a request is refused; None when it is not."""
    if not isinstance(parsed, Mapping):
        return "the body is no JSON object"
    try:
        body = msgspec.convert(parsed, _Body)
    except msgspec.ValidationError as error:
        return str(error)
    if body.stream_options is not None and not body.stream:
        return "stream_options without stream"
    if body.top_logprobs is not None and not body.logprobs:
        return "top_logprobs without logprobs"
    names = [tool.function.name for tool in body.tools or ()]
    if len(set(names)) < len(names):
        return "two tools have one name"
    if body.tool_choice is not None and not names:
        return "tool_choice without tools"
    if isinstance(body.tool_choice, _Choice) and body.tool_choice.function.name not in names:
        return f"tool_choice names {body.tool_choice.function.name}, which is no tool"
    return None
