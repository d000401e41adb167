"""Prompts on their way: what was sent and is not in the log yet (CLIENT 1.10)."""

from dataclasses import dataclass, replace
from typing import Literal

from htui.mirror import SessionMirror
from htui.present.lines import Line, Span, cut_line
from htui.present.safe import one_line

Mode = Literal["queue", "steer"]

_LOOK_BACK = 200


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was given to the host. `accepted` once it answered."""

    request_id: str
    text: str
    mode: Mode
    accepted: bool = False


class Outbox:
    """Prompts of one session, oldest first. A prompt leaves it when the host recorded it, or refused it."""

    def __init__(self) -> None:
        self._sent: dict[str, Sent] = {}

    def __len__(self) -> int:
        return len(self._sent)

    def mode(self, *, running: bool) -> Mode:
        """How the next prompt is sent: what is on its way counts as a running turn."""
        return "steer" if running or self._sent else "queue"

    def add(self, request_id: str, text: str, mode: Mode) -> None:
        self._sent[request_id] = Sent(request_id, text, mode)

    def accepted(self, request_id: str) -> None:
        if request_id in self._sent:
            self._sent[request_id] = replace(self._sent[request_id], accepted=True)

    def drop(self, request_id: str) -> None:
        self._sent.pop(request_id, None)

    def settle(self, mirror: SessionMirror) -> None:
        """Drops what the log or the queue holds by now."""
        if not self._sent:
            return
        rows = mirror.rows
        for index in range(len(rows) - 1, max(-1, len(rows) - _LOOK_BACK), -1):
            request_id = rows[index].request_id
            if request_id is not None:
                self._sent.pop(request_id, None)
        for item in mirror.queue:
            if item.request_id is not None:
                self._sent.pop(item.request_id, None)

    def lines(self, cells: int) -> list[Line]:
        return [
            cut_line(
                (
                    Span("Sent", "busy"),
                    Span(f" · waiting for the host to record it · {one_line(s.text, 200)}", "muted"),
                ),
                cells,
            )
            for s in self._sent.values()
        ]
