"""What a log costs, reckoned a second time: the judge of `hd.ledger` and `pricing`, and made of none of their code.

It reads the rows of a log as plain JSON and the price files themselves, groups the records of each request in a list,
and counts in whole 10^-18 of the currency. The rules are those of docs and cases (H01 to H06), the holidays those that
the State Council announced.
"""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any

Json = Mapping[str, Any]

SCALE = 18
OFF_2026 = {
    *((1, 1), (1, 2), (2, 16), (2, 17), (2, 18), (2, 19), (2, 20), (2, 23), (4, 6), (5, 1), (5, 4), (5, 5)),
    *((6, 19), (9, 25), (10, 1), (10, 2), (10, 5), (10, 6), (10, 7)),
}
"""Month and day of the weekdays of 2026 that are public holidays. No other year is asked for that has any announced."""

HOURS_FROM_UTC = {"Asia/Shanghai": 8, "UTC": 0}
_MIDNIGHT_1970 = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Charge:
    """One request. `units` are 10^-18 of its currency, None where it has no price; `tokens` None where not told."""

    time: int
    provider: str
    model: str
    tokens: tuple[int, int, int, int] | None
    units: int | None
    currency: str
    exact: bool

    @property
    def counted(self) -> bool:
        return self.units is not None and self.currency == "CNY"

    @property
    def day(self) -> str:
        """The day in Beijing."""
        return date.fromordinal(_MIDNIGHT_1970 + (self.time + 8 * 3_600_000) // 86_400_000).isoformat()


@dataclass(frozen=True)
class Sum:
    """What some charges come to in CNY."""

    amount: str
    requests: int
    unpriced: int
    exact: bool


def price_entries(own: Sequence[Json] = ()) -> list[Json]:
    """The entries of the shipped file; one of a person's own with the same id stands in its place."""
    shipped = json.loads((files("pricing") / "data" / "deepseek.json").read_text(encoding="utf-8"))
    ids = {entry["id"] for entry in own}
    return [entry for entry in shipped if entry["id"] not in ids] + list(own)


def charges(log: Sequence[Json], prices: Sequence[Json]) -> list[Charge]:
    """Every request that this session is billed for."""
    return [_charge(group, prices) for group in _requests(log)]


def add(found: Iterable[Charge]) -> Sum:
    found = list(found)
    units = sum(one.units or 0 for one in found if one.counted)
    unpriced = sum(not one.counted for one in found)
    return Sum(written(units), len(found), unpriced, all(one.exact and one.counted for one in found))


def written(units: int) -> str:
    """Without zeros at the end, as on the wire."""
    whole, rest = divmod(units, 10**SCALE)
    return f"{whole}.{rest:0{SCALE}d}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class _Record:
    time: int
    provider: str
    model: str
    usage: Json | None


def _requests(log: Sequence[Json]) -> list[list[_Record]]:
    """The records of each request, by going over the log once for what is ours and once for what belongs together."""
    ends = [n for n, row in enumerate(log) if row["type"] == "session/end-seed" and row["data"].get("inherited")]
    ours = ends[-1] + 1 if ends else 0
    route = ("", "")
    groups: list[list[_Record]] = []
    growing: tuple[tuple[int, int], list[_Record]] | None = None
    for n, row in enumerate(log):
        kind, data = row["type"], row["data"]
        if kind == "request/context":
            route = (data["provider"], data["model"])
        if n < ours:
            continue
        place = (data.get("turn"), data.get("step"))
        if kind == "llm/retry-started" and growing is not None and growing[0] == place:
            growing = None
        elif kind in ("assistant/message", "assistant/attempt"):
            if growing is None or growing[0] != place:
                growing = (place, [])
                groups.append(growing[1])
            source = data.get("message", {}).get("source", {})
            mine = (source["provider"], source["model"]) if "provider" in source else route
            growing[1].append(_Record(row["time"], *mine, _told(data)))
        elif (kind == "compaction/summary" and "usage" in data) or (
            kind == "compaction/end" and ("usage" in data or "provider" in data)
        ):
            groups.append([_Record(row["time"], *_named(data, route), data.get("usage"))])
            growing = None
        elif kind == "session/title-llm-usage":
            groups.append([_Record(row["time"], *_named(data, route), data.get("usage"))])
    return groups


def _named(data: Json, route: tuple[str, str]) -> tuple[str, str]:
    return (data["provider"], data["model"]) if "provider" in data else route


def _told(data: Json) -> Json | None:
    if "usage" in data:
        return data["usage"]  # type: ignore[no-any-return]
    told = [row["chunk"]["usage"] for row in data["stream"] if row.get("chunk", {}).get("type") == "usage"]
    return told[-1] if told else None


def _tokens(usage: Json | None) -> tuple[int, int, int, int] | None:
    """Not read from the cache, read from it, written to it, answered."""
    if usage is None or "inputTokens" not in usage or "outputTokens" not in usage:
        return None
    names = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")
    counts = [usage.get(name, 0) for name in names]
    if not all(type(count) is int for count in counts):
        return None
    fresh, read, kept, answer = counts
    if min(fresh, read, kept, answer) < 0 or usage.get("totalTokens", fresh + read + kept + answer) != (
        fresh + read + kept + answer
    ):
        return None
    return fresh, read, kept, answer


def _charge(group: list[_Record], prices: Sequence[Json]) -> Charge:
    told = [record for record in group if _tokens(record.usage) is not None]
    record = (told or group)[-1]
    tokens = _tokens(record.usage)
    units, currency, exact = _priced(record, tokens, prices)
    return Charge(record.time, record.provider, record.model, tokens, units, currency, exact)


def _priced(
    record: _Record, tokens: tuple[int, int, int, int] | None, prices: Sequence[Json]
) -> tuple[int | None, str, bool]:
    if record.provider == "demo":
        return 0, "CNY", True
    if tokens is None or (tokens[2] and record.provider == "deepseek-official"):
        return None, "CNY", False
    fitting = [entry for entry in prices if _valid(entry, record.time) and _closeness(entry, record) > 0]
    if not fitting:
        return None, "CNY", False
    entry = max(fitting, key=lambda one: _closeness(one, record))
    peak, sure = _peak(entry, record.time)
    rates = entry["peak" if peak else "offPeak"]
    per_token = [_units(rates[kind]) for kind in ("input", "cacheRead", "cacheWrite", "output")]
    units = sum(count * rate for count, rate in zip(tokens, per_token, strict=True))
    return units, entry["currency"], sure and (record.usage or {}).get("exact") is not False


def _units(rate: str) -> int:
    """A rate per million tokens as 10^-18 per token."""
    whole, _, rest = rate.partition(".")
    return int(whole + rest) * 10 ** (SCALE - 6 - len(rest))


def _valid(entry: Json, time: int) -> bool:
    until = entry.get("until")
    return _midnight(entry, entry["from"]) <= time and (until is None or time < _midnight(entry, until))


def _midnight(entry: Json, day: str) -> int:
    hours = (date.fromisoformat(day).toordinal() - _MIDNIGHT_1970) * 24 - HOURS_FROM_UTC[entry["timezone"]]
    return hours * 3_600_000


def _closeness(entry: Json, record: _Record) -> int:
    name = unicodedata.normalize("NFKC", record.model).replace("。", ".").strip().lower()
    if entry["provider"] != record.provider:
        return 0
    if entry["model"] == name:
        return 1_000_000
    aliases = entry.get("aliases", [])
    return max((len(a) for a in aliases if name == a or (a[-1] == "*" and name.startswith(a[:-1]))), default=0)


def _peak(entry: Json, time: int) -> tuple[bool, bool]:
    """Whether the hour is at peak, and whether that is certain."""
    minutes = time // 60_000 + HOURS_FROM_UTC[entry["timezone"]] * 60
    days, minute = divmod(minutes, 1440)
    day = date.fromordinal(_MIDNIGHT_1970 + days)
    weekday = (days + 4) % 7  # The first day of 1970 was a Thursday; Sunday is 0.
    if weekday not in entry["weekdays"] or not any(start <= minute < end for start, end in entry["windows"]):
        return False, True
    if entry["timezone"] != "Asia/Shanghai":
        return True, True
    return (True, False) if day.year != 2026 else ((day.month, day.day) not in OFF_2026, True)
