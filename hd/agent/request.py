"""From the log to a request (pure): what must be recorded before it, and the request itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from hd.agent.history import History, messages
from hd.agent.title import plain_title, shortened
from hd.llm.base import Model, Request
from hd.prompt.context import SOURCE_KIND, changed, render
from hd.prompt.guidance import GUIDANCE_KIND, Guidance, due
from hd.prompt.guidance import render as render_guidance
from hd.prompt.tree import News
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import Message, system_message, user_message
from hd.protocol.tools import ToolSpec


def opening_messages(history: History, system_prompt: str, instructions: str | None, turn: int) -> list[Draft]:
    """The system message and the instruction files, which stand once at the head of a session and never change."""
    if any(entry.message.get("role") == "system" for entry in history.entries):
        return []
    data = {"turn": turn, "step": 1, "message": system_message(system_prompt)}
    drafts = [Draft(ev.SYSTEM_MESSAGE, data, "append")]
    if instructions:
        drafts.append(_told({"kind": "instructions"}, instructions))
    return drafts


def context_message(history: History, sections: Mapping[str, str]) -> list[Draft]:
    """What the model must know of its surroundings and was not told yet: appended, never put above (law 2)."""
    news = changed(history.sections, sections)
    if not news:
        return []
    update = bool(history.sections)
    source = {
        "kind": SOURCE_KIND,
        "form": "changes" if update else "snapshot",
        "sections": [{"name": name, "text": text} for name, text in news.items()],
    }
    return [_told(source, render(news, update=update))]


def tree_message(news: News | None) -> list[Draft]:
    return [] if news is None else [_told(news.source, news.text)]


def guidance_message(guidance: Guidance, tools: Sequence[ToolSpec]) -> list[Draft]:
    """What the conversation calls for and was not told yet, in one message."""
    chunks = due(guidance, {tool.name for tool in tools})
    if not chunks:
        return []
    return [_told({"kind": GUIDANCE_KIND, "chunks": [chunk.name for chunk in chunks]}, render_guidance(chunks))]


def settled_tools(history: History, tools: Sequence[ToolSpec], *, goes_on: bool) -> Sequence[ToolSpec]:
    """The tools of the next request: those of the last one for as long as they do (law 2).

    They stand in front of all messages, so a new description or a new tool would cost the whole cache of the session.
    It waits until that is lost anyway (not `goes_on`: a compaction, another model). A tool that is gone, or takes other
    arguments than the model was told, cannot wait.
    """
    told = _tools(history)
    known = {tool.name: tool.parameters for tool in tools}
    fit = all(known.get(tool.name) == tool.parameters for tool in told)
    return told if told and goes_on and fit else tools


def _tools(history: History) -> list[ToolSpec]:
    wire = (history.header or {}).get("tools") or ()
    return [ToolSpec(tool["name"], tool["description"], tool["parameters"]) for tool in wire]


def _told(source: Mapping[str, Any], text: str) -> Draft:
    return Draft(ev.USER_MESSAGE, user_message([{"type": "text", "text": text}], source), "append")


def user_messages(claimed: Sequence[Mapping[str, Any]]) -> list[Draft]:
    return [Draft(ev.USER_MESSAGE, dict(message), "append") for message in claimed]


def header_drafts(
    history: History, selection: Mapping[str, Any], model: Model, tools: Sequence[ToolSpec], projected: int
) -> list[Draft]:
    """`request/header` and `request/context` where they differ from the latest; `projected` tokens will be sent."""
    config = dict(selection)
    if model.max_output is not None:
        config["maxTokens"] = fitting_output(model.max_output, model.context_window, projected)
    header = {"config": config, "adapterDefaults": {}, "tools": [tool.to_wire() for tool in tools]}
    context = {
        "provider": selection["provider"],
        "model": selection["model"],
        "contextWindow": model.context_window,
    }
    drafts = []
    if header != history.header:
        reason = "initial" if history.header is None else "series"
        drafts.append(Draft(ev.REQUEST_HEADER, {"header": header, "reason": reason}))
    if context != history.context:
        drafts.append(Draft(ev.REQUEST_CONTEXT, context))
    return drafts


OUTPUT_STEP = 32_768
LEAST_OUTPUT = 4_096


def fitting_output(most: int, window: int, projected: int) -> int:
    """The bound of an answer, in tokens: providers count what is sent and that bound together against the window.

    It shrinks in large steps, because every change of it is a change of the request's parameters.
    """
    room = window - projected - projected // 20
    return most if room >= most else max(LEAST_OUTPUT, room // OUTPUT_STEP * OUTPUT_STEP)


def build(history: History) -> Request:
    """The request that the log means; the log has a `request/header` by then."""
    header = history.header or {}
    config: Mapping[str, Any] = header.get("config") or {}
    sent: list[Message] = messages(history)
    return Request(
        model=str(config.get("model")),
        messages=sent,
        tools=_tools(history),
        effort=config.get("reasoningEffort"),
        max_tokens=config.get("maxTokens"),
    )


def title_draft(prompt: str, seq: int) -> Draft | None:
    """The first title of a session: the beginning of its first prompt."""
    title = shortened(plain_title(prompt))
    if not title:
        return None
    return Draft(ev.SESSION_TITLE, {"title": title, "messageSeqs": [seq], "source": {"kind": "fallback"}})
