"""The model requests of a session, folded from its log (pure).

Each request is billed once. Its records come as a failed attempt, as the message, or as both: a later record of the
same turn and step stands for the same request, until `llm/retry-started` says that a new one began. What a fork
inherited was billed in the session that it came from, so all up to an inherited `session/end-seed` is dropped.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as tags
from hd.protocol.billing import usage_of
from hd.protocol.events import Event
from pricing import tokens_of

Route = tuple[str, str]
Place = tuple[int, int]


_ANSWERS = frozenset({tags.ASSISTANT_MESSAGE, tags.ASSISTANT_ATTEMPT})


class Attempt(Struct, frozen=True):
    """One model request. `time` is when its record was logged (ms), which is when the request ended.

    `turn` and `step` are None on a request outside the turns, such as a compaction. `usage` is what the record carries,
    in the names of the wire, None where there was none.
    """

    seq: int
    time: int
    turn: int | None
    step: int | None
    provider: str
    model: str
    usage: Mapping[str, Any] | None


class Standing(Struct, frozen=True):
    """Where the reading of a log stands. `read` gives the same object back for an event that is not its own.

    `last` is the last request, whose record may still be replaced by a better one; `settled` is the one that the event
    before made final, if it did. All that was read is void when `last` is None again. `seeded` says that the log holds
    inherited events, `seed_ended` that their end was met: without it the requests cannot be told from those of the
    parent.
    """

    route: Route = ("", "")
    open_at: Place | None = None
    last: Attempt | None = None
    settled: Attempt | None = None
    seeded: bool = False
    seed_ended: bool = False

    @property
    def attributable(self) -> bool:
        return self.seed_ended or not self.seeded

    def read(self, event: Event) -> "Standing":
        if event.type in _ANSWERS:  # Most of them are.
            return self._record(_attempt(event, self.route))
        match event.type:
            case tags.REQUEST_CONTEXT:
                route = _route(event.data) or self.route
                return self if route == self.route else replace(self, route=route, settled=None)
            case tags.LLM_RETRY_STARTED:
                same = self.open_at == _place(event.data) is not None
                return replace(self, open_at=None, settled=None) if same else self
            case tags.SESSION_END_SEED if event.data.get("inherited") is True:
                return Standing(self.route, seeded=self.seeded, seed_ended=True)
            case tags.COMPACTION_SUMMARY | tags.COMPACTION_END if _is_billed(event):
                return self._begin(_attempt(event, _route(event.data) or self.route), None)
            case tags.SESSION_TITLE_LLM_USAGE:
                return self._aside(_attempt(event, _route(event.data) or self.route))
            case _:
                return self

    def _record(self, attempt: Attempt) -> "Standing":
        place = None if attempt.turn is None or attempt.step is None else (attempt.turn, attempt.step)
        last = self.last
        if place is None or place != self.open_at or last is None:
            return self._begin(attempt, place)
        if tokens_of(attempt.usage) is None and tokens_of(last.usage) is not None:
            return self
        return replace(self, last=attempt, settled=None)

    def _begin(self, attempt: Attempt, place: Place | None) -> "Standing":
        return Standing(self.route, place, attempt, self.last, self.seeded, self.seed_ended)

    def _aside(self, attempt: Attempt) -> "Standing":
        """With a request that ran beside the turns. The last one stays the last: its record may still be replaced, and
        what comes next is expected to cost by it."""
        return self._begin(attempt, None) if self.last is None else replace(self, settled=attempt)


class Ledger(Struct, frozen=True):
    """The requests of a log, in their order; `attributable` as in `Standing`."""

    attempts: tuple[Attempt, ...]
    attributable: bool


def fold(events: Iterable[Event], *, seeded: bool = False) -> Ledger:
    """The ledger of a log in the order of its seqs; a seq that comes again is passed over."""
    standing, settled, seq = Standing(seeded=seeded), list[Attempt](), -1
    for event in events:
        if event.seq <= seq:
            continue
        before, standing, seq = standing, standing.read(event), event.seq
        if standing is before:
            continue
        if standing.last is None:
            settled.clear()
        elif standing.settled is not None:
            settled.append(standing.settled)
    last = () if standing.last is None else (standing.last,)
    return Ledger((*settled, *last), standing.attributable)


def _attempt(event: Event, route: Route) -> Attempt:
    data = event.data
    message = data.get("message")
    source = message.get("source") if isinstance(message, (dict, Mapping)) else None
    provider, model = (_route(source) if isinstance(source, (dict, Mapping)) else None) or route
    place = _place(data)
    turn, step = place if place is not None else (None, None)
    return Attempt(event.seq, event.time, turn, step, provider, model, usage_of(data))


def _is_billed(event: Event) -> bool:
    """Whether a compaction's record is that of a request: it tells what it used, or it names at its end a model that
    was asked in vain."""
    data = event.data
    return isinstance(data.get("usage"), Mapping) or (event.type == tags.COMPACTION_END and "provider" in data)


def _route(source: Mapping[str, Any]) -> Route | None:
    provider, model = source.get("provider"), source.get("model")
    return (provider, model) if isinstance(provider, str) and isinstance(model, str) else None


def _place(data: Mapping[str, Any]) -> Place | None:
    turn, step = data.get("turn"), data.get("step")
    return (turn, step) if isinstance(turn, int) and isinstance(step, int) else None
