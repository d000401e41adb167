"""Sees to it that an ask that goes away says why: another client decided it, perhaps before the answer from here."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from htui.mirror import PendingAsk, SessionMirror
from htui.present.decided import decided_words


@dataclass(frozen=True, slots=True)
class _Seen:
    """`since` is where the log stood when the ask was first seen."""

    ask: PendingAsk
    since: int
    answered: bool = False


class Witness:
    """Remembers the asks that were seen until the log says what became of them, or their turn is over."""

    def __init__(self, mirror: SessionMirror) -> None:
        self._mirror = mirror
        self._seen: dict[str, _Seen] = {}

    def answered(self, ask: PendingAsk) -> None:
        """An answer from here is on its way."""
        seen = self._seen.get(ask.event_id) or _Seen(ask, self._mirror.cursor)
        self._seen[ask.event_id] = replace(seen, answered=True)

    def look(self, asks: Iterable[PendingAsk], me: str) -> list[str]:
        """What is to be told now; `asks` are those that wait, `me` is the id of this client."""
        if not self._mirror.loaded:
            return []
        waiting = {ask.event_id: ask for ask in asks}
        for event_id, ask in waiting.items():
            self._seen.setdefault(event_id, _Seen(ask, self._mirror.cursor))
        told = []
        for event_id, seen in list(self._seen.items()):
            if event_id in waiting:
                continue
            made = next((d for d in self._mirror.decided if d.seq > seen.since and d.settles(seen.ask)), None)
            if made is not None:
                told.append(
                    decided_words(made.kind, made.outcome, made.by, made.answers, me=me, answered=seen.answered)
                )
            if made is not None or not self._mirror.running:
                del self._seen[event_id]
        return [text for text in told if text]
