"""The draft of a session: kept while it is typed, put aside while something else is answered (case J16)."""

from collections.abc import Mapping
from typing import Any

from htui.composer.editor import Editor
from htui.composer.store import DraftStore
from htui.mirror import SessionMirror
from htui.screens.outbox import Outbox

_LOOK_BACK = 2000


class Drafting:
    """Connects an editor with its copy on disk. `delay` is how long after a change the copy may be behind (seconds).

    What is in doubt in the outbox is kept beside the draft.
    """

    delay = 0.5

    def __init__(self, store: DraftStore, editor: Editor, outbox: Outbox, session_id: str) -> None:
        self._store = store
        self._editor = editor
        self._outbox = outbox
        self._session_id = session_id
        self._parked: Mapping[str, Any] | None = None
        self._due = False
        self._learned = -1

    @property
    def parked(self) -> bool:
        return self._parked is not None

    def load(self) -> None:
        kept = self._store.load(self._session_id)
        if kept is not None:
            self._editor.restore(kept)
            self._outbox.restore(kept.get("doubts"))

    def touch(self) -> bool:
        """Notes a change; True when `save` has to be called after `delay`."""
        due, self._due = self._due, True
        return not due

    def save(self) -> None:
        self._due = False
        state = self._editor.state() if self._parked is None else self._parked
        doubts = self._outbox.doubts()
        self._store.save(self._session_id, {**state, "doubts": doubts} if doubts else state)

    def park(self) -> None:
        """Puts the draft aside. There is one place: what is aside already stays there."""
        if self._parked is None and not self._editor.empty:
            self._parked = self._editor.state()
        self._editor.restore({})

    def unpark(self) -> bool:
        """Brings it back where nothing else was typed meanwhile; True when it did."""
        if self._parked is None or not self._editor.empty:
            return False
        self._editor.restore(self._parked)
        self._parked = None
        return True

    def learn(self, mirror: SessionMirror) -> None:
        """Takes the prompts of the log for recall."""
        rows = mirror.rows
        if len(rows) == self._learned:
            return
        self._learned = len(rows)
        first = max(0, len(rows) - _LOOK_BACK)
        self._editor.set_recall([rows[i].text for i in range(first, len(rows)) if rows[i].kind == "user"])
