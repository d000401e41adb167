"""What requests cost, worked out by plain arithmetic from the raw log and the raw price files.

Nothing here is taken from the product: no fold, no price table, no calendar, no decimals. It is slow and says each rule
once, as one would explain it.
"""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

BEIJING = timedelta(hours=8)
LARGEST = 2**53 - 1

Entries = Sequence[Mapping[str, Any]]


def bill(log: Entries, prices: Entries, closed: Iterable[date]) -> dict[str, Any]:
    """What a log costs in CNY: the sum of what has a price, how many requests, and how many of them have none."""
    samples = requests_of(log)
    days = set(closed)
    costs = [price_of(sample, prices, days) for sample in samples]
    return {
        "amount": sum((cost for cost in costs if cost is not None), Fraction(0)),
        "requests": len(samples),
        "unpriced": sum(cost is None for cost in costs),
    }


def requests_of(log: Entries) -> list[dict[str, Any]]:
    """Every request that was made in this session, once, with what it used."""
    ends = [n for n, event in enumerate(log) if event["type"] == "session/end-seed" and event["data"].get("inherited")]
    route = ("", "")
    found: list[dict[str, Any]] = []
    open_place: tuple[int, int] | None = None
    turn_sample: dict[str, Any] | None = None
    for number, event in enumerate(log):
        kind, data = event["type"], event["data"]
        if kind == "request/context" and "provider" in data:
            route = (data["provider"], data["model"])
        if ends and number <= ends[-1]:
            continue
        if kind == "llm/retry-started" and open_place == (data["turn"], data["step"]):
            open_place = None
        elif kind in ("assistant/message", "assistant/attempt"):
            source = data.get("message", {}).get("source", {})
            named = (source["provider"], source["model"]) if "provider" in source else route
            sample = {"usage": _usage(data), "route": named, "time": event["time"]}
            place = (data["turn"], data["step"])
            if open_place == place and turn_sample is not None:
                if _counts(sample["usage"]) is not None or _counts(turn_sample["usage"]) is None:
                    turn_sample.update(sample)
            else:
                found.append(sample)
                turn_sample, open_place = sample, place
        elif kind in ("compaction/summary", "compaction/end") and "usage" in data:
            named = (data["provider"], data["model"]) if "provider" in data else route
            found.append({"usage": data["usage"], "route": named, "time": event["time"]})
            open_place = None
        elif kind == "session/title-llm-usage":
            named = (data["provider"], data["model"]) if "provider" in data else route
            found.append({"usage": _usage(data), "route": named, "time": event["time"]})
    return found


def price_of(sample: Mapping[str, Any], prices: Entries, closed: set[date]) -> Fraction | None:
    """What one request costs, None where nobody can say."""
    provider, model = sample["route"]
    counts = _counts(sample["usage"])
    if counts is None or (provider == "deepseek-official" and counts[2]):
        return None
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=sample["time"])
    price = _price(prices, provider, model, moment)
    if price is None or price["currency"] != "CNY":
        return None
    local = (moment + BEIJING).replace(tzinfo=None)
    minute = local.hour * 60 + local.minute
    worked = local.isoweekday() % 7 in price["weekdays"] and local.date() not in closed
    peak = worked and any(start <= minute < end for start, end in price["windows"])
    rates = price["peak" if peak else "offPeak"]
    names = ("input", "cacheRead", "cacheWrite", "output")
    return sum((Fraction(rates[name]) * count for name, count in zip(names, counts, strict=True)), Fraction(0)) / 10**6


def raw_prices(*texts: str) -> list[dict[str, Any]]:
    """The entries of price files; one of a later file takes the place of that with its id."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        found |= {entry["id"]: entry for entry in json.loads(text)}
    return list(found.values())


def _price(prices: Entries, provider: str, model: str, moment: datetime) -> Mapping[str, Any] | None:
    name = unicodedata.normalize("NFKC", model).replace("。", ".").strip().lower()
    day = moment + BEIJING
    fitting = [one for one in prices if one["provider"] == provider and _begin(one["from"]) <= day.replace(tzinfo=None)]
    fitting = [one for one in fitting if one["until"] is None or day.replace(tzinfo=None) < _begin(one["until"])]
    exact = [one for one in fitting if one["model"] == name]
    if exact:
        return exact[0]
    named = [(len(alias), one) for one in fitting for alias in one["aliases"] if _is_alias(alias, name)]
    return max(named, key=lambda found: found[0])[1] if named else None


def _begin(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _is_alias(alias: str, name: str) -> bool:
    return name.startswith(alias[:-1]) if alias.endswith("*") else name == alias


def _usage(data: Mapping[str, Any]) -> Any:
    if "usage" in data:
        return data["usage"]
    told = [row["chunk"]["usage"] for row in data.get("stream", ()) if row.get("chunk", {}).get("type") == "usage"]
    return told[-1] if told else None


def _counts(usage: Any) -> tuple[int, int, int, int] | None:
    """New input, read from the cache, written to it, output; None for a usage that cannot be right."""
    if not isinstance(usage, dict):
        return None
    read = [usage.get("inputTokens"), usage.get("cacheReadTokens", 0), usage.get("cacheWriteTokens", 0)]
    counts = [*read, usage.get("outputTokens")]
    if not all(isinstance(count, int) and 0 <= count <= LARGEST for count in counts):
        return None
    if usage.get("totalTokens") not in (None, sum(counts)):
        return None
    return counts[0], counts[1], counts[2], counts[3]
