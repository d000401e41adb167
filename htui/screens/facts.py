"""What a session shows around the transcript, out of the mirrors: pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hd.protocol.messages import text_of
from htui.link.changes import LinkStatus
from htui.mirror import HostMirror, PendingAsk, QueueItem, Row, SessionMirror
from htui.present import count, when
from htui.present.cost import cost_figure
from htui.present.goal import goal_figure, goal_of, planning
from htui.present.lines import Line, Span, cut_line, indent, wrap
from htui.present.named import named_lines
from htui.present.picks import Pick
from htui.present.safe import one_line, safe
from htui.present.status import Figures, model_name
from htui.present.waits import wait_figure

_LOOK_BACK = 400
"""Rows from the end in which the start of a turn or a call is looked for."""


def title_of(mirror: SessionMirror) -> str:
    title = mirror.value("title")
    if isinstance(title, Mapping):
        title = title.get("title")
    return one_line(title, 200) if isinstance(title, str) and title.strip() else "New session"


def figures(
    mirror: SessionMirror,
    host: HostMirror,
    link: LinkStatus,
    *,
    needs: bool,
    no_models: bool,
    now: int,
    activation: str = "",
    cost: object = None,
    spending: object = None,
) -> Figures:
    """The figures of the status bar; `now` is in ms, `activation` that of the goal; `cost` is of the session,
    `spending` a `money/summary`."""
    selection = selected(mirror, host)
    pressure, usage, stats = (_mapping(mirror.value(key)) for key in ("contextPressure", "tokenUsage", "sessionStats"))
    running = mirror.running
    phase = mirror.phase
    wait = wait_figure(phase.kind, phase.since, phase.until, now)
    return Figures(
        trouble=_trouble(link, host, no_models),
        needs=needs,
        elapsed=_seconds(turn_began(mirror), now) if running else None,
        doing=(wait[0] if wait else one_line(phase.name, 40) or _DOING.get(phase.kind, "")) if running else "",
        doing_for=wait[1] if wait else _seconds(phase.since, now) if phase.since else None,
        keys="^C stop" if running else "^C quit",
        mode=planning(mirror.value("plan")),
        goal=goal_figure(goal_of(mirror.value("goal"), activation)),
        clients=host.clients.get(mirror.session_id, 0),
        model=one_line(str(selection.get("model") or ""), 60),
        effort=one_line(str(selection.get("reasoningEffort") or ""), 20),
        cost=cost_figure(cost, spending, mirror.value("budget")),
        context=_whole(pressure, "projectedTokens"),
        window=_whole(pressure, "contextWindow"),
        turns=_whole(stats, "turns") or 0,
        fresh=_whole(usage, "uncachedInputTokens") or 0,
        read=_whole(usage, "cacheReadTokens") or 0,
        written=_whole(usage, "cacheWriteTokens") or 0,
        output=_whole(usage, "outputTokens") or 0,
    )


_DOING = {"wait": "wait", "think": "think", "write": "write", "tool": "tool", "compact": "sum up"}


def selected(mirror: SessionMirror, host: HostMirror) -> Mapping[str, Any]:
    """The model in use while a turn runs, else the one of the next request, else the host's own."""
    selection = _mapping(mirror.value("modelSelection"))
    order = ("lastUsed", "next") if mirror.running else ("next", "lastUsed")
    found = next((selection[key] for key in order if isinstance(selection.get(key), Mapping)), None)
    return found if found is not None else _mapping(_mapping(host.catalogue).get("default"))


def failure_lines(mirror: SessionMirror, cells: int) -> list[Line]:
    """Why what is shown does not go on; without rows the reason stands in their place."""
    if mirror.failure is None or not len(mirror.rows):
        return []
    lines = wrap([Span(safe(mirror.failure.message), "bad")], cells - 2)[:3]
    return indent(lines, Span("✗ ", "bad"), Span("  "))


def trouble_lines(told: str | None, mirror: SessionMirror, cells: int) -> list[Line]:
    """What the host last reported of this session's agent, such as a full disk, unless the transcript says it."""
    last = mirror.rows[-1].text if len(mirror.rows) else ""
    if not told or told == last:
        return []
    return indent(wrap([Span(safe(told), "bad")], cells - 2)[:3], Span("✗ ", "bad"), Span("  "))


def turn_began(mirror: SessionMirror) -> int:
    """When the running turn began (ms of the host's clock), as far as the rows tell."""
    rows = mirror.rows
    for index in range(len(rows) - 1, max(-1, len(rows) - _LOOK_BACK), -1):
        if rows[index].kind == "user":
            return rows[index].time
    return mirror.phase.since


def asks_here(session_id: str, host: HostMirror) -> list[PendingAsk]:
    """What waits in the session or in a sub-agent of it, oldest first."""
    parents = {entry.session_id: entry.parent for entry in host.sessions if entry.origin == "subagent"}
    return [ask for ask in host.asks if session_id in _line_of(ask.session_id, parents)]


def _line_of(session_id: str, parents: Mapping[str, str | None]) -> set[str]:
    found: set[str] = set()
    current: str | None = session_id
    while current is not None and current not in found:
        found.add(current)
        current = parents.get(current)
    return found


