"""The act of a compaction: asks the model for a summary and records what came of it.

Every try is in the log from its start to its end, with what it used; what works replaces the older part in one record,
so that a kill leaves the old history or the new one.
"""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hd.agent.compaction import ask, room
from hd.agent.compaction.cut import Cut, cut
from hd.agent.compaction.kept import kept_text
from hd.agent.compaction.prune import Pruned, prune
from hd.agent.gate import Gate
from hd.agent.history import COMPACTED, History
from hd.errors import HdError, ModelUnavailable, ProviderFailed
from hd.ledger.budget import Sending
from hd.llm.base import Model, Provider, ProviderError, Request
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event
from hd.protocol.ids import new_id
from hd.protocol.messages import text_block, text_of, user_message
from hd.protocol.projections.pressure import CONTEXT_PRESSURE, FRUITLESS, ContextPressure
from hd.protocol.stream import Partial
from hd.session.live import LiveSession

_OPENING: Final = "The older part of this conversation was summed up, by you, to make room:\n<summary>\n"
_CLOSING: Final = "\n</summary>"


Resolve = Callable[[Mapping[str, Any]], tuple[Provider, Model]]
"""Who answers for a selection of a model (`Providers.resolve`)."""


class SummaryUnusable(HdError):
    """The model gave no summary that could stand for what was said."""

    retry_helps = True


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why the history is summed up: by a command of a person with a `focus`, or by itself in a turn.

    `overflown` says that the provider refused the latest request as too long, whatever window it is known for.
    """

    command_id: str | None = None
    turn: int | None = None
    focus: str = ""
    overflown: bool = False

    def to_wire(self) -> dict[str, Any]:
        command = {} if self.command_id is None else {"sourceCommandId": self.command_id}
        return {"compactionId": new_id(), **command, "turn": self.turn}


@dataclass(frozen=True, slots=True)
class Compacted:
    """`messages` were summed up, or only shortened where `seq` is that of no summary but of a `compaction/prune`.

    `before` and `after` are the tokens of the next request. `prompts` is how many of the newest prompts stayed with all
    that followed them.
    """

    messages: int
    before: int
    after: int
    prompts: int
    seq: int


@dataclass(slots=True)
class _Try:
    """One try: its facts until it is known what came of it."""

    where: dict[str, Any]
    start: int
    answer: Partial = field(default_factory=Partial)


async def compact(
    session: LiveSession, resolve: Resolve, gate: Gate, occasion: Occasion, window: int
) -> Compacted | None:
    """Makes the history smaller; None when there is nothing to sum up.

    The model of the last request is asked, whose cache holds it; the chosen one where that is not to be had any more.
    By itself it first looks whether shortening old results is enough for a model with `window` tokens.
    `ProviderFailed`, `SummaryUnusable` and `BudgetReached` leave the history as it was; whoever asked by a command is
    told of a cap by its answer, in a turn a person is asked about it.
    """
    history: History = session.value("history")
    pressure: ContextPressure = session.value("contextPressure")
    found, pruned = cut(history), prune(history) if occasion.command_id is None else None
    enough = pruned is not None and not occasion.overflown and room.is_enough(pressure, window, pruned.tokens)
    if pruned is not None and (enough or found is None):
        return _record_pruned(session, pruned, occasion)
    if found is None:
        return None
    provider, model = _asked(session, resolve)
    wish = ask.instruction(occasion.focus)
    left = ask.requests(history, found, wish, pressure, model.context_window, overflown=occasion.overflown)
    while True:
        request = replace(left.pop(0)(), model=model.id)
        goes_on = session.value("cache").continues((provider.id, model.id))
        sending = Sending(session.value("contextPressure").projected, provider.id, model.id, goes_on)
        try:
            async with gate.passing(session, sending, asking=occasion.command_id is None):
                return await _once(session, provider, request, found, occasion, wish, last=not left)
        except (ProviderFailed, SummaryUnusable) as error:
            if not left or _code(error) not in FRUITLESS:
                raise


def _asked(session: LiveSession, resolve: Resolve) -> tuple[Provider, Model]:
    selection = session.value("modelSelection")
    try:
        return resolve(selection.last_used or {})
    except ModelUnavailable:
        return resolve(selection.next or {})


async def _once(
    session: LiveSession,
    provider: Provider,
    request: Request,
    found: Cut,
    occasion: Occasion,
    wish: str,
    *,
    last: bool,
) -> Compacted:
    where = occasion.to_wire()
    (start,) = session.record(Draft(ev.COMPACTION_START, {**where, "instruction": wish}))
    tried = _Try(where, start.seq)
    try:
        await _receive(provider, request, tried.answer)
    except BaseException as error:
        session.record(_failed(tried, error, provider, request, last=last))
        raise
    return _record_summary(session, tried, found, provider, request)


async def _receive(provider: Provider, request: Request, answer: Partial) -> None:
    try:
        async with aclosing(provider.stream(request)) as batches:
            async for chunks in batches:
                for chunk in chunks:
                    answer.feed(chunk)
    except ProviderError as error:
        raise ProviderFailed(f"The summary could not be written: {error.message} The history is unchanged.") from error
    kind = (answer.finish or {}).get("kind")
    if kind == "max-tokens" or not text_of(answer.blocks()).strip():
        what = "was cut off at the output limit" if kind == "max-tokens" else "came back empty"
        raise SummaryUnusable(f"The summary {what}. The history is unchanged; try /compact again.")


def _code(error: BaseException) -> str:
    if isinstance(error, SummaryUnusable):
        return "SUMMARY_UNUSABLE"
    cause = error.__cause__
    return cause.code if isinstance(cause, ProviderError) else "STOPPED"


def _failed(tried: _Try, error: BaseException, provider: Provider, request: Request, *, last: bool) -> Draft:
    code = _code(error)
    message = error.message if isinstance(error, HdError) else "stopped"
    data: dict[str, Any] = {**tried.where, "error": {"message": message, "code": code}}
    if tried.answer.usage is not None or tried.answer.blocks() or not isinstance(error, ProviderFailed):
        # It was not just refused, so it may be billed, whether it told or not.
        data |= {"provider": provider.id, "model": request.model}
    if code in FRUITLESS and not last:
        data["again"] = True
    if tried.answer.usage is not None:
        data["usage"] = tried.answer.usage
    return Draft(ev.COMPACTION_END, data)


def _record_summary(session: LiveSession, tried: _Try, found: Cut, provider: Provider, request: Request) -> Compacted:
    """The facts of a compaction that worked."""
    blocks = tried.answer.blocks()
    summary = text_of(blocks).strip()
    seq = session.state.seq + 1
    data: dict[str, Any] = {
        **{key: value for key, value in tried.where.items() if key != "turn"},
        "summary": [text_block(summary)],
        "rawOutput": blocks,
        "llmStreamCall": True,
        "shadowedRange": {"start": found.range.start, "end": found.range.end},
        "shadowedSeqs": list(found.seqs),
        "shadowedTokenCount": found.tokens,
        "provider": provider.id,
        "model": request.model,
    }
    if request.max_tokens is not None:
        data["maxTokens"] = request.max_tokens
    if tried.answer.usage is not None:
        data["usage"] = tried.answer.usage
    source = {key: value for key, value in tried.where.items() if key != "turn"}
    content = [text_block(f"{_kept(session, found)}{_OPENING}"), text_block(summary), text_block(_CLOSING)]
    message = user_message(content, {"kind": COMPACTED, **source})
    replacing = Draft(ev.USER_MESSAGE, message, found.range, (tried.start, seq, *found.seqs))
    before, after = _record(session, [Draft(ev.COMPACTION_SUMMARY, data), replacing], tried.where)
    return Compacted(len(found.seqs), before, after, found.prompts, seq)


def _record_pruned(session: LiveSession, pruned: Pruned, occasion: Occasion) -> Compacted:
    where = occasion.to_wire()
    session.record(Draft(ev.COMPACTION_START, where))
    seq = session.state.seq + 1
    before, after = _record(session, [Draft(ev.COMPACTION_PRUNE, {**where, **pruned.to_wire()})], where)
    return Compacted(len(pruned.results), before, after, 0, seq)


def _record(session: LiveSession, drafts: list[Draft], where: Mapping[str, Any]) -> tuple[int, int]:
    """Records them up to the end of the compaction; gives the tokens of the next request before and after.

    The first of them says these too, for whoever reads the log.
    """
    now: ContextPressure = session.value("contextPressure")
    then = now
    for draft in drafts:
        then = CONTEXT_PRESSURE.apply(then, Event(draft.type, 0, 0, draft.data, draft.surface))
    first, *others = drafts
    sizes = {"tokensBefore": now.projected, "tokensAfter": then.projected}
    session.record(replace(first, data={**first.data, **sizes}), *others, Draft(ev.COMPACTION_END, where))
    return now.projected, then.projected


def _kept(session: LiveSession, found: Cut) -> str:
    history: History = session.value("history")
    stays = {entry.seq for entry in history.entries} - set(found.seqs)
    goal = session.value("goal").goal
    objective = goal.objective if goal is not None and goal.phase != "complete" else None
    text = kept_text([p for p in history.prompts if p.seq not in stays], objective, session.value("todos") or ())
    return f"{text}\n\n" if text else ""
