"""What the provider's cache held of a session's requests, in words: pure. Read from the host's `cache` value."""

from collections.abc import Mapping
from typing import Any

from htui.present import count
from htui.present.lines import Line, Span, indent, wrap
from htui.present.named import named_lines
from htui.present.safe import one_line

_WHY = {
    "first": "the first request",
    "model": "the first request to this model, which has a cache of its own",
    "tools": "the tools were changed",
    "system": "the system prompt was changed",
    "parameters": "the effort was changed, which stands behind the messages",
}
_KINDS = {"compact-checkpoint": "summed up by a compaction", "tool": "results of tools were shortened"}
_GONE = "nothing sent before was changed: the provider no longer had it"


def cache_lines(value: object, cells: int) -> list[Line]:
    """The panel of `/cache`: the sums, then the newest requests, the last one first."""
    cache = _mapping(value)
    rows = [row for row in _items(cache.get("rows")) if isinstance(row, Mapping)]
    if not rows:
        return wrap([Span("Nothing is known yet of what was read from the provider's cache.")], cells)
    hit, miss, lost = (_whole(cache, key) for key in ("hit", "miss", "lost"))
    requests = count.plural(_whole(cache, "requests"), "request")
    money = one_line(f"{cache.get('amount')} {cache.get('currency')}", 40)
    again = f"{count.compact(lost)} that were sent before, for {money}" if lost else "nothing that was sent before"
    lines = named_lines(
        [
            ("read", f"{count.compact(hit)} of {count.compact(hit + miss)} tokens ({count.share(hit, hit + miss)})"),
            ("paid anew", f"{again}, in {requests}"),
        ],
        cells,
    )
    for row in reversed(rows):
        lines += _row_lines(row, cells)
    return lines


def _row_lines(row: Mapping[str, Any], cells: int) -> list[Line]:
    turn, step, lost = row.get("turn"), row.get("step"), _whole(row, "lost")
    place = "summary" if not isinstance(turn, int) else f"turn {turn}.{step if isinstance(step, int) else '?'}"
    parts = [f"{count.compact(_whole(row, 'hit'))} read", f"{count.compact(_whole(row, 'miss'))} new"]
    lines = named_lines([(place, " · ".join([*parts, *([f"{count.compact(lost)} anew"] if lost else [])]))], cells)
    if why := _why(row.get("difference"), lost):
        words = wrap([Span(why, "warning" if lost else "muted")], max(1, cells - 2))
        lines += indent(words, Span("  "), Span("  "))
    return lines


def _why(difference: object, lost: int) -> str:
    if not isinstance(difference, Mapping):
        return _GONE if lost else ""
    segment = str(difference.get("segment"))
    if segment != "message":
        return _WHY.get(segment, one_line(segment, 60))
    kind = str(difference.get("kind"))
    return f"from message #{_whole(difference, 'seq')} on: {_KINDS.get(kind, one_line(f'replaced by {kind}', 60))}"


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _whole(row: Mapping[str, Any], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