def call_row(mirror: SessionMirror, call_id: str) -> Row | None:
    """The tool row of a call, looked for from the end."""
    if not call_id:
        return None
    live = next((row for row in reversed(mirror.live) if row.call_id == call_id), None)
    if live is not None:
        return live
    rows = mirror.rows
    near = range(len(rows) - 1, max(-1, len(rows) - _LOOK_BACK), -1)
    return next((rows[index] for index in near if rows[index].call_id == call_id), None)


def waiting(queue: Sequence[QueueItem]) -> list[QueueItem]:
    """The items of a queue that a person put there."""
    return [item for item in queue if item.placement != "context"]


def queue_text(item: QueueItem) -> str:
    return one_line(text_of(item.content), 400) or "(no text)"


def queue_lines(queue: Sequence[QueueItem], cells: int, *, parked: bool) -> list[Line]:
    """What waits. After a stop it stays until somebody sends something, which nobody would guess."""
    first = queue_text(queue[0])
    line = cut_line((Span(f"Waiting: {len(queue)}", "busy"), Span(f" · {first}", "muted")), cells)
    if not parked:
        return [line]
    hint = "  Runs before your next prompt · /queue removes it"
    return [line, cut_line((Span(hint, "muted"),), cells)]


def queue_picks(queue: Sequence[QueueItem]) -> list[Pick]:
    kinds = {"queued": "next turn", "steering": "this turn"}
    return [
        Pick(item.item_id, (Span(f"{kinds.get(item.placement, item.placement)} · ", "muted"), Span(queue_text(item))))
        for item in waiting(queue)
    ]


def model_picks(catalogue: Mapping[str, Any] | None, chosen: Mapping[str, Any]) -> tuple[list[Pick], int]:
    """A row for each model and effort, its id `provider model effort`; and which one is chosen."""
    picks: list[Pick] = []
    at = 0
    for group in _items(_mapping(catalogue).get("groups")):
        for model in _items(group.get("models")):
            efforts = [str(e.get("id")) for e in _items(_mapping(model.get("reasoning")).get("efforts"))] or [""]
            for effort in efforts:
                name = one_line(str(model.get("name") or model.get("id")), 60)
                window = _whole(model, "contextWindow")
                size = f" Window: {count.compact(window)} tokens." if window else ""
                said = one_line(f"{model.get('description') or ''}{size}".strip(), 300)
                parts = [Span(name), Span(f" · {effort}" if effort else "", "strong")]
                known = (str(group.get("id")), str(model.get("id")), effort)
                if (chosen.get("provider"), chosen.get("model"), chosen.get("reasoningEffort") or "") == known:
                    at = len(picks)
                    parts.insert(0, Span("● ", "good"))
                picks.append(Pick(" ".join(known).rstrip(), tuple(parts), detail=said))
    return picks, at


def permission_picks(value: object) -> tuple[list[Pick], int]:
    """The presets of the `permissions` projection, and which one counts."""
    permissions = _mapping(value)
    picks: list[Pick] = []
    at = 0
    for option in _items(permissions.get("options")):
        current = option.get("value") == permissions.get("currentValue")
        at = len(picks) if current else at
        name, said = (
            one_line(str(option.get("name") or option.get("value")), 60),
            one_line(str(option.get("description") or ""), 300),
        )
        line = (
            Span("● " if current else "", "good"),
            Span(name, "strong"),
            Span(f" · {said}" if said else "", "muted"),
        )
        picks.append(Pick(str(option.get("value")), line))
    return picks, at


def status_panel(shown: Figures, facts: Iterable[tuple[str, str]], cells: int) -> list[Line]:
    """The figures in full, one below the other."""
    inputs = shown.fresh + shown.read + shown.written
    rows = [
        *facts,
        ("model", " · ".join(part for part in (model_name(shown.model), shown.effort) if part)),
        (
            "context",
            f"{count.compact(shown.context)} of {count.compact(shown.window)} tokens"
            if shown.context and shown.window
            else "",
        ),
        ("turns", str(shown.turns) if shown.turns else ""),
        ("input", f"{count.compact(shown.fresh)} new · {count.compact(shown.read)} from the cache" if inputs else ""),
        ("output", f"{count.compact(shown.output)} tokens" if shown.output else ""),
        ("cache hit", count.share(shown.read, inputs) if inputs else ""),
    ]
    return named_lines([(name, one_line(value, 400)) for name, value in rows], cells)


def _trouble(link: LinkStatus, host: HostMirror, no_models: bool) -> str:
    if link.phase != "online":
        return "! Login" if link.phase == "login" else "! Offline"
    if not host.metrics:
        return "⚠ Metrics"
    return "⚠ Models" if no_models else ""


def offline_text(link: LinkStatus, left: int | None) -> str:
    """Why the connection is gone, for the rule."""
    again = f" · next try in {when.short(left)}" if left else ""
    return one_line(link.reason, 160) + again


def _seconds(since: int, now: int) -> int:
    return max(0, now - since) // 1000 if since else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _whole(values: Mapping[str, Any], key: str) -> int | None:
    value = values.get(key)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
