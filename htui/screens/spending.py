"""What the sessions of the host cost: as it tells, and reckoned here where it tells nothing.

A host that tells it is asked once a connection and when a turn has ended. Of one that does not, the logs are read
(`htui.money`), each only as far as it is new: once a connection, every minute, when a session went idle and for
`/cost`; on a slow line for `/cost` alone. What it takes for that is loaded when it is needed: most hosts tell it.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from hd.protocol import codes
from htui.errors import HtuiError, RemoteError
from htui.link.threads import beside
from htui.mirror import SessionMirror
from htui.present.reckoned import Reckoned, priced, reckoned_summary

if TYPE_CHECKING:
    from htui.money.scan import Scan
    from htui.screens.conversation import Conversation
    from htui.screens.desk import Desk
    from pricing import PriceTable

LOOK_EVERY: Final = 60.0
"""Seconds between two looks at all sessions."""

PAUSE: Final = 5.0
"""The same where sessions go idle all the time."""


class Work(Protocol):
    """Something that runs (a worker of Textual)."""

    @property
    def is_finished(self) -> bool: ...
    def cancel(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Places:
    """`accounts`: the folder of what was read of logs. `prices`: the file of a person's own prices, which may miss."""

    accounts: Path
    prices: Path


class Spending:
    """`told` is called when other figures are to be shown; `start` runs something until the program ends."""

    def __init__(
        self,
        desk: "Desk",
        places: Places,
        start: Callable[[Coroutine[Any, Any, None]], Work],
        told: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._places = places
        self._start = start
        self._told = told
        self._conversation: Conversation | None = None
        """The one in sight."""
        self._host_tells: Mapping[str, Any] | None = None
        self._tells_none: str | None = None
        """The connection on which the host does not tell it."""
        self._asked: tuple[str, bool] | None = None
        """On which connection it was asked last, and whether the session in sight ran then."""
        self._scan: Scan | None = None
        self._own = False
        self._trouble = ""
        self._work: Work | None = None
        self._again = False
        self._panel = False
        """Whether the panel that shows it is open."""
        self._for_panel = False
        self._looked = 0.0
        self._ran: frozenset[str] = frozenset()
        self._ended = False
        """Whether a session went idle since the last look."""

    @property
    def reckoned(self) -> Reckoned | None:
        """How far what is shown was reckoned here; None where the host tells it."""
        if self._tells_none is None:
            return None
        return Reckoned(trouble=self._trouble) if self._scan is None else self._by(self._scan)

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """What all sessions cost, in the form of `money/summary`; None where it is unknown or not kept up to date."""
        if self._tells_none is None:
            return self._host_tells
        if self._scan is None or (self._desk.pace.low and not self._panel):
            return None
        found = self._scan.summary
        return None if found is None else reckoned_summary(found, self._by(self._scan))

    def cost_of(self, mirror: SessionMirror) -> Any:
        """What a session cost, in the form of `cost`."""
        if self._tells_none is None or self._scan is None:
            return mirror.cost()
        value = mirror.cost(self._scan.accounts.get(mirror.session_id), self._scan.tables)
        return None if value is None else priced(value, self._by(self._scan))

    def shown(self, conversation: "Conversation") -> None:
        """A session is in sight, as it is now."""
        self._conversation = conversation
        link = self._desk.link
        if link.status.phase != "online":
            return
        before, self._asked = self._asked, (link.host.client_id, conversation.running)
        ended = before is not None and before[1] and not conversation.running
        if before is None or before[0] != link.host.client_id or (ended and self._tells_none is None):
            self._wish()

    def tick(self) -> None:
        """A second passed."""
        link = self._desk.link
        if self._tells_none != link.host.client_id or self._desk.pace.low or link.status.phase != "online":
            return
        running = frozenset(entry.session_id for entry in link.host.sessions if entry.running)
        self._ended |= bool(self._ran - running)
        self._ran = running
        since = self._desk.moment() - self._looked
        if since >= LOOK_EVERY or (self._ended and since >= PAUSE):
            self._wish()

    def opened(self) -> None:
        """The panel opens; what it asks for ends with it."""
        self._panel = True
        self._for_panel = self._idle
        self._wish()

    def closed(self) -> None:
        """The panel is gone."""
        if self._for_panel and self._tells_none is not None and self._work is not None:
            self._work.cancel()
            self._work = None
        self._panel = self._for_panel = False

    def _wish(self) -> None:
        """Has everything brought up to date, once more where that is being done."""
        self._again = True
        if self._idle:
            self._work = self._start(self._run())

    @property
    def _idle(self) -> bool:
        return self._work is None or self._work.is_finished

    async def _run(self) -> None:
        while self._again:
            self._again = False
            try:
                if await self._is_told():
                    self._told()
                elif self._panel or not self._desk.pace.low:
                    await self._look()
            except HtuiError:
                continue  # A host that cannot answer tells less; it is asked again when something was done.

    async def _is_told(self) -> bool:
        """Asks the host, unless it is known that it does not tell."""
        link = self._desk.link
        client = link.host.client_id
        if self._tells_none == client:
            return False
        try:
            summary = await link.call("money/summary")
        except RemoteError as error:
            if error.code != codes.INVOCATION_UNAVAILABLE:
                raise
            self._tells_none = client
            return False
        self._tells_none = None
        self._host_tells = summary if isinstance(summary, Mapping) else self._host_tells
        return True

    async def _look(self) -> None:
        self._looked, self._ended = self._desk.moment(), False
        if self._scan is None:
            self._scan = await self._made()
        await self._scan.look(self._selected)

    async def _made(self) -> "Scan":
        tables, self._trouble = await beside(partial(_loaded, self._places.prices))
        self._own = not self._trouble and self._places.prices.exists()
        if self._trouble and self._conversation is not None:
            self._conversation.say(self._trouble, "warning")
        from htui.money.scan import Scan
        from htui.money.store import Store

        desk = self._desk
        return Scan(desk.link, Store(self._places.accounts), tables, desk.now, self._told)

    def _selected(self) -> str | None:
        return None if self._conversation is None else self._conversation.session_id

    def _by(self, scan: "Scan") -> Reckoned:
        return Reckoned(scan.progress, self._own, self._trouble)


def _loaded(own: Path) -> "tuple[PriceTable, str]":
    """The prices, and what is wrong with the person's own. With such the shipped ones count: nobody is kept from work
    by a figure; it is said once, and every sum is marked.

    All that a reckoning takes is loaded with it, which takes a while and is to be done beside the event loop.
    """
    import htui.money.scan
    import htui.money.store  # noqa: F401
    from hd.billing.prices import prices_with
    from pricing import PriceError, shipped

    try:
        return prices_with(own), ""
    except PriceError as error:
        return shipped(), f"{error}. The shipped prices count until it is corrected and htui started again."
