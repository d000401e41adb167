"""Reading one log down to what is known of it: what to ask `session/page` for next, and what came. Pure.

What was recorded never changes, so the first reading goes down to the beginning, and each later one to where the one
before it began. A host bounds a page by its number of messages, not by a seq; so only a few are asked for where little
is new. Pages are read and no session is followed where that can be: official hosts load a session that somebody follows
and write to its log (WIRE 7.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hd.protocol.billing import TYPES, trimmed
from hd.protocol.events import Event
from htui.errors import ProtocolBroken
from htui.mirror.records import events_of

MESSAGES: Final = 80
"""Messages of a page at most."""

MOST_PAGES: Final = 1000
"""A log that is longer than so many pages is not reckoned."""

_EVENTS_A_MESSAGE: Final = 5
"""Events that come with a message, roughly: its step, its calls, its turn."""


@dataclass(frozen=True, slots=True)
class End:
    """Looks for the last event of a log: the event `sure` is there, `beyond` is not, None while nothing is known of it.

    A list may tell of less than was logged, and to ask for more than there is is refused. So one asks for the next
    event, and where there is one for others further on.
    """

    sure: int
    beyond: int | None = None
    step: int = 1

    @property
    def probe(self) -> int | None:
        """The event to ask for; None when `sure` is the last one."""
        if self.beyond is None:
            return self.sure + self.step
        return None if self.beyond - self.sure <= 1 else (self.sure + self.beyond) // 2

    def found(self, asked: int, value: Any) -> "End":
        """With the page that ends with the event `asked`; some hosts may give what there is and refuse nothing."""
        events = _events(value)
        last = events[-1].seq if events else self.sure
        if last < asked:
            return End(max(last, self.sure), max(last, self.sure) + 1)
        return replace(self, sure=asked, step=self.step * 2)

    def refused(self, asked: int) -> "End":
        return replace(self, beyond=asked)


@dataclass(frozen=True, slots=True)
class Reading:
    """A log up to the event `end`, of which what lies at `first` and above was read, and what lies up to `seen` was
    known before. `parts` are the records that are billed by, the latest part first."""

    end: int
    first: int
    seen: int
    more: bool = True
    parts: tuple[tuple[Event, ...], ...] = ()

    @property
    def joined(self) -> bool:
        """Whether nothing is missing between what was known and the end."""
        return self.first <= self.seen + 1 or not self.more

    def request(self) -> dict[str, Any]:
        """What to ask for, beside the address."""
        missing = self.first - 1 - self.seen
        messages = MESSAGES if self.seen < 0 else min(MESSAGES, -(-missing // _EVENTS_A_MESSAGE))
        below = {} if self.first > self.end else {"beforeSeq": self.first}
        return {"throughSeq": self.end, **below, "maxMessages": messages}

    def events(self) -> list[Event]:
        """What is new, trimmed to what is billed by, in order."""
        return [event for part in reversed(self.parts) for event in part]

    def page(self, value: Any) -> "Reading":
        """With the page that was asked for; `ProtocolBroken` where it does not join."""
        if len(self.parts) >= MOST_PAGES:
            raise ProtocolBroken(f"The log is longer than {MOST_PAGES * MESSAGES:,} messages.")
        events = _events(value)
        more = isinstance(value, Mapping) and value.get("hasMore") is True
        if not events:
            if more or self.seen >= 0:
                raise ProtocolBroken("The host sent nothing of a log of which there is more.")
            return replace(self, more=False)
        if events[-1].seq != self.first - 1:
            raise ProtocolBroken(f"The host sent a page up to {events[-1].seq} where {self.first - 1} was due.")
        return replace(self, first=events[0].seq, more=more, parts=(*self.parts, _billed(events, self.seen)))


def reading(end: int, seen: int) -> Reading:
    """The reading of a log whose last event is `end`."""
    return Reading(end, end + 1, seen)


def _events(value: Any) -> list[Event]:
    return events_of(value.get("records") if isinstance(value, Mapping) else None)


def _billed(events: Sequence[Event], seen: int) -> tuple[Event, ...]:
    return tuple(trimmed(event) for event in events if event.seq > seen and event.type in TYPES)
