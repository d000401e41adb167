"""What a person lets a session and a day cost, in `CURRENCY` (pure)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as tags
from hd.protocol.events import Draft, Event
from hd.protocol.projections.base import Projection
from pricing import plain

CURRENCY: Final = "CNY"
LARGEST: Final = Decimal(1_000_000)
"""The largest amount that a person types."""

_KEPT: Final = Decimal(10) ** 15
"""The largest that is kept: what is spent may lie above what a person types, and a raised cap above that."""

_DIGITS: Final = 12
"""The most decimal places, as of a rate."""

TURN: Final = "turn"


class Caps(Struct, frozen=True):
    """The caps of a session; None for no bound.

    `session` is for all that it costs with its sub-agents, `turn` for each turn of it. `allowed` is what a person let
    one turn cost, by its number, whatever the others may.
    """

    session: Decimal | None = None
    turn: Decimal | None = None
    allowed: tuple[int, Decimal] = (0, Decimal(0))

    def of_turn(self, number: int) -> Decimal | None:
        if self.turn is None or self.allowed[0] != number:
            return self.turn
        return max(self.turn, self.allowed[1])


@dataclass(frozen=True, slots=True)
class DayCap:
    """The cap of all sessions together in a day of Beijing. `allowed` is what a person let one day cost."""

    cap: Decimal | None = None
    allowed: tuple[date, Decimal] | None = None

    def of(self, day: date) -> Decimal | None:
        if self.cap is None or self.allowed is None or self.allowed[0] != day:
            return self.cap
        return max(self.cap, self.allowed[1])


def parse(text: str, largest: Decimal = LARGEST) -> Decimal:
    """An amount as people write it, such as `2.50`, `¥ 3` or `3 CNY`; ValueError names what is wrong."""
    written = text.strip().removeprefix("¥").removesuffix(CURRENCY).strip()
    try:
        amount = Decimal(written)
    except InvalidOperation:
        raise ValueError(f"{text.strip()[:40]!r} is no amount; write it like 2.50.") from None
    if not amount.is_finite() or not 0 <= amount <= largest:
        raise ValueError(f"An amount lies between 0 and {largest:,}.")
    exponent = amount.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_DIGITS:
        raise ValueError(f"An amount has at most {_DIGITS} decimal places.")
    return abs(amount)


def parse_kept(text: str) -> Decimal:
    """An amount that was kept; ValueError for what is none."""
    return parse(text, _KEPT)


def session_cap(amount: Decimal | None) -> Draft:
    """The fact that a session may cost so much from now on."""
    return Draft(tags.BUDGET_SET, {"amount": _text(amount)})


def turn_cap(amount: Decimal | None, only: int | None = None) -> Draft:
    """The same for each of its turns, or for the one with this number."""
    named = {} if only is None else {"turn": only}
    return Draft(tags.BUDGET_SET, {"amount": _text(amount), "scope": TURN, **named})


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else plain(amount)


def _set(state: Caps, event: Event) -> Caps:
    amount, scope, number = (event.data.get(name) for name in ("amount", "scope", "turn"))
    try:
        cap = None if amount is None else parse_kept(str(amount))
    except ValueError:
        return state
    if scope is None:
        return replace(state, session=cap)
    if scope != TURN:
        return state
    if isinstance(number, int):
        return state if cap is None else replace(state, allowed=(number, cap))
    return Caps(state.session, cap)


def _view(state: Caps) -> Mapping[str, Any] | None:
    if state.session is None and state.turn is None:
        return None
    return {"amount": _text(state.session), "turn": _text(state.turn), "currency": CURRENCY}


BUDGET: Final[Projection[Caps]] = Projection("budget", Caps(), {tags.BUDGET_SET: _set}, _view)
