"""The texts that were last read and written, so that a stale write can be told what is new on disk (case A14)."""

import threading
from collections import OrderedDict

_BUDGET = 8 << 20


class Versions:
    """Texts by the hash of their bytes, the least recently used ones dropped beyond `budget` characters."""

    def __init__(self, budget: int = _BUDGET) -> None:
        self._budget = budget
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, digest: str, text: str) -> None:
        if len(text) > self._budget:
            return
        with self._lock:
            if digest in self._texts:
                self._texts.move_to_end(digest)
                return
            self._texts[digest] = text
            self._size += len(text)
            while self._size > self._budget:
                _, dropped = self._texts.popitem(last=False)
                self._size -= len(dropped)

    def text(self, digest: str) -> str | None:
        """The text, or None when it was never seen or is no longer held."""
        with self._lock:
            return self._texts.get(digest)
