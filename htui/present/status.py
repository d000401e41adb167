"""The status bar: what is said, and what is dropped where there is no room for it (CLIENT 4)."""

from dataclasses import dataclass

from htui.present import count, when
from htui.present.lines import Line, Span, cells_of, cut_line

_BAR = 10
_GAP = Span(" · ", "muted")
_DIVIDER = Span(" │ ", "muted")

_SHOWN = ("mode", "goal", "model", "effort", "shell", "context", "cost", "clients", "turns", "tokens", "hit")
"""In this order the figures stand."""

_KEPT = ("mode", "goal", "cost", "context", "clients", "model", "effort", "turns", "tokens", "shell", "hit")
"""In this order they are worth their room; the last goes first."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the bar is made from; None and empty texts are not shown.

    `trouble` comes first (`! Offline`, `⚠ Models`), then `needs`, `paused`, the running clock, `● Ready`. `elapsed` is
    in seconds since the turn began, None when none runs; `doing` is the phase with its own age. `keys` is what Ctrl+C
    does. `mode` and `goal` are ready texts, `clients` is how many follow the session. Tokens are those of the session;
    `read`, `fresh` and `written` are its input by kind.
    """

    trouble: str = ""
    needs: bool = False
    paused: str = ""
    elapsed: int | None = None
    doing: str = ""
    doing_for: int | None = None
    keys: str = ""
    mode: str = ""
    goal: str = ""
    clients: int = 0
    model: str = ""
    effort: str = ""
    shell: str = ""
    context: int | None = None
    window: int | None = None
    cost: str = ""
    turns: int = 0
    fresh: int = 0
    read: int = 0
    written: int = 0
    output: int = 0


def status_lines(figures: Figures, cells: int) -> list[Line]:
    """One line, or two where not even the most important figure fits beside the state."""
    cluster = _cluster(figures)
    found = _figures(figures, bar=False)
    kept = [name for name in _KEPT if name in found]
    while kept:
        whole = _row(cluster, found, kept)
        if cells_of(whole) <= cells:
            wide = _row(cluster, _figures(figures, bar=True), kept)
            return [wide if cells_of(wide) <= cells else whole]
        kept.pop()
    if not found:
        return [cut_line(cluster, cells)]
    kept = [name for name in _KEPT if name in found]
    while len(kept) > 1 and cells_of(_joined(found, kept)) > cells:
        kept.pop()
    return [cut_line(cluster, cells), cut_line(_joined(found, kept), cells)]


def model_name(model: str) -> str:
    return model.removeprefix("deepseek-")


def _cluster(figures: Figures) -> Line:
    parts: list[Span] = [_state(figures)]
    if figures.doing and figures.elapsed is not None:
        since = "" if figures.doing_for is None else f" {when.short(figures.doing_for)}"
        parts += [_GAP, Span(f"{figures.doing}{since}", "busy")]
    if figures.keys:
        parts += [_GAP, Span(figures.keys, "muted")]
    return tuple(parts)


def _state(figures: Figures) -> Span:
    if figures.trouble:
        return Span(figures.trouble, "bad" if figures.trouble.startswith("!") else "warning")
    if figures.needs:
        return Span("? Needs you", "needs")
    if figures.paused:
        return Span(f"⏸ {figures.paused}", "warning")
    if figures.elapsed is not None:
        return Span(f"◐ {when.clock(figures.elapsed)}", "busy")
    return Span("● Ready", "good")


def _figures(figures: Figures, *, bar: bool) -> dict[str, Span]:
    inputs = figures.fresh + figures.read + figures.written
    tokens = inputs + figures.output
    found = {
        "mode": Span(figures.mode, "warning"),
        "goal": Span(figures.goal, "busy"),
        "clients": Span(count.plural(figures.clients, "client") if figures.clients > 1 else "", "muted"),
        "model": Span(model_name(figures.model)),
        "effort": Span(figures.effort, "muted"),
        "shell": Span(figures.shell, "warning"),
        "context": _context(figures, bar=bar),
        "cost": Span(figures.cost),
        "turns": Span(count.plural(figures.turns, "turn") if figures.turns else "", "muted"),
        "tokens": Span(f"{count.compact(tokens)} tok" if tokens else "", "muted"),
        "hit": Span(f"hit {count.share(figures.read, inputs)}" if inputs else "", "muted"),
    }
    return {name: span for name, span in found.items() if span.text}


def _context(figures: Figures, *, bar: bool) -> Span:
    if figures.context is None or not figures.window:
        return Span("")
    used = count.percent(figures.context, figures.window)
    role = "bad" if used >= 95 else "warning" if used >= 80 else "muted"
    mark = "!" if used >= 80 else ""
    if not bar:
        return Span(f"ctx {used}%{mark}", role)
    full = min(_BAR, (used * _BAR + 50) // 100)
    return Span(f"ctx: {'█' * full}{'░' * (_BAR - full)} ~{used}%{mark}", role)


def _row(cluster: Line, found: dict[str, Span], kept: list[str]) -> Line:
    return (*cluster, _DIVIDER, *_joined(found, kept))


def _joined(found: dict[str, Span], kept: list[str]) -> Line:
    parts: list[Span] = []
    for name in _SHOWN:
        if name in kept:
            parts += [_GAP, found[name]] if parts else [found[name]]
    return tuple(parts)
