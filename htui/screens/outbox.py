"""Prompts on their way: what was sent and is not in the log yet (CLIENT 1.10)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from hd.protocol.ids import new_id
from htui.mirror import SessionMirror
from htui.present.lines import Line, Span, cut_line
from htui.present.safe import one_line

Mode = Literal["queue", "steer"]

_LOOK_BACK = 200
_MOST_DOUBTS = 16


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was given to the host. `accepted` once it answered."""

    request_id: str
    text: str
    mode: Mode
    accepted: bool = False


class Outbox:
    """Prompts of one session, oldest first. A prompt leaves it when the host recorded it, or refused it.

    A prompt that was refused, or whose answer was lost, may be taken in all the same. Its id is kept with its text, so
    that the same text goes out under the same id, which a host carries out once (WIRE 9).
    """

    def __init__(self) -> None:
        self._sent: dict[str, Sent] = {}
        self._doubtful: dict[str, str] = {}
        """Texts by the ids that they were sent under."""

    def __len__(self) -> int:
        return len(self._sent)

    def mode(self, *, running: bool) -> Mode:
        """How the next prompt is sent: what is on its way counts as a running turn."""
        return "steer" if running or self._sent else "queue"

    def request_id(self, text: str) -> str:
        """The id to send a text under: a new one, unless the host may hold the same text already."""
        found = next((known for known, sent in self._doubtful.items() if sent == text), None)
        if found is None:
            return new_id()
        del self._doubtful[found]
        return found

    def add(self, request_id: str, text: str, mode: Mode) -> None:
        self._sent[request_id] = Sent(request_id, text, mode)

    def accepted(self, request_id: str) -> None:
        if request_id in self._sent:
            self._sent[request_id] = replace(self._sent[request_id], accepted=True)

    def doubt(self, request_id: str, mirror: SessionMirror) -> bool:
        """The host did not say that it took a prompt in; False when its log shows that it did."""
        sent = self._sent.pop(request_id, None)
        if sent is None or request_id in _recorded(mirror):
            return False
        self._doubtful[request_id] = sent.text
        for oldest in list(self._doubtful)[:-_MOST_DOUBTS]:
            del self._doubtful[oldest]
        return True

    def settle(self, mirror: SessionMirror) -> list[str]:
        """Drops what the log or the queue holds by now; the texts of those that were in doubt."""
        if not self._sent and not self._doubtful:
            return []
        found = []
        for request_id in _recorded(mirror):
            self._sent.pop(request_id, None)
            text = self._doubtful.pop(request_id, None)
            if text is not None:
                found.append(text)
        return found

    def doubts(self) -> dict[str, str]:
        """What has to be kept for the next time that this session is opened."""
        return dict(self._doubtful)

    def restore(self, doubts: object) -> None:
        """Takes what `doubts` gave, whatever became of it in between."""
        if isinstance(doubts, Mapping):
            self._doubtful = {i: t for i, t in doubts.items() if isinstance(i, str) and isinstance(t, str)}

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


def _recorded(mirror: SessionMirror) -> Iterator[str]:
    """The ids of the latest prompts that the host holds."""
    rows = mirror.rows
    for index in range(len(rows) - 1, max(-1, len(rows) - _LOOK_BACK), -1):
        request_id = rows[index].request_id
        if request_id is not None:
            yield request_id
    yield from (item.request_id for item in mirror.queue if item.request_id is not None)
