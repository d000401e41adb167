"""The books of a home, kept up to date from its store."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from hd.billing.bill import Bill
from hd.ledger.books import Books, explain
from hd.protocol.billing import Records
from pricing import PriceTable

T = TypeVar("T")


class Source(Protocol):
    """Where the records are (`hd.session.store`)."""

    async def records(self, seen: Mapping[str, int], only: str | None = None) -> Sequence[Records]: ...


class Accounts:
    """Answers what all sessions cost. The first answer adds up the past, in a thread; later ones what is new."""

    def __init__(self, source: Source, clock: Callable[[], int], tables: PriceTable | None = None) -> None:
        self._source = source
        self._clock = clock
        self._tables = tables
        self._books = Books(tables)
        self._lock = asyncio.Lock()

    async def summary(self) -> dict[str, Any]:
        """The answer of `money/summary` (`hd.ledger.books`)."""
        return await self._asked(lambda: self._books.summary(self._clock()))

    async def today(self, now: int) -> Bill:
        """What all sessions cost on the day of `now` (ms) in Beijing."""
        return await self._asked(lambda: self._books.today(now))

    async def of(self, session_ids: Sequence[str]) -> Bill:
        """What these sessions cost together."""
        return await self._asked(lambda: self._books.of(session_ids))

    async def _asked(self, question: Callable[[], T]) -> T:
        """The answer of the books after they grew by what is new. Who is cancelled leaves when the thread is done: the
        books have one writer."""

        def grown(new: Sequence[Records]) -> T:
            self._books.grow(new)
            return question()

        async with self._lock:
            new = await self._source.records(self._books.seen)
            growing = asyncio.ensure_future(asyncio.to_thread(grown, new))
            try:
                return await asyncio.shield(growing)
            except asyncio.CancelledError:
                await asyncio.wait({growing})
                raise

    async def explain(self, session_id: str) -> dict[str, Any]:
        """Every request of one session with its price; an unknown session asked nothing."""
        found = await self._source.records({}, session_id)
        records = found[0] if found else Records(session_id, False, [], -1)
        return await asyncio.to_thread(explain, records, self._tables)
