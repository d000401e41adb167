"""Events and stores for the tests of this folder."""

from collections.abc import Iterable
from pathlib import Path

from hd.protocol.events import ASSISTANT_MESSAGE, STEP_START, USER_MESSAGE, Event
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.sqlite import SqliteStore


def event(seq: int, kind: str = STEP_START, *, surface: bool = False, sources: tuple[int, ...] = ()) -> StoredEvent:
    return StoredEvent.of(Event(kind, seq, 1_000 + seq, {"n": seq}, "append" if surface else None, sources))


def message(seq: int, *sources: int) -> StoredEvent:
    kind = USER_MESSAGE if seq % 2 else ASSISTANT_MESSAGE
    return event(seq, kind, surface=True, sources=sources)


def plain(seqs: Iterable[int]) -> list[StoredEvent]:
    return [event(seq) for seq in seqs]


async def written(path: Path, count: int) -> None:
    """A closed database with one session `session-a` of so many events, every third of them a message."""
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", [message(seq) if seq % 3 == 0 else event(seq) for seq in range(count)])
    await store.close()
