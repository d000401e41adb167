"""`/compact`: sums up the older part of a session to make room in the context."""

from decimal import Decimal
from typing import Any

from hd.commands.base import Command, Line, Said
from pricing import plain


async def run(line: Line) -> Said:
    before = line.session.view("cost")
    done = await line.agent.compact(line.command_id, line.args)
    if done is None:
        return Said("There is nothing to compact yet; the newest turn always stays as it is.")
    newest = (
        f"and the newest {_times(done.prompts, 'prompt')} with all that followed" if done.prompts else "and the end"
    )
    cost = _cost(before, line.session.view("cost"))
    said = (
        f"Summed up {_times(done.messages, 'message')}: about {done.before:,} → {done.after:,} tokens. Kept word for "
        f"word: the instructions, what you said, the goal, open todos, {newest}. {cost}"
    )
    return Said(said, source=done.seq)


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _cost(before: Any, after: Any) -> str:
    if after["unpriced"] > before["unpriced"]:
        return "What it cost is not known."
    return f"It cost {plain(Decimal(after['amount']) - Decimal(before['amount']))} {after['currency']}."


COMMAND = Command(
    "compact", "Sums up the older part of this session to make room.", run, hint="[what the summary must keep]"
)
