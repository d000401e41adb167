"""What the requests of a session cost together, and what is said about the gaps."""

from decimal import Decimal
from typing import Any

from hd.billing.bill import MOST_REASONS, UNATTRIBUTABLE, add, rows, total
from hd.billing.fold import Ledger, fold
from hd.protocol.events import Event
from tests.pricing.moments import beijing

PEAK = beijing(2026, 9, 14, 10)


def ledger(*requests: tuple[str, dict[str, Any] | None], seeded: bool = False, time: int = PEAK) -> Ledger:
    return fold(
        (
            Event(
                "assistant/message",
                seq,
                time,
                {
                    "turn": 1,
                    "step": seq + 1,
                    "message": {"source": {"provider": "deepseek-official", "model": model}},
                    **({} if usage is None else {"usage": usage}),
                },
            )
            for seq, (model, usage) in enumerate(requests)
        ),
        seeded=seeded,
    )


USAGE = {"inputTokens": 100_000, "cacheReadTokens": 900_000, "outputTokens": 10_000}


def test_h02_a_session_costs_the_sum_of_its_requests() -> None:
    bill = total(ledger(("deepseek-v4-pro", USAGE), ("deepseek-flash", USAGE)))
    assert (bill.amount, bill.currency, bill.requests) == (Decimal("1.756"), "CNY", 2)
    assert (bill.unpriced, bill.exact, bill.reasons) == (0, True, ())


def test_h06_what_is_unpriced_is_counted_and_named_never_zero() -> None:
    bill = total(ledger(("deepseek-flash", USAGE), ("deepseek-v9", USAGE), ("deepseek-flash", None)))
    assert (bill.amount, bill.requests, bill.unpriced, bill.exact) == (Decimal("0.316"), 3, 2, False)
    assert bill.reasons == (
        "deepseek-official/deepseek-v9: no price version",
        "deepseek-official/deepseek-flash: missing usage",
    )


def test_the_reasons_are_bounded() -> None:
    assert len(total(ledger(*((f"model-{n}", USAGE) for n in range(20)))).reasons) == MOST_REASONS


def test_a_row_crosses_the_wire_in_the_agreed_form() -> None:
    priced, unpriced = rows(ledger(("deepseek-v4-pro", USAGE), ("x", None)))
    assert priced.to_wire() == {
        "time": PEAK,
        "provider": "deepseek-official",
        "model": "deepseek-v4-pro",
        "input": 100_000,
        "cacheRead": 900_000,
        "cacheWrite": 0,
        "output": 10_000,
        "priceId": "deepseek-v4-pro-2026-09-10",
        "peak": True,
        "amount": "1.44",
        "reason": None,
    }
    wire = unpriced.to_wire()
    assert [wire[key] for key in ("input", "output", "amount", "priceId", "peak")] == [None] * 5
    assert wire["reason"] == "missing usage"


def test_a_fork_that_cannot_be_told_apart_has_no_price() -> None:
    bill = total(ledger(("deepseek-flash", USAGE), seeded=True))
    assert (bill.amount, bill.unpriced, bill.exact, bill.reasons) == (Decimal(0), 1, False, (UNATTRIBUTABLE,))


def test_doubtful_prices_count_and_are_marked() -> None:
    bill = total(ledger(("deepseek-flash", USAGE), time=beijing(2031, 6, 2, 10)))
    assert (bill.amount, bill.unpriced, bill.exact) == (Decimal("0.316"), 0, False)
    assert bill.reasons == ("deepseek-official/deepseek-flash: no announced holidays for 2031",)


def test_the_demo_is_free_and_says_so() -> None:
    event = Event(
        "assistant/message",
        0,
        PEAK,
        {"turn": 1, "step": 1, "message": {"source": {"provider": "demo", "model": "demo"}}},
    )
    bill = total(fold([event]))
    assert (bill.amount, bill.unpriced, bill.exact, bill.reasons) == (
        Decimal(0),
        0,
        True,
        ("demo/demo: demo (nothing is billed)",),
    )


def test_another_currency_is_not_added_in() -> None:
    priced = rows(ledger(("deepseek-flash", USAGE)))
    bill = add(priced, currency="USD")
    assert (bill.amount, bill.unpriced, bill.exact) == (Decimal(0), 1, False)
    assert bill.reasons == ("deepseek-official/deepseek-flash: billed in CNY",)


def test_an_empty_session_costs_nothing_exactly() -> None:
    bill = total(ledger())
    assert (bill.amount, bill.requests, bill.exact, bill.reasons) == (Decimal(0), 0, True, ())
