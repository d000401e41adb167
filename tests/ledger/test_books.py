"""What all sessions cost together: every sum is the sum of its requests, by the clock of Beijing."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.billing.bill import total
from hd.billing.fold import fold
from hd.ledger.books import Books, explain
from hd.protocol.billing import Records, part
from hd.protocol.events import Event
from pricing import plain
from tests.ledger.test_fold import DRAFTS, END_OF_SEED, ROUTE, log, message


def ms(text: str) -> int:
    """A moment that is written with its offset from UTC."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


NOON = ms("2026-11-05T12:30:00+08:00")
"""A Thursday, off-peak."""


def parts(events: Sequence[Event]) -> list[bytes]:
    kept = (part(event.type, msgspec.json.encode(event.to_wire())) for event in events)
    return [body for body in kept if body is not None]


def records(session_id: str, events: Sequence[Event], *, is_seeded: bool = False) -> Records:
    return Records(session_id, is_seeded, parts(events), len(events))


def at(time: int, drafts: Sequence[tuple[str, dict[str, Any]]]) -> list[Event]:
    return [Event(kind, seq, time, data) for seq, (kind, data) in enumerate(drafts)]


@given(st.lists(DRAFTS, max_size=4), st.integers(0, 6))
def test_the_books_hold_the_bills_of_all_sessions_however_they_grew(
    sessions: list[list[tuple[str, dict[str, Any]]]], cut: int
) -> None:
    books = Books()
    logs = [log(*drafts) for drafts in sessions]
    for number, events in enumerate(logs):
        bodies = parts(events)
        for piece in (bodies[:cut], bodies[cut:]):
            books.grow([Records(f"s{number}", False, piece, len(piece))])
    bills = [total(fold(events)) for events in logs]
    whole = books.summary(NOON)["total"]
    assert Decimal(whole["amount"]) == sum((bill.amount for bill in bills), Decimal(0))
    assert (whole["requests"], whole["unpriced"]) == (
        sum(bill.requests for bill in bills),
        sum(bill.unpriced for bill in bills),
    )
    assert sum(Decimal(one["amount"]) for one in whole["models"]) == Decimal(whole["amount"])
    told = {name: (bill.amount, bill.exact) for name, bill in books.sessions()}
    assert told == {f"s{number}": (bill.amount, bill.exact) for number, bill in enumerate(bills) if bill.requests}


@given(DRAFTS, st.booleans())
def test_the_parts_of_a_log_are_billed_like_the_log(drafts: list[tuple[str, dict[str, Any]]], is_seeded: bool) -> None:
    events = log(*drafts)
    bill = total(fold(events, seeded=is_seeded))
    told = explain(records("s", events, is_seeded=is_seeded))
    assert (told["total"], told["exact"], told["reasons"]) == (plain(bill.amount), bill.exact, list(bill.reasons))
    assert sum((Decimal(row["amount"]) for row in told["rows"] if row["amount"]), Decimal(0)) == bill.amount


@pytest.fixture(params=["UTC", "America/Los_Angeles", "Asia/Kathmandu", "Europe/Berlin"])
def host_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine stands elsewhere; in Los Angeles summer time ends within the days that are asked for."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("host_zone")
def test_h04_days_weeks_and_months_are_those_of_beijing() -> None:
    moments = {
        "in the last second of October": "2026-10-31T23:59:59+08:00",
        "a month begins on a Sunday": "2026-11-01T00:00:00+08:00",
        "a week begins": "2026-11-02T00:00:00+08:00",
        "yesterday": "2026-11-04T23:59:59+08:00",
        "today": "2026-11-05T00:00:00+08:00",
    }
    books = Books()
    for name, text in moments.items():
        books.grow([records(name, at(ms(text), (ROUTE, message(1, 1, 1_000_000))))])
    summary = books.summary(NOON)
    assert {name: summary[name]["requests"] for name in ("today", "week", "month", "total")} == {
        "today": 1,
        "week": 3,
        "month": 4,
        "total": 5,
    }
    assert summary["day"] == "2026-11-05"
    assert [(row["hour"], row["requests"]) for row in summary["hours"]] == [(0, 1)]
    assert [row["day"] for row in summary["days"]] == [
        "2026-11-05",
        "2026-11-04",
        "2026-11-02",
        "2026-11-01",
        "2026-10-31",
    ]


def test_a_fork_pays_for_its_own_requests_only() -> None:
    inherited = (ROUTE, message(1, 1, 1_000_000), END_OF_SEED, message(2, 1, 2_000_000))
    books = Books()
    books.grow([records("parent", at(NOON, (ROUTE, message(1, 1, 1_000_000))))])
    books.grow([records("fork", at(NOON, inherited), is_seeded=True)])
    assert [(name, bill.requests) for name, bill in books.sessions()] == [("fork", 1), ("parent", 1)]


def test_a_fork_whose_inheritance_is_unknown_makes_the_sum_inexact_and_says_why() -> None:
    books = Books()
    books.grow([records("fork", at(NOON, (ROUTE, message(1, 1, 1_000_000))), is_seeded=True)])
    whole = books.summary(NOON)["total"]
    assert (whole["amount"], whole["exact"]) == ("0", False)
    assert "fork" in whole["reasons"][0]


def test_a_record_that_comes_later_replaces_the_one_in_the_books() -> None:
    books = Books()
    events = at(NOON, (ROUTE, message(1, 1, 10), message(1, 1, 12)))
    for event in events:
        books.grow([records("s", [event])])
    assert books.summary(NOON)["today"]["models"][0]["input"] == 12
