"""The requests for a summary: pure.

The usual one is the session's next request with the wish for a summary as its last message, so that the provider's
cache holds all of it (law 2). Where that does not fit, or gave nothing, a small one shows the older part as a text that
was cut to fit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Any, Final

from hd.agent import request as req
from hd.agent.compaction.cut import Cut
from hd.agent.fit import fit
from hd.agent.history import Entry, History
from hd.llm.base import Request
from hd.protocol.messages import shown_of, text_block, text_of, tool_calls_of, tool_result_of, user_message
from hd.protocol.projections.pressure import ContextPressure
from hd.protocol.tokens import tokens_in
from hd.tools.bounds import bound
from hd.tools.distil import distil

SUMMARY_TOKENS: Final = 32_768
"""The bound of an answer: a summary with what was thought about it."""

SOURCE: Final = {"kind": "compact-request"}
_SHARES: Final = (2, 8)
"""Into how many parts the window is divided for the small requests, one after the other."""

_RESULTS: Final = (2_000, 500, 160)
"""Characters of a tool result, or of the arguments of a call, in a small request; the first that fits counts."""

_LEAST: Final = 2_000


def instruction(focus: str = "") -> str:
    """What the model is asked for; `focus` is what the person said that it must keep."""
    text = files("hd.prompt").joinpath("compact.md").read_text(encoding="utf-8").strip()
    return f"{text}\n\nThe person asks that the summary above all keeps this: {focus}" if focus else text


def requests(
    history: History, found: Cut, wish: str, pressure: ContextPressure, window: int, *, overflown: bool
) -> list[Callable[[], Request]]:
    """How to ask a model with `window` tokens, one after the other until an answer can be used.

    `overflown` says that it refused the history as too long, so that its window is smaller than is known.
    """
    size = pressure.projected + tokens_in(wish)
    known = min(window, size) if overflown else window
    smaller = [partial(small, history, found, wish, known // share) for share in _SHARES]
    if overflown or size + size // 20 + _LEAST > window:
        return [*smaller]
    return [partial(full, history, wish), *smaller]


def full(history: History, wish: str) -> Request:
    request = req.build(history)
    return _bounded(replace(request, messages=[*request.messages, user_message([text_block(wish)], SOURCE)]))


def small(history: History, found: Cut, wish: str, room: int) -> Request:
    """The older part alone, in about `room` tokens, without tools: a text to sum up and nothing to go on with."""
    seqs = frozenset(found.seqs)
    older = [entry for entry in history.entries if entry.seq in seqs]
    system = [entry.message for entry in history.entries if entry.message.get("role") == "system"][:1]
    text = f"<conversation>\n{_told(older, room)}\n</conversation>\n\n{wish}"
    request = req.build(history)
    asked = fit([*system, user_message([text_block(text)], SOURCE)]).messages
    return _bounded(replace(request, messages=asked, tools=()))


def _bounded(request: Request) -> Request:
    most = SUMMARY_TOKENS if request.max_tokens is None else min(request.max_tokens, SUMMARY_TOKENS)
    return replace(request, max_tokens=most)


def _told(older: Sequence[Entry], room: int) -> str:
    text = ""
    for results in _RESULTS:
        text = "\n".join(line for entry in older for line in _lines(entry.message, results))
        if tokens_in(text) <= room:
            return text
    return bound(text, max(_LEAST, len(text) * room // max(1, tokens_in(text))), head_share=0.3)


def _lines(message: Mapping[str, Any], most: int) -> Iterator[str]:
    content = message.get("content") or ()
    result = tool_result_of(message) if message.get("role") != "assistant" else None
    if result is not None:
        yield f"Result: {distil(result[1], most)}"
    elif message.get("role") == "assistant":
        if said := text_of(content).strip():
            yield f"You: {said}"
        for call in tool_calls_of(content):
            yield f"You called {call.get('name')} with {distil(str(call.get('arguments')), most)}"
    elif told := shown_of(content).strip():
        kind = (message.get("source") or {}).get("kind")
        yield f"{'The person' if kind == 'user' else f'Told ({kind})'}: {told}"
