"""The rows of the pickers: workspaces and sessions with what they are doing (row T3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from htui.present import count, when
from htui.present.cells import width
from htui.present.lines import Line, Span, cells_of, cut_line, with_role
from htui.present.safe import one_line

State = Literal["needs", "working", "ready", "empty"]

MARKS: Mapping[State, tuple[str, str]] = {
    "needs": ("?", "needs"),
    "working": ("◐", "busy"),
    "ready": ("●", "good"),
    "empty": ("○", "muted"),
}
WORDS: Mapping[State, str] = {"needs": "needs you", "working": "working", "ready": "ready", "empty": "empty"}
_SHORT_WORDS: Mapping[State, str] = {"needs": "needs", "working": "works", "ready": "ready", "empty": "empty"}
_ORDER: tuple[State, ...] = ("needs", "working", "ready", "empty")


class SessionLike(Protocol):
    """What a picker reads of a session."""

    @property
    def session_id(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def updated_at(self) -> int: ...
    @property
    def running(self) -> bool: ...
    @property
    def blank(self) -> bool: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def origin(self) -> str | None: ...


class WorkspaceLike(Protocol):
    """What a picker reads of a workspace."""

    @property
    def workspace_id(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def session_ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Pick:
    """A row to choose: `id` is what was chosen, `find` the text that typing narrows the list by.

    `detail` is safe text about the row, shown while it is highlighted.
    """

    id: str
    line: Line
    find: str = ""
    detail: str = ""


def asking_sessions(asks: Iterable[str], sessions: Sequence[SessionLike]) -> frozenset[str]:
    """The sessions that wait for a person, those of a waiting sub-agent's parents included."""
    parents = {entry.session_id: entry.parent for entry in sessions if entry.origin == "subagent"}
    found: set[str] = set()
    for session_id in asks:
        current: str | None = session_id
        while current is not None and current not in found:
            found.add(current)
            current = parents.get(current)
    return frozenset(found)


def state_of(entry: SessionLike, asking: frozenset[str]) -> State:
    if entry.session_id in asking:
        return "needs"
    if entry.running:
        return "working"
    return "empty" if entry.blank else "ready"


def session_picks(sessions: Iterable[SessionLike], asking: frozenset[str], now: int, cells: int) -> list[Pick]:
    """Sessions that need somebody first, then those that work, then the rest by age."""
    rows = [(state_of(entry, asking), entry) for entry in sessions if entry.origin != "subagent"]
    rows.sort(key=lambda row: (_ORDER.index(row[0]) if row[0] in ("needs", "working") else 2, -row[1].updated_at))
    return [_session(state, entry, now, cells) for state, entry in rows]


def _session(state: State, entry: SessionLike, now: int, cells: int) -> Pick:
    title = one_line(entry.title or "", 200) or ("New session" if state == "empty" else "Untitled")
    side = when.age(entry.updated_at, now)
    if cells >= NARROW and state in ("needs", "working"):
        side = f"{WORDS[state]} · {side}" if side else WORDS[state]
    return Pick(entry.session_id, _marked(state, title, side, cells), title)


NARROW = 60
WORDS_FROM = 78
BADGES_FROM = 38
"""Cells from which a row has words, and from which it has signs; two more are the cursor's."""


def workspace_picks(
    workspaces: Iterable[WorkspaceLike], sessions: Mapping[str, SessionLike], asking: frozenset[str], cells: int
) -> list[Pick]:
    """Workspaces in the host's order, each with the counts of its sessions."""
    picks = []
    for workspace in workspaces:
        states = [state_of(sessions[known], asking) for known in workspace.session_ids if known in sessions]
        state: State = next((found for found in _ORDER if found in states), "empty")
        title = one_line(workspace.title, 200)
        picks.append(
            Pick(workspace.workspace_id, _marked(state, title, _side(states, workspace.path, cells), cells), title)
        )
    return picks


def _side(states: Sequence[State], path: str, cells: int) -> str:
    counts = [(state, states.count(state)) for state in _ORDER if state in states and state != "empty"]
    if cells >= WORDS_FROM:
        words = ", ".join(f"{number} {WORDS[state]}" for state, number in counts)
        return words or count.plural(len(states), "session")
    return " ".join(f"{MARKS[state][0]}{number}" for state, number in counts) if cells >= BADGES_FROM else ""


def _marked(state: State, title: str, side: str, cells: int) -> Line:
    mark, role = MARKS[state]
    room = cells - 2 - (width(side) + 2 if side else 0)
    shown = cut_line((Span(title),), max(4, room))
    gap = room - sum(width(span.text) for span in shown)
    tail = (Span(" " * max(2, gap + 2)), Span(side, "muted")) if side else ()
    return cut_line((Span(f"{mark} ", role), *shown, *tail), cells)


def row_line(line: Line, cells: int, *, here: bool) -> Line:
    """A row of a list, marked and selected where the cursor is."""
    row = cut_line((Span("▸ " if here else "  "), *line), cells)
    return with_role((*row, Span(" " * (cells - cells_of(row)))), "selected") if here else row


def legend(cells: int) -> list[Line]:
    """What the marks mean, for where the words do not stand beside them: one line in the longest words that fit, or
    two."""
    for words in (WORDS, _SHORT_WORDS):
        line = _explained(_ORDER, words)
        if cells_of(line) <= cells:
            return [line]
    return [cut_line(_explained(states, _SHORT_WORDS), cells) for states in (_ORDER[:2], _ORDER[2:])]


def _explained(states: Sequence[State], words: Mapping[State, str]) -> Line:
    parts: list[Span] = []
    for state in states:
        mark, role = MARKS[state]
        parts += [Span("  ")] if parts else []
        parts += [Span(f"{mark} ", role), Span(words[state], "muted")]
    return tuple(parts)
