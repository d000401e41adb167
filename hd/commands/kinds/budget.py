"""`/budget [AMOUNT|off]`: what the session may cost."""

from hd.commands.base import Command, Line, Said, refused
from hd.ledger.budget import CURRENCY, parse
from hd.protocol import events as ev
from hd.protocol.events import Draft
from pricing import plain


async def run(line: Line) -> Said:
    if not line.args:
        return Said(_told(line))
    if line.args == "off":
        amount = None
    else:
        try:
            amount = parse(line.args)
        except ValueError as error:
            return refused(f"{error} /budget off takes the cap away.")
    line.session.record(Draft(ev.BUDGET_SET, {"amount": None if amount is None else plain(amount)}))
    return Said(_told(line))


def _told(line: Line) -> str:
    cap, spent = line.session.value("budget"), line.session.view("cost")["amount"]
    if cap is None:
        return f"This session has no budget; it cost {spent} {CURRENCY} so far."
    return f"This session may cost {plain(cap)} {CURRENCY}; {spent} are spent. What could pass it is not sent."


COMMAND = Command("budget", "Says or sets what this session may cost.", run, "[<amount>|off]")
