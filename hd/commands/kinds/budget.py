"""`/budget [turn|day] [AMOUNT|off]` and `/allow AMOUNT`: what a turn, the session or a day may cost."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from hd.agent.gate import Gate
from hd.commands.base import Command, Line, Said, refused
from hd.ledger.budget import Spent, no_price
from hd.ledger.caps import CURRENCY, TURN, Caps, parse, session_cap, turn_cap
from pricing import plain

DAY: Final = "day"
_NAME: Final = {"turn": "This turn", "session": "This session", "day": "All sessions of today"}


def commands(gate: Gate, keep: Callable[[Decimal | None], Awaitable[object]]) -> list[Command]:
    """`keep` puts the cap of a day into the settings of the home."""
    budget = _Budget(gate, keep)
    hint = f"[{TURN}|{DAY}] [<amount>|off]"
    return [
        Command("budget", "Says or sets what this session, a turn of it, or a day may cost.", budget.run, hint),
        Command("allow", "Lets this session cost so much more, whatever caps there are.", budget.allow, "<amount>"),
    ]


@dataclass(frozen=True, slots=True)
class _Budget:
    gate: Gate
    keep: Callable[[Decimal | None], Awaitable[object]]

    async def run(self, line: Line) -> Said:
        first, _, rest = line.args.partition(" ")
        scope, given = (first, rest.strip()) if first in (TURN, DAY) else ("", line.args)
        if given:
            try:
                await self._set(line, scope, None if given.casefold() == "off" else parse(given))
            except ValueError as error:
                return refused(f"{error} /budget {scope and f'{scope} '}off takes the cap away.")
        return Said(await (self._of_day(line) if scope == DAY else self._of_session(line)))

    async def allow(self, line: Line) -> Said:
        try:
            amount = parse(line.args)
        except ValueError as error:
            return refused(f"{error} /allow AMOUNT lets this session cost so much more.")
        raised = await self.gate.allow(line.session, amount)
        if not raised:
            return Said(f"No cap keeps this session from costing {plain(amount)} {CURRENCY} more.")
        return Said("\n".join(map(_raised, raised)))

    async def _set(self, line: Line, scope: str, amount: Decimal | None) -> None:
        match scope:
            case "day":
                await self.keep(amount)
            case "turn":
                line.session.record(turn_cap(amount))
            case _:
                line.session.record(session_cap(amount))
        self.gate.look()

    async def _of_day(self, line: Line) -> str:
        now = line.session.now()
        bill = await self.gate.today(now)
        spent, cap, today = f"{plain(bill.amount)} {CURRENCY}", self.gate.day.cap, self.gate.cap_of_day(now)
        if cap is None or today is None:
            return f"A day has no budget; all sessions cost {spent} today."
        allowed = f", and {plain(today)} today" if today != cap else ""
        may = f"All sessions together may cost {plain(cap)} {CURRENCY} a day{allowed}; {spent} are spent today."
        return f"{may} What could pass it is not sent."

    async def _of_session(self, line: Line) -> str:
        caps: Caps = line.session.value("budget")
        spent = f"{plain((await self.gate.spent(line.session)).amount)} {CURRENCY}"
        if caps == Caps(allowed=caps.allowed):
            return f"This session has no budget; it cost {spent} so far."
        of_turn = "" if caps.turn is None else f"A turn of this session may cost {plain(caps.turn)} {CURRENCY}"
        now = caps.of_turn(line.session.value("turn").number)
        if of_turn:
            of_turn += f", and the last one {plain(now)}. " if now is not None and now != caps.turn else ". "
        whole = f"The session cost {spent} so far."
        if caps.session is not None:
            whole = f"This session may cost {plain(caps.session)} {CURRENCY} with its sub-agents; {spent} are spent."
        return " ".join(filter(None, (f"{of_turn}{whole}", "What could pass it is not sent.", _doubt(line))))


def _raised(cap: Spent) -> str:
    return f"{_NAME[cap.scope]} may now cost {plain(cap.limit)} {CURRENCY}; {plain(cap.amount)} are spent or expected."


def _doubt(line: Line) -> str:
    """Why a cap cannot hold the model that is asked next; empty where it can."""
    selection = line.session.value("modelSelection")
    route = selection.next or selection.last_used or {}
    if "model" not in route:
        return ""
    tables = line.session.value("cost").tables
    return no_price(str(route.get("provider")), str(route["model"]), line.session.now(), tables)
