"""What the provider's prefix cache held of each request, and why not more (pure).

A request is read from the cache as far as it begins like an earlier one to the same model. Its usage says how much that
was; the log says what was sent, and so what differed: the tools, or messages that were replaced. A message that is in
the log never changes, so its seq stands for its content. Where nothing differed and yet little was read, the provider
no longer had it: no fold can see that coming, and its word counts.
"""

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from hd.billing.fold import Attempt, Route, Standing
from hd.protocol import events as tags
from hd.protocol.events import Event, Replace
from hd.protocol.projections.base import Projection
from pricing import PriceTable, Tokens, estimate, plain, tokens_of

LEAST_LOSS: Final = 128
"""Tokens. Less is no loss: the cache holds whole blocks, and the last one of a request is seldom full."""

SHOWN: Final = 20
"""Requests that clients are shown."""

Segment = Literal["first", "model", "tools", "system", "message", "parameters"]
"""What of a request was other than before: it was the first one, or the first one to this model; its tools; its system
message or another one; or, behind all messages, how hard the model was to think."""


class Head(Struct, frozen=True):
    """What stands around the messages of a request; `tools` is a digest."""

    effort: str = ""
    tools: str = ""


class Difference(Struct, frozen=True):
    """The first segment that is not as in the request before. Of a message: its seq, and the kind of its source."""

    segment: Segment
    seq: int | None = None
    kind: str = ""

    def to_wire(self) -> dict[str, Any]:
        return {"segment": self.segment, **({} if self.seq is None else {"seq": self.seq, "kind": self.kind})}


class Replaced(Struct, frozen=True):
    """The event at `seq` put a message of this kind in the place of those from `start` on."""

    seq: int
    start: int
    kind: str
    role: str


class Sent(Struct, frozen=True):
    """The latest request to a model that was answered, by the seq of its record; `tokens` is what it held."""

    seq: int
    head: Head
    tokens: int


class Row(Struct, frozen=True):
    """One request. `lost` are the tokens that the one before had sent too and that were yet not read from the cache.

    `before` is what that one held, `tokens` None where the provider told none; `amount` is what the loss cost, in
    `currency`, None without a price.
    """

    attempt: Attempt
    tokens: Tokens | None
    before: int
    difference: Difference | None
    lost: int = 0
    amount: Decimal | None = None
    currency: str = ""

    @property
    def hit(self) -> int:
        return 0 if self.tokens is None else self.tokens.cache_read

    @property
    def miss(self) -> int:
        return 0 if self.tokens is None else self.tokens.input + self.tokens.cache_write

    def to_wire(self) -> dict[str, Any]:
        return {
            "seq": self.attempt.seq,
            "time": self.attempt.time,
            "turn": self.attempt.turn,
            "step": self.attempt.step,
            "model": self.attempt.model,
            "hit": self.hit,
            "miss": self.miss,
            "lost": self.lost,
            "amount": None if self.amount is None else plain(self.amount),
            "difference": None if self.difference is None else self.difference.to_wire(),
        }


class Totals(Struct, frozen=True):
    """Sums over requests, in tokens; `amount` is what the losses of those with a price cost."""

    requests: int = 0
    hit: int = 0
    miss: int = 0
    lost: int = 0
    amount: Decimal = Decimal(0)
    currency: str = "CNY"

    def plus(self, row: Row) -> "Totals":
        if row.tokens is None:
            return self
        extra = row.amount if row.amount is not None and row.currency == self.currency else Decimal(0)
        return Totals(
            self.requests + 1,
            self.hit + row.hit,
            self.miss + row.miss,
            self.lost + row.lost,
            self.amount + extra,
            self.currency,
        )


class Cache(Struct, frozen=True):
    """`standing` holds the last request, `rows` are the newest ones with it at the end.

    `settled` sums up all requests but the last, whose record may yet be replaced by a better one.
    """

    standing: Standing = field(default_factory=Standing)
    head: Head = field(default_factory=Head)
    sent: Mapping[Route, Sent] = field(default_factory=dict)
    replaced: tuple[Replaced, ...] = ()
    rows: tuple[Row, ...] = ()
    settled: Totals = field(default_factory=Totals)
    tables: PriceTable | None = None

    @property
    def totals(self) -> Totals:
        return self.settled.plus(self.rows[-1]) if self.rows else self.settled

    def continues(self, route: Route) -> bool:
        """Whether the next request to that model would begin with all that the last one had sent to it."""
        last = self.sent.get(route)
        return last is not None and not any(one.seq > last.seq for one in self.replaced)


def _header(state: Cache, event: Event) -> Cache:
    header: Mapping[str, Any] = event.data.get("header") or {}
    config: Mapping[str, Any] = header.get("config") or {}
    tools = hashlib.sha256(msgspec.json.encode(header.get("tools") or [])).hexdigest()[:16]
    head = Head(str(config.get("reasoningEffort") or ""), tools)
    return state if head == state.head else replace(state, head=head)


def _message(state: Cache, event: Event) -> Cache:
    if not isinstance(event.surface, Replace):
        return state
    message: Mapping[str, Any] = event.data.get("message") or event.data
    kind = str((message.get("source") or {}).get("kind") or "")
    return _with(state, Replaced(event.seq, event.surface.start, kind, str(message.get("role") or "")))


