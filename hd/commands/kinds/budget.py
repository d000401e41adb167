"""`/budget [day] [AMOUNT|off]`: what the session, or all sessions in a day, may cost."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from hd.commands.base import Command, Line, Said, refused
from hd.ledger.budget import CURRENCY, parse
from hd.ledger.day import DayCap
from hd.protocol import events as ev
from hd.protocol.events import Draft
from pricing import plain

HINT: Final = "[day] [<amount>|off]"


def command(day: DayCap, keep: Callable[[str | None], Awaitable[object]]) -> Command:
    """`keep` puts the cap of a day into the settings of the home."""
    return Command("budget", "Says or sets what this session, or a day, may cost.", _Budget(day, keep).run, HINT)


@dataclass(frozen=True, slots=True)
class _Budget:
    day: DayCap
    keep: Callable[[str | None], Awaitable[object]]

    async def run(self, line: Line) -> Said:
        word, _, rest = line.args.partition(" ")
        if word == "day":
            return await self._of_day(line, rest.strip())
        if not line.args:
            return Said(_told(line))
        try:
            amount = _amount(line.args)
        except ValueError as error:
            return refused(f"{error} /budget off takes the cap away.")
        line.session.record(Draft(ev.BUDGET_SET, {"amount": None if amount is None else plain(amount)}))
        return Said(_told(line))

    async def _of_day(self, line: Line, args: str) -> Said:
        if args:
            try:
                amount = _amount(args)
            except ValueError as error:
                return refused(f"{error} /budget day off takes the cap away.")
            await self.keep(None if amount is None else plain(amount))
        bill = await self.day.today(line.session.now())
        spent = f"{plain(bill.amount)} {CURRENCY}"
        if self.day.cap is None:
            return Said(f"A day has no budget; all sessions cost {spent} today.")
        cap = f"{plain(self.day.cap)} {CURRENCY}"
        return Said(
            f"All sessions together may cost {cap} a day; {spent} are spent today. What could pass it is not sent."
        )


def _amount(text: str) -> Decimal | None:
    return None if text == "off" else parse(text)


def _told(line: Line) -> str:
    cap, spent = line.session.value("budget"), line.session.view("cost")["amount"]
    if cap is None:
        return f"This session has no budget; it cost {spent} {CURRENCY} so far."
    return f"This session may cost {plain(cap)} {CURRENCY}; {spent} are spent. What could pass it is not sent."
