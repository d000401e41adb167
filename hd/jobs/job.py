"""One job: what it is, how it stands, and the newest part of its output."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal

OUTPUT_LIMIT: Final = 128 * 1024
"""Characters of output that are kept of a job; the oldest go first."""

_PIECE: Final = 8 * 1024

Status = Literal["running", "stopping", "completed", "killed", "failed"]


class Bell:
    """Wakes everybody who listens, as often as it rings."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Event] = set()

    def ring(self) -> None:
        for listener in self._listeners:
            listener.set()

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        listener = asyncio.Event()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)


class Job:
    """A job of a session. Offsets of its output count characters from its beginning; times are in ms."""

    def __init__(self, job_id: str, *, kind: str, label: str, owner: str, call_id: str, started_at: int) -> None:
        self.id: Final = job_id
        self.owner: Final = owner
        self.stop: Final = asyncio.Event()
        self.stopped_by = "a person"
        self.bell: Final = Bell()
        self.status: Status = "running"
        self.detail: str | None = None
        self.finished_at: int | None = None
        self.number = 0
        """What the model calls it by; known once it is a fact of its session."""
        self.pages: list[str] = []
        """Web pages that it serves."""
        self.spill: str | None = None
        self.left = False
        """The command is over, and something that it started is not."""
        self.kept = False
        """A person wants that to outlive the turn."""
        self.kind: Final = kind
        self.label: Final = label
        self._call_id = call_id
        self._started_at = started_at
        self._pieces: deque[tuple[int, str]] = deque()
        self.total = 0
        self.earliest = 0

    def facts(self) -> dict[str, Any]:
        """What `job/registered` and `job/settled` have in common."""
        return {
            "jobId": self.id,
            "owner": self.owner,
            "kind": self.kind,
            "label": self.label,
            "startedAt": self._started_at,
            "toolCall": {"callId": self._call_id, "rootCallId": self._call_id},
        }

    def row(self) -> dict[str, Any]:
        """The job as the `job/*` streams show it."""
        output: dict[str, Any] = {"total": self.total, "earliest": self.earliest}
        if self.spill is not None:
            output["spillPaths"] = [self.spill]
        row: dict[str, Any] = {
            "id": self.id,
            "number": self.number,
            "kind": self.kind,
            "label": self.label,
            "owner": self.owner,
            "outputLimitBytes": OUTPUT_LIMIT,
            "status": self.status,
            "startedAt": self._started_at,
            "output": output,
        }
        more = {"detail": self.detail, "finishedAt": self.finished_at, "pages": list(self.pages) or None}
        if self.finished_at is None:
            more |= {"left": self.left or None, "kept": self.kept or None}
        return row | {key: value for key, value in more.items() if value is not None}

    def add(self, text: str) -> None:
        """Takes output in."""
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            self._pieces.append((self.total, piece))
            self.total += len(piece)
        while self.total - self.earliest > OUTPUT_LIMIT and len(self._pieces) > 1:
            self._pieces.popleft()
            self.earliest = self._pieces[0][0]
        if text:
            self.bell.ring()

    def output(self, start: int) -> list[dict[str, Any]]:
        """The kept output from an offset on; the first chunk says so when what was between is gone."""
        chunks: list[dict[str, Any]] = []
        for at, text in self._pieces:
            if at + len(text) <= start:
                continue
            skipped = max(0, start - at)
            chunk: dict[str, Any] = {"at": at + skipped, "text": text[skipped:]}
            if not chunks and at > start:
                chunk["gapBefore"] = True
            chunks.append(chunk)
        return chunks

    def tail(self, lines: int) -> str:
        """The last lines of the output that is kept."""
        text = "".join(piece for _, piece in self._pieces)
        return "\n".join(text.rstrip("\n").split("\n")[-lines:])
