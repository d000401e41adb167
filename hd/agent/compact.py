"""Compaction: a summary takes the place of the older part of a history (WIRE 8.2, `compaction/*`).

`cut` decides what is summed up; the rest asks the model and records what came of it. The system prompt, the instruction
files and the newest turns stay as they are, and no call is parted from its result. The request for the summary is the
next request of the session with one message more, so that the provider's cache holds all of it (law 2).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final

from hd.agent import request as req
from hd.agent.history import COMPACTED, Entry, History
from hd.errors import HdError, ProviderFailed
from hd.llm.base import Model, Provider, ProviderError, Request
from hd.protocol import events as ev
from hd.protocol.events import Draft, Replace
from hd.protocol.ids import new_id
from hd.protocol.messages import text_block, text_of, user_message
from hd.protocol.projections.breakdown import tokens_of_content
from hd.protocol.stream import Partial
from hd.session.live import LiveSession

KEPT_TOKENS: Final = 20_000
"""At most so much of the newest turns stays, and at most a quarter of all; the newest one always does."""

_OPENING: Final = "The older part of this conversation was summed up, by you, to make room:\n<summary>\n"
_CLOSING: Final = "\n</summary>"


Resolve = Callable[[Mapping[str, Any]], tuple[Provider, Model]]
"""Who answers for a selection of a model (`Providers.resolve`)."""


class SummaryUnusable(HdError):
    """The model gave no summary that could stand for what was said."""

    retry_helps = True


@dataclass(frozen=True, slots=True)
class Cut:
    """`seqs` are those of the messages to be summed up, in the order of the history; `tokens` is their size."""

    seqs: tuple[int, ...]
    tokens: int

    @property
    def range(self) -> Replace:
        return Replace(min(self.seqs), max(self.seqs))


@dataclass(frozen=True, slots=True)
class Compacted:
    """`seq` is that of the `compaction/summary`."""

    messages: int
    tokens: int
    seq: int


def cut(history: History) -> Cut | None:
    """What a compaction would sum up now; None where that would be nothing, or nothing but an earlier summary."""
    entries = list(history.entries)
    opening = max((place for place, entry in enumerate(entries) if _stays(entry)), default=-1)
    body = entries[opening + 1 :]
    sizes = [tokens_of_content(entry.message.get("content")) for entry in body]
    places = list(_places(body))
    if not places:
        return None
    room = min(KEPT_TOKENS, sum(sizes) // 4)
    place = next((place for place in places if sum(sizes[place:]) <= room), places[-1])
    older = body[:place]
    if len(older) == 1 and _source(older[0]) == COMPACTED:
        return None
    return Cut(tuple(entry.seq for entry in older), sum(sizes[:place]))


def _stays(entry: Entry) -> bool:
    return entry.message.get("role") == "system" or _source(entry) == "instructions"


def _source(entry: Entry) -> str:
    return str((entry.message.get("source") or {}).get("kind"))


def _places(body: list[Entry]) -> Iterator[int]:
    """Where the newest part may begin: at a prompt, in front of which every call has its result.

    An earlier summary stands in front of messages with smaller seqs; a place that its range would reach over is none.
    """
    for place in range(1, len(body)):
        older, newer = body[:place], body[place:]
        begins = _source(body[place]) in ("user", "goal")
        if begins and max(entry.seq for entry in older) < min(entry.seq for entry in newer):
            yield place


def summary_request(history: History, instruction: str) -> Request:
    """The session's next request, with the wish for a summary as its last message."""
    request = req.build(history)
    wish = user_message([text_block(instruction)], {"kind": "compact-request"})
    return replace(request, messages=[*request.messages, wish])


async def compact(session: LiveSession, resolve: Resolve, command_id: str) -> Compacted | None:
    """Sums up the older part of the history by the provider of the last request; None when there is nothing to sum up.

    `ProviderFailed` or `SummaryUnusable` leave the history as it was, with the end of the attempt in the log.
    """
    history: History = session.value("history")
    found = cut(history)
    if found is None:
        return None
    where = {"compactionId": new_id(), "sourceCommandId": command_id, "turn": None}
    instruction = files("hd.prompt").joinpath("compact.md").read_text(encoding="utf-8").strip()
    (start,) = session.record(Draft(ev.COMPACTION_START, {**where, "instruction": instruction}))
    request = summary_request(history, instruction)
    try:
        provider, _ = resolve(session.value("modelSelection").last_used or {})
        answer = await _answer(provider, request)
    except BaseException as error:
        reason = error.message if isinstance(error, HdError) else "stopped"
        session.record(Draft(ev.COMPACTION_END, {**where, "error": {"message": reason}}))
        raise
    seq = session.state.seq + 1
    session.record(*_replacement(found, where, answer, provider.id, request, (start.seq, seq)))
    return Compacted(len(found.seqs), found.tokens, seq)


async def _answer(provider: Provider, request: Request) -> Partial:
    partial = Partial()
    try:
        async with aclosing(provider.stream(request)) as batches:
            async for chunks in batches:
                for chunk in chunks:
                    partial.feed(chunk)
    except ProviderError as error:
        raise ProviderFailed(f"The summary could not be written: {error.message} The history is unchanged.") from error
    kind = (partial.finish or {}).get("kind")
    if kind == "max-tokens" or not text_of(partial.blocks()).strip():
        what = "was cut off at the output limit" if kind == "max-tokens" else "came back empty"
        raise SummaryUnusable(f"The summary {what}. The history is unchanged; try /compact again.")
    return partial


def _replacement(
    found: Cut, where: dict[str, Any], answer: Partial, provider: str, request: Request, seqs: tuple[int, int]
) -> list[Draft]:
    """The facts of a compaction that worked; one record, so that a kill leaves the old history or the new one."""
    blocks = answer.blocks()
    summary = text_of(blocks).strip()
    data: dict[str, Any] = {
        "compactionId": where["compactionId"],
        "sourceCommandId": where["sourceCommandId"],
        "summary": [text_block(summary)],
        "rawOutput": blocks,
        "llmStreamCall": True,
        "shadowedRange": {"start": found.range.start, "end": found.range.end},
        "shadowedSeqs": list(found.seqs),
        "shadowedTokenCount": found.tokens,
        "provider": provider,
        "model": request.model,
    }
    if request.max_tokens is not None:
        data["maxTokens"] = request.max_tokens
    if answer.usage is not None:
        data["usage"] = answer.usage
    source = {key: where[key] for key in ("compactionId", "sourceCommandId")}
    message = user_message(
        [text_block(_OPENING), text_block(summary), text_block(_CLOSING)], {"kind": COMPACTED, **source}
    )
    return [
        Draft(ev.COMPACTION_SUMMARY, data),
        Draft(ev.USER_MESSAGE, message, found.range, (*seqs, *found.seqs)),
        Draft(ev.COMPACTION_END, where),
    ]
