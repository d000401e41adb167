"""`/cache`: what the provider read from its prefix cache, request by request, and what stood in the way."""

from decimal import Decimal

from hd.commands.base import Command, Line, Said
from hd.ledger.cache import Cache, Difference, Row
from pricing import plain


async def run(line: Line) -> Said:
    return Said(report(line.session.value("cache")))


def report(cache: Cache) -> str:
    totals = cache.totals
    if not totals.requests:
        return "No request of this session told yet what was read from the cache."
    sent = totals.hit + totals.miss
    head = (
        f"{totals.requests} requests: {totals.hit:,} of {sent:,} tokens were read from the cache "
        f"({_share(totals.hit, sent)}). {_loss(totals.lost, totals.amount, totals.currency)}"
    )
    known = [row for row in cache.rows if row.tokens is not None]
    return "\n".join([head, *map(_line, known)])


def _share(part: int, whole: int) -> str:
    """Rounded down, so that only all of it is 100 %."""
    return f"{part * 1000 // whole / 10:g} %" if whole else "0 %"


def _loss(lost: int, amount: Decimal, currency: str) -> str:
    if not lost:
        return "Nothing that was sent before had to be read anew."
    return f"{lost:,} tokens that were sent before were read anew, for {plain(amount)} {currency}."


def _line(row: Row) -> str:
    attempt = row.attempt
    place = "compaction" if attempt.turn is None else f"turn {attempt.turn}.{attempt.step}"
    lost = ""
    if row.lost:
        price = "" if row.amount is None else f" for {plain(row.amount)} {row.currency}"
        lost = f"; {row.lost:,} read anew{price}"
    return f"  {place}: {row.hit:,} read, {row.miss:,} new{lost}{_why(row)}"


def _why(row: Row) -> str:
    if row.difference is not None:
        return f" ({told(row.difference)})"
    return " (nothing sent before was changed: the provider no longer had it)" if row.lost else ""


def told(found: Difference) -> str:
    """What was other than in the request before, for people."""
    match found.segment:
        case "first":
            return "the first request"
        case "model":
            return "the first request to this model, which has a cache of its own"
        case "tools":
            return "the tools were changed"
        case "system":
            return "the system prompt was changed"
        case "parameters":
            return "the effort was changed, which stands behind the messages"
        case "message":
            return f"from message #{found.seq} on: {_KINDS.get(found.kind, f'replaced by {found.kind}')}"


_KINDS = {"compact-checkpoint": "summed up by a compaction", "tool": "results of tools were shortened"}


COMMAND = Command("cache", "Says what was read from the provider's cache, and what broke it.", run)
