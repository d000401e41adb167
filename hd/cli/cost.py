"""`hd cost`: what the sessions of this home cost. It reads beside a running daemon and needs none."""

import argparse
import csv
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from hd.billing.bill import Bill
from hd.cli.printing import one_line
from hd.config.home import Home
from hd.errors import DONE, SessionNotFound, UsageError
from hd.ledger.books import Books, explain, moment
from hd.ledger.prices import prices
from hd.protocol.billing import Records
from pricing import plain

SHOWN = 20
"""Sessions of the table for people; `--json` and `--csv` give all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--explain", metavar="SESSION", help="list every request of a session, by its id or the beginning"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--csv", action="store_true", help="print comma-separated rows")
    parser.epilog = "Days are those of Beijing. Prices of your own go into prices.json of the home."


def run(args: argparse.Namespace) -> int:
    home = Home.of(os.environ)
    tables = prices(home.prices)
    records = _records(home.database)
    if args.explain is not None:
        _explained(explain(_meant(records, args.explain), tables), args)
        return DONE
    books = Books(tables)
    books.grow(records)
    _summed(books, _titles(home.database), args)
    return DONE


def _records(database: Path) -> list[Records]:
    from hd.session.store import check, records

    check.look(database)
    if not database.exists() or database.stat().st_size == 0:
        return []
    return records.read(database, {})


def _titles(database: Path) -> dict[str, str]:
    from hd.session.store import records

    return records.titles(database) if database.exists() and database.stat().st_size else {}


def _meant(records: list[Records], wish: str) -> Records:
    """The session whose id, with or without its `session-`, begins like this."""
    exact = [one for one in records if one.session_id == wish]
    found = exact or [
        one for one in records if one.session_id.removeprefix("session-").startswith(wish.removeprefix("session-"))
    ]
    if len(found) > 1:
        raise UsageError(f"{len(found)} sessions begin with {wish!r}; write more of the id.")
    if not found:
        raise SessionNotFound(f"No session that asked a model begins with {wish!r}. `hd cost` lists them.")
    return found[0]


def _summed(books: Books, titles: dict[str, str], args: argparse.Namespace) -> None:
    summary = books.summary(time.time_ns() // 1_000_000)
    sessions = [_session(session_id, bill, titles.get(session_id)) for session_id, bill in books.sessions()]
    if args.json:
        sums = {name: summary[name]["amount"] for name in ("today", "week", "month", "total")}
        exact = summary["total"]["exact"]
        _print_json({"currency": summary["currency"], **sums, "exact": exact, "sessions": sessions})
    elif args.csv:
        _print_csv(sessions)
    else:
        _print_sums(summary, sessions)


def _session(session_id: str, bill: Bill, title: str | None) -> dict[str, Any]:
    """A row of `sessions`; the amount is null where no request has a price."""
    amount = None if bill.requests == bill.unpriced and not bill.exact else plain(bill.amount)
    return {
        "sessionId": session_id,
        "title": title,
        "amount": amount,
        "requests": bill.requests,
        "unpriced": bill.unpriced,
        "exact": bill.exact,
        "reasons": list(bill.reasons),
    }


def _print_sums(summary: dict[str, Any], sessions: list[dict[str, Any]]) -> None:
    currency = summary["currency"]
    for name in ("today", "week", "month", "total"):
        part = summary[name]
        unsure = "" if part["exact"] else " *"
        print(f"{name:<6} {part['amount']:>14} {currency}{unsure}  {part['requests']} requests")
    for reason in summary["total"]["reasons"]:
        print(f"  * {reason}")
    if sessions:
        print()
    for one in sessions[:SHOWN]:
        told = "not priced" if one["amount"] is None else one["amount"]
        print(f"{told:>14}{' ' if one['exact'] else '*'} {one['sessionId']}  {one_line(one['title'] or '')}".rstrip())
    if len(sessions) > SHOWN:
        print(f"… and {len(sessions) - SHOWN} more; --json lists all.")


def _explained(found: dict[str, Any], args: argparse.Namespace) -> None:
    if args.json:
        _print_json(found)
        return
    if args.csv:
        _print_csv(found["rows"])
        return
    for row in found["rows"]:
        told = row["reason"] if row["amount"] is None else row["amount"]
        hour = {True: "peak", False: "off-peak", None: ""}[row["peak"]]
        tokens = (
            ""
            if row["input"] is None
            else (f"{row['input'] + row['cacheWrite']} new + {row['cacheRead']} cached -> {row['output']}")
        )
        print(f"{moment(row['time'])}  {one_line(row['model']):<20} {hour:<8} {tokens:<36} {told}")
    unpriced = f", {found['unpriced']} without a price" if found["unpriced"] else ""
    print(f"total {found['total']} {found['currency']} in {len(found['rows'])} requests{unpriced}")
    for reason in found["reasons"]:
        print(f"  * {reason}")


def _print_json(document: dict[str, Any]) -> None:
    print(msgspec.json.encode(document).decode())


def _print_csv(rows: list[dict[str, Any]]) -> None:
    if rows:
        names = list(rows[0])
        table = csv.writer(sys.stdout, lineterminator="\n")
        table.writerow(names)
        table.writerows([_cell(row[name]) for name in names] for row in rows)


def _cell(value: object) -> object:
    """A spreadsheet runs a cell that begins like a formula; titles are other people's words."""
    text = "; ".join(value) if isinstance(value, list) else "" if value is None else value
    return f"'{text}" if isinstance(text, str) and text[:1] in "=+-@\t\r" and text else text