def _pruned(state: Cache, event: Event) -> Cache:
    """Results that were made shorter where they stand."""
    seqs = [result["seq"] for result in event.data.get("results") or () if isinstance(result.get("seq"), int)]
    return _with(state, Replaced(event.seq, min(seqs), "tool", "tool")) if seqs else state


def _with(state: Cache, one: Replaced) -> Cache:
    """With one more, and without those that no request is held against any more."""
    oldest = min((sent.seq for sent in state.sent.values()), default=one.seq)
    return replace(state, replaced=(*(old for old in state.replaced if old.seq > oldest), one))


def _billed(state: Cache, event: Event) -> Cache:
    before, after = state.standing, state.standing.read(event)
    if after is before:
        return state
    if after.last is None:
        return replace(state, standing=after, rows=(), settled=Totals())
    state = replace(state, standing=after)
    if after.last is before.last:
        return state
    if before.last is None or after.settled is not None:
        return _added(state, after.last, event.seq)
    last = state.rows[-1]
    row = _row(after.last, last.before, last.difference, state.tables)
    return _noted(replace(state, rows=(*state.rows[:-1], row)), row, event.seq)


def _added(state: Cache, attempt: Attempt, seq: int) -> Cache:
    route = (attempt.provider, attempt.model)
    last = state.sent.get(route)
    if last is None and state.sent:
        # What another model has read is of no use to this one; it is yet what the change of the model costs.
        last = max(state.sent.values(), key=lambda sent: sent.seq)
    row = _row(attempt, 0 if last is None else last.tokens, difference(state, route), state.tables)
    return _noted(replace(state, settled=state.totals, rows=(*state.rows, row)[-SHOWN:]), row, seq)


def _noted(state: Cache, row: Row, seq: int) -> Cache:
    """With the request as the one that the next is held against; one without usage may never have been read."""
    if row.tokens is None:
        return state
    route = (row.attempt.provider, row.attempt.model)
    return replace(state, sent={**state.sent, route: Sent(seq, state.head, row.hit + row.miss)})


def difference(state: Cache, route: Route) -> Difference | None:
    """What of a request that is sent now is not as in the last one to that model; None where it only goes on."""
    last = state.sent.get(route)
    if last is None:
        return Difference("model" if state.sent else "first")
    if state.head.tools != last.head.tools:
        return Difference("tools")
    since = [one for one in state.replaced if one.seq > last.seq]
    if since:
        first = min(since, key=lambda one: one.start)
        return Difference("system" if first.role == "system" else "message", first.start, first.kind)
    return Difference("parameters") if state.head.effort != last.head.effort else None


def _row(attempt: Attempt, before: int, found: Difference | None, tables: PriceTable | None) -> Row:
    tokens = tokens_of(attempt.usage)
    if tokens is None:
        return Row(attempt, None, before, found)
    missing = min(before, tokens.input + tokens.cache_read + tokens.cache_write) - tokens.cache_read
    if missing < LEAST_LOSS:
        return Row(attempt, tokens, before, found)
    amount, currency = _cost_of_loss(attempt, tokens, missing, tables)
    return Row(attempt, tokens, before, found, missing, amount, currency)


def _cost_of_loss(attempt: Attempt, tokens: Tokens, lost: int, tables: PriceTable | None) -> tuple[Decimal | None, str]:
    """What the request cost, less what it would have cost with the lost tokens read from the cache."""
    read = {
        "inputTokens": max(0, tokens.input - lost),
        "cacheReadTokens": tokens.cache_read + min(lost, tokens.input),
        "cacheWriteTokens": tokens.cache_write,
        "outputTokens": tokens.output,
    }
    real, best = (
        estimate(usage, provider=attempt.provider, model=attempt.model, at_ms=attempt.time, tables=tables)
        for usage in (attempt.usage, read)
    )
    if real.amount is None or best.amount is None:
        return None, real.currency
    return real.amount - best.amount, real.currency


def _view(state: Cache) -> dict[str, Any]:
    totals = state.totals
    return {
        "requests": totals.requests,
        "hit": totals.hit,
        "miss": totals.miss,
        "lost": totals.lost,
        "amount": plain(totals.amount),
        "currency": totals.currency,
        "rows": [row.to_wire() for row in state.rows if row.tokens is not None],
    }


def _answer(state: Cache, event: Event) -> Cache:
    return _message(_billed(state, event), event)


def cache_projection(tables: PriceTable | None = None) -> Projection[Cache]:
    """The projection with the prices by which losses are told; None for those that come with the program."""
    return Projection("cache", Cache(tables=tables), _HANDLERS, _view)


_HANDLERS: Final = {
    tags.REQUEST_HEADER: _header,
    tags.REQUEST_CONTEXT: _billed,
    tags.SYSTEM_MESSAGE: _message,
    tags.USER_MESSAGE: _message,
    tags.TOOL_RESULT: _message,
    tags.ASSISTANT_MESSAGE: _answer,
    tags.ASSISTANT_ATTEMPT: _billed,
    tags.LLM_RETRY_STARTED: _billed,
    tags.SESSION_END_SEED: _billed,
    tags.COMPACTION_SUMMARY: _billed,
    tags.COMPACTION_END: _billed,
    tags.COMPACTION_PRUNE: _pruned,
}
