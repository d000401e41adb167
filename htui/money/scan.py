"""Reads the logs of a host's sessions, one at a time and as far as they are new, and keeps what they cost.

What takes long, to fold and to add up, is done beside the event loop, so that no key waits for it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Final, Protocol

from msgspec.structs import replace

from hd.billing.summary import periods, summary_of
from hd.protocol import codes
from hd.protocol.events import Event
from htui.errors import HtuiError, RemoteError
from htui.link.changes import LinkStatus
from htui.link.threads import beside
from htui.mirror import HostMirror
from htui.money import log
from htui.money.account import Account, opened
from htui.money.log import RemoteLog
from htui.money.looks import Listed, due, in_window, listed
from htui.money.reading import reading
from htui.money.store import Store, part_of
from htui.present.reckoned import Progress
from pricing import PriceTable

SUMS_EVERY: Final = 2.0
"""Seconds after which the sums are made anew while sessions are being read; the last one makes them in any case."""

_FILES: Final = 16
"""Sessions whose files are read at a time."""


class Host(log.Host, Protocol):
    """`htui.link.link.Link`, as far as it is needed here."""

    host: HostMirror
    status: LinkStatus


class Scan:
    """What is known of the sessions of one host.

    `accounts` are those of the sessions that were read, `summary` what they cost together in the form of
    `money/summary` (None before that is known), `progress` says how far the whole is. `told` is called when one of them
    is another one.
    """

    def __init__(
        self, host: Host, store: Store, tables: PriceTable, now: Callable[[], int], told: Callable[[], None]
    ) -> None:
        self.accounts: dict[str, Account] = {}
        self.summary: Mapping[str, Any] | None = None
        self.progress = Progress()
        self.tables = tables
        self._host = host
        self._store = store
        self._now = now
        self._told = told
        self._shown: tuple[str, ...] = ()
        """The sessions that are reckoned with, as the host lists them."""
        self._failed: dict[str, str] = {}
        self._stirred: set[str] = set()
        self._current: set[str] = set()
        """Sessions whose figures are of this run, and not only what an earlier one kept."""
        self._old = 0
        self._since = 0
        self._met: set[str] = set()
        """Sessions whose files were looked for."""
        self._summed_of: tuple[date, dict[str, int]] | None = None
        """The day and how far each session was read, of which the sums are."""
        self._summed = -SUMS_EVERY
        """When the sums were made last (s of the loop)."""

    async def look(self, selected: Callable[[], str | None]) -> None:
        """Reads what is new, of the session that is `selected` first. `HtuiError` when the host cannot be asked;
        what was read until then counts."""
        asked, mirror = self._since, self._host.host
        self._since = mirror.asking()
        self._stirred |= mirror.announced(asked)
        value = await self._host.call("session/list", _request={})
        rows = await beside(partial(listed, value))
        shown = in_window(rows, selected(), self._now())
        await self._load([row.session_id for row in shown])
        self._shown = tuple(row.session_id for row in shown)
        self._failed = {known: why for known, why in self._failed.items() if known in self._shown}
        marks = {known: account.mark for known, account in self.accounts.items()}
        waiting = due(shown, marks, self._stirred | set(self._failed))
        self._current |= set(self._shown) - {row.session_id for row in waiting}
        self._old = len(rows) - len(shown)
        try:
            self._tell(looking=True)
            while waiting:
                first = selected()
                row = next((row for row in waiting if row.session_id == first), waiting[0])
                waiting.remove(row)
                await self._try(row)
                if asyncio.get_running_loop().time() - self._summed >= SUMS_EVERY:
                    await self._sum()
            await self._sum()
        finally:
            self._tell(looking=False)

    async def _try(self, row: Listed) -> None:
        """Reads a session; one that cannot be read is counted, and the rest goes on."""
        session_id = row.session_id
        try:
            await self._read(row)
        except HtuiError as error:
            if self._host.status.phase != "online":
                raise
            self._failed[session_id] = error.message
        else:
            self._failed.pop(session_id, None)
            self._stirred.discard(session_id)
            self._current.add(session_id)
        self._tell(looking=True)

    async def _read(self, row: Listed) -> None:
        remote, known = RemoteLog(self._host, row.entry), self.accounts.get(row.session_id)
        end, seeded = await self._end(remote, row, known)
        before = self._base(known, end, seeded=seeded)
        try:
            events = await self._new(remote, before.seen, end)
        except RemoteError as error:
            if error.code != codes.BAD_REQUEST:
                raise
            end, seeded = await remote.snapshot()  # The log is shorter than was told.
            before = self._base(known, end, seeded=seeded)
            events = await self._new(remote, before.seen, end)
        account = replace(await beside(partial(before.grown, events, end)), mark=row.mark)
        if known is not None and (account.seen, account.mark) == (known.seen, known.mark):
            return
        self.accounts[row.session_id] = account
        above, seeded = before.seen, account.seeded
        part = part_of(row.session_id, seeded=seeded, above=above, seen=end, mark=row.mark, events=events)
        await beside(partial(self._store.add, part))

    async def _end(self, remote: RemoteLog, row: Listed, known: Account | None) -> tuple[int, bool]:
        """The last event of a log, and whether it is a fork's, which only a snapshot tells."""
        forked = row.entry.parent is not None and row.entry.origin is None
        told = row.mark.as_of
        if told < 0 or (forked and known is None):
            return await remote.snapshot()
        seeded = known is not None and known.seeded
        if row.exact:
            return told, seeded
        return await remote.end(told if known is None else max(told, known.seen)), seeded

    def _base(self, account: Account | None, end: int, *, seeded: bool) -> Account:
        """What to go on from: nothing where the log is shorter than what was read, as one that was put back."""
        if account is not None and account.seen <= end:
            return account
        return opened(seeded=seeded, tables=self.tables)

    async def _new(self, remote: RemoteLog, seen: int, end: int) -> list[Event]:
        now = reading(end, seen)
        while not now.joined:
            now = await remote.further(now)
            self._tell(looking=True, events=end - now.first + 1, of=end - seen)
        return now.events()

    async def _load(self, session_ids: Sequence[str]) -> None:
        """Takes over what earlier clients read, before anything is asked for."""
        if not self._met:
            await beside(self._store.clear)
        wanted = [known for known in session_ids if known not in self._met]
        for at in range(0, len(wanted), _FILES):
            group = wanted[at : at + _FILES]
            self.accounts |= await beside(partial(self._kept, group))
            self._met.update(group)

    def _kept(self, session_ids: Sequence[str]) -> dict[str, Account]:
        found = {}
        for session_id in session_ids:
            parts = self._store.load(session_id)
            if parts:
                account = opened(seeded=parts[0].seeded, tables=self.tables)
                for part in parts:
                    account = account.grown([record.event() for record in part.records], part.seen)
                found[session_id] = replace(account, mark=parts[-1].mark)
        return found

    async def _sum(self) -> None:
        """Makes the sums anew where they are others: by what was read, or by the day."""
        now = self._now()
        shown = [known for known in self._shown if known in self.accounts]
        of = periods(now)["today"].first, {known: self.accounts[known].seen for known in shown}
        if of == self._summed_of:
            return
        costs = [self.accounts[known].cost for known in shown]
        self.summary, self._summed_of = await beside(partial(summary_of, costs, now)), of
        self._summed = asyncio.get_running_loop().time()
        self._told()

    def _tell(self, *, looking: bool, events: int = 0, of: int = 0) -> None:
        read = sum(1 for known in self._shown if known in self._current and known not in self._failed)
        why = next(iter(self._failed.values()), "")
        self.progress = Progress(read, len(self._shown), len(self._failed), why, self._old, looking, events, of)
        self._told()
