"""What fills the context of a session, in words, and whether another model has room for it: pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from hd.protocol.projections.pressure import limit_of
from htui.present import count
from htui.present.lines import Line, Span, wrap
from htui.present.named import named_lines
from htui.present.safe import one_line

_BAR = 30
_PARTS = (
    ("system", "systemTokens", ""),
    ("tools", "toolsTokens", ""),
    ("AGENTS.md", "", "instructions"),
    ("you", "", "user"),
    ("model", "", "assistant"),
    ("results", "", "tool"),
    ("summaries", "", "summary"),
    ("other", "", "context"),
)
"""The name of each part, and the key of its tokens in the breakdown or in what that says by kind."""


def context_lines(pressure: object, breakdown: object, catalogue: object, cells: int) -> list[Line]:
    """The panel of `/context`: values of the session, and the models that the host offers."""
    used, window = used_of(pressure), _whole(_mapping(pressure), "contextWindow")
    if not used or not window:
        return wrap([Span("Nothing was sent yet; the first answer tells what the context takes.")], cells)
    parts = _parts(_mapping(breakdown), used)
    rows = [
        ("used", f"{count.compact(used)} of {count.compact(window)} tokens ({count.share(used, window)})"),
        *((name, f"~{count.compact(tokens)} ({count.share(tokens, window)})") for name, tokens in parts),
        ("free", f"{count.compact(max(0, window - used))}; summed up from {count.compact(limit_of(window))} on"),
        ("windows", ", ".join(f"{name} {count.compact(size)}" for name, size in windows(catalogue))),
    ]
    bar = _bar(used, window, min(_BAR, cells))
    return [bar, *named_lines([(name, one_line(value, 400)) for name, value in rows], cells)]


def too_large(pressure: object, window: int) -> str:
    """Whether a switch to a model with `window` tokens has its price, with the numbers; empty where it has none.

    It is short, because it has to be read whole on a narrow screen before anything is switched.
    """
    used = used_of(pressure)
    if not window or used < limit_of(window):
        return ""
    return f"{count.compact(used)} tokens held, window of {count.compact(window)}"


def used_of(pressure: object) -> int:
    """Tokens of the next request, 0 where that is not known."""
    return _whole(_mapping(pressure), "projectedTokens")


def windows(catalogue: object) -> Iterator[tuple[str, int]]:
    """(id without the maker's name, tokens) of the models whose window the host tells."""
    for model in models(catalogue):
        if size := _whole(model, "contextWindow"):
            yield one_line(str(model.get("id")), 60).removeprefix("deepseek-"), size


def window_of(catalogue: object, provider: str, model_id: str) -> int:
    """The window of a model in tokens, 0 where the host does not tell it."""
    for model in models(catalogue, provider):
        if model.get("id") == model_id:
            return _whole(model, "contextWindow")
    return 0


def models(catalogue: object, provider: str | None = None) -> Iterator[Mapping[str, Any]]:
    for group in _items(_mapping(catalogue).get("groups")):
        if provider is None or group.get("id") == provider:
            yield from _items(group.get("models"))


def _parts(breakdown: Mapping[str, Any], used: int) -> list[tuple[str, int]]:
    """The parts by name. They are estimates, so they are stretched to what the provider counted for all of them."""
    kinds = _mapping(breakdown.get("messageTokensByKind"))
    found = [
        (name, _whole(breakdown, key) if key else _whole(kinds, kind)) for name, key, kind in _PARTS if key or kinds
    ]
    if not kinds:
        found.append(("messages", _whole(breakdown, "messageTokens")))
    estimated = sum(tokens for _, tokens in found)
    return [(name, tokens * used // estimated) for name, tokens in found if tokens]


def _bar(used: int, window: int, cells: int) -> Line:
    full = min(cells, max(1, (used * cells + window // 2) // window))
    role = "bad" if used * 100 >= window * 95 else "warning" if used >= limit_of(window) else "good"
    return (Span("█" * full, role), Span("░" * (cells - full), "muted"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _whole(values: Mapping[str, Any], key: str) -> int:
    value = values.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
