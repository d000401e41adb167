"""The commands that run or ran in a session, and what they print: pure (WIRE 14, `job/*`)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from htui.present import when
from htui.present.lines import Line, Span, cut_line
from htui.present.picks import Pick
from htui.present.safe import one_line, safe

KEPT = 256 * 1024
"""Characters of output that are held; the oldest lines go first."""

LONGEST = 4 * 1024
"""Characters of a line; the rest of a longer one stands in the next, so that no line takes long to be drawn."""

TERMINAL = "terminal"
"""The kind of a command that can be typed into."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_OVER = frozenset({"completed", "killed", "failed"})


@dataclass(frozen=True, slots=True)
class Job:
    """A command; times are in ms, `finished` is 0 while it runs.

    `number` is what `/tail` and `/kill` call it by; a host that gives none has 0 there. `page` is the first web page
    that it serves. One of the kind `terminal` can be typed into. `stays` is `left` for one that is over but has left
    something running, which ends with the turn, and `kept` where a person wants that to go on.
    """

    id: str
    label: str
    status: str
    detail: str
    started: int
    finished: int
    number: int = 0
    page: str = ""
    kind: str = ""
    stays: str = ""

    @property
    def running(self) -> bool:
        return not self.finished and self.status not in _OVER

    @property
    def stopping(self) -> bool:
        return self.running and self.status == "stopping"


def job_of(wire: object) -> Job | None:
    """A row of `job/list`, of `job/follow` or of the `jobs` frames of 0.1.5; None without an id."""
    row: Mapping[str, Any] = wire if isinstance(wire, Mapping) else {}
    job_id = row.get("id")
    if not isinstance(job_id, str) or not job_id:
        return None
    return Job(
        job_id,
        one_line(str(row.get("label") or row.get("kind") or "a command"), 300, strict=True),
        one_line(str(row.get("status") or ""), 20),
        one_line(str(row.get("detail") or ""), 200),
        _whole(row.get("startedAt")),
        _whole(row.get("finishedAt")),
        _whole(row.get("number")),
        _first(row.get("pages")),
        str(row.get("kind") or ""),
        "kept" if row.get("kept") is True else "left" if row.get("left") is True else "",
    )


def jobs_of(rows: object) -> tuple[Job, ...]:
    """Those that run first, then the latest."""
    found = [job for job in map(job_of, rows) if job is not None] if isinstance(rows, list | tuple) else []
    return tuple(sorted(found, key=lambda job: (not job.running, -job.started)))


def state_text(job: Job, now: int) -> str:
    """How a command stands: `running 12s`, `left running 12s`, `exit code: 0 · 3s`."""
    if job.running:
        word = "stopping" if job.stopping else f"{job.stays} running".strip()
        return f"{word} {when.short((now - job.started) // 1000)}" if job.started else word
    took = f" · {when.short((job.finished - job.started) // 1000)}" if job.started and job.finished else ""
    return f"{job.detail or job.status or 'ended'}{took}"


def job_picks(jobs: tuple[Job, ...], now: int) -> list[Pick]:
    """The rows of the list, with the whole command as what is said about one."""
    picks = []
    for job in jobs:
        mark = Span("◐ ", "busy") if job.running else Span("· ", "muted")
        number = f"#{job.number} " if job.number else ""
        page = f"{job.page} · " if job.running and job.page else ""
        state = state_text(job, now).removeprefix("running ")  # The mark says it, and there may be little room.
        line = (mark, Span(f"{number}{state} · {page}", "muted"), Span(job.label, "code"))
        picks.append(Pick(job.id, line, detail=job.label))
    return picks


class Output:
    """What a command printed, as lines: the newest `KEPT` characters of it."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self._size = 0

    def begin(self) -> None:
        """The output comes anew."""
        self.lines, self._size = [""], 0

    def add(self, text: str, *, gap: bool = False) -> int:
        """Takes output in; how many lines went at the beginning."""
        if gap:
            self._grow("\n… what was printed in between is gone …\n")
        self._grow(text)
        dropped = 0
        while self._size > KEPT and dropped < len(self.lines) - 1:
            self._size -= len(self.lines[dropped]) + 1
            dropped += 1
        del self.lines[:dropped]
        return dropped

    def shown(self, index: int) -> str:
        """A line as a terminal would leave it: without colours, and what a carriage return overwrote is gone."""
        line = _COLOURS.sub("", self.lines[index]).rstrip("\r")
        return safe(line.rpartition("\r")[2])

    def _grow(self, text: str) -> None:
        first, *more = text.split("\n")
        begun = self.lines.pop()
        came = [piece for line in (begun + first, *more) for piece in _pieces(line)]
        self.lines += came
        self._size += sum(map(len, came)) + len(came) - 1 - len(begun)


def _pieces(line: str) -> Sequence[str]:
    """The line in pieces that are short enough. Of a long one, what a carriage return overwrote goes first."""
    if len(line) <= LONGEST:
        return (line,)
    line = line[line.rstrip("\r").rfind("\r") + 1 :]
    return [line[place : place + LONGEST] for place in range(0, len(line), LONGEST)]


def foot(job: Job, cells: int, *, asking: bool, note: str, following: bool) -> Line:
    """The last line of a command's screen: a question, what went wrong, or the keys."""
    if asking:
        return cut_line((Span("Stop it? y stops it · any other key not", "needs"),), cells)
    if note:
        return cut_line((Span(note, "warning"),), cells)
    keys = ["Esc goes back", *(["s stops it"] if job.running and not job.stopping else [])]
    keys += ["t types into it"] if job.running and job.kind == TERMINAL and job.number else []
    keys += ["PgUp PgDn"] if following else ["End follows"]
    return cut_line((Span(" · ".join(keys), "muted"),), cells)


def _first(pages: object) -> str:
    return one_line(str(pages[0]), 100, strict=True) if isinstance(pages, list | tuple) and pages else ""


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
