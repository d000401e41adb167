"""What the host publishes about one session besides its log (WIRE 6).

The same projection value arrives on several streams, which are not ordered among each other: control frames, list rows
and follow snapshots. Per key the one with the highest seq counts.
"""

from collections.abc import Mapping
from typing import Any

from hd.protocol.projections.inbox import queue_items
from htui.mirror.rows import QueueItem, queue_item

_UNMARKED = -(2**62)


class Values:
    """Projection values, queue and jobs of a session; grows in place. The host's mirror and the session's share it."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._marks: dict[str, int] = {}
        self._queue: tuple[QueueItem, ...] | None = None
        self.jobs: tuple[Mapping[str, Any], ...] = ()

    def put(self, key: str, value: Any, seq: int) -> bool:
        """Takes one value as of `seq`; False when it is older than what is held, or the same."""
        if seq <= self._marks.get(key, _UNMARKED):
            return False
        self._marks[key] = seq
        changed = key not in self._values or self._values[key] != value
        self._values[key] = value
        return changed

    def seed(self, as_of: int, values: Mapping[str, Any]) -> frozenset[str]:
        """Takes a block of values that are all as of `as_of`; the keys that changed."""
        return frozenset([key for key, value in values.items() if self.put(key, value, as_of)])

    def begin(self) -> None:
        """For a new connection: what is held stays readable until anything newer arrives, however low its seq."""
        self._marks.clear()
        self._queue = None

    def get(self, key: str) -> Any:
        return self._values.get(key)

    def copy(self) -> dict[str, Any]:
        return dict(self._values)

    def set_queue(self, items: object) -> None:
        """Takes a whole queue as 0.1.5 hosts send it; it then counts instead of the `inbox` projection."""
        self._queue = _items(items) if isinstance(items, list) else ()

    def set_jobs(self, jobs: object) -> None:
        self.jobs = tuple(job for job in jobs if isinstance(job, Mapping)) if isinstance(jobs, list) else ()

    @property
    def queue(self) -> tuple[QueueItem, ...]:
        """What waits for a turn or a step, in order."""
        if self._queue is not None:
            return self._queue
        inbox = self._values.get("inbox")
        return _items(queue_items(inbox)) if isinstance(inbox, Mapping) else ()


def _items(wire: list[Any]) -> tuple[QueueItem, ...]:
    return tuple([item for item in map(queue_item, wire) if item is not None])
