"""The draft of a session: kept while it is typed, put aside while something else is answered (case J16)."""

from collections.abc import Callable, Mapping
from typing import Any

from htui.composer.editor import Editor
from htui.composer.shared import with_aside
from htui.composer.store import ASIDE, DraftStore, asides
from htui.mirror import SessionMirror
from htui.screens.conversation import Conversation
from htui.screens.outbox import Outbox
from htui.screens.shared_draft import Met, SharedDraft

_LOOK_BACK = 2000
_PAGES = 20
"""Pages that are fetched for one earlier prompt."""


class Drafting:
    """Connects an editor with its copies on disk and at the host.

    `delay` is how long after a change the copies may be behind (seconds). Beside the draft are kept what is in doubt in
    the outbox, and the texts that were cleared or replaced: recall brings them back. `answering` tells that the
    composer holds an answer, which is nobody's draft.
    """

    delay = 0.5

    def __init__(
        self,
        store: DraftStore,
        editor: Editor,
        outbox: Outbox,
        shared: SharedDraft,
        session_id: str,
        answering: Callable[[], bool],
    ) -> None:
        self.shared = shared
        self._store = store
        self._editor = editor
        self._outbox = outbox
        self._session_id = session_id
        self._answering = answering
        self._parked: Mapping[str, Any] | None = None
        self._aside: tuple[str, ...] = ()
        self._due = False
        self._learned = -1
        self._look_back = _LOOK_BACK
        self._reaching = False

    @property
    def parked(self) -> bool:
        return self._parked is not None

    def load(self) -> None:
        kept = self._store.load(self._session_id)
        if kept is not None:
            self._editor.restore(kept)
            self._outbox.restore(kept.get("doubts"))
            for text in asides(kept):
                self.set_aside(text)
            agreed = kept.get("agreed")
            self.shared.begin(self._draft(), agreed if isinstance(agreed, int) else None)

    def touch(self) -> bool:
        """Notes a change; True when `save` has to be called after `delay`."""
        self.shared.note(self._draft())
        due, self._due = self._due, True
        return not due

    def save(self) -> None:
        """Writes the copy on disk."""
        self._due = False
        state = {**(self._editor.state() if self._parked is None else self._parked), **self.shared.kept()}
        doubts = self._outbox.doubts()
        more = ({"doubts": doubts} if doubts else {}) | ({"aside": list(self._aside)} if self._aside else {})
        self._store.save(self._session_id, state | more)

    async def keep(self) -> None:
        """Writes the copy on disk, and gives the host its own."""
        self.save()
        if await self.shared.push(self._draft):
            self.save()

    def meet(self, items: list[Any]) -> Met:
        """Takes what the host has (`drafts/follow`)."""
        met = self.shared.meet(items, self._draft())
        if met.adopted is not None:
            self._adopt(met.adopted)
        self.set_aside(met.aside)
        return met

    def set_aside(self, text: str) -> None:
        """Keeps a text where recall finds it, also after a restart."""
        if text.strip():
            self._editor.remember(text)
            self._aside = with_aside(self._aside, text, ASIDE)

    def forget(self, text: str) -> None:
        """A text was sent: the log has it."""
        self._aside = tuple(known for known in self._aside if known != text)

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
        first = max(0, len(rows) - self._look_back)
        self._editor.set_recall([rows[i].text for i in range(first, len(rows)) if rows[i].kind == "user"])

    async def recall_further(self, conversation: Conversation) -> None:
        """Fetches older pages until one has a prompt, and shows it; pages without any are passed over."""
        if self._reaching or self._answering():
            return
        self._reaching = True
        try:
            await self._reach(conversation)
        finally:
            self._reaching = False

    async def _reach(self, conversation: Conversation) -> None:
        mirror, before = conversation.mirror, self._editor.draft
        for _ in range(_PAGES):
            size = len(mirror.rows)
            if not mirror.has_more:
                return
            await conversation.older()
            if len(mirror.rows) == size:
                return  # nothing came, and why was told
            self._look_back = max(self._look_back, len(mirror.rows))
            self.learn(mirror)
            if not self._editor.at_oldest:
                if self._editor.draft == before:
                    self._editor.recall_earlier()
                return

    def _draft(self) -> Mapping[str, Any]:
        if self._parked is not None:
            return self._parked
        return {} if self._answering() else self._editor.state()

    def _adopt(self, state: Mapping[str, Any]) -> None:
        if self._parked is not None or self._answering():
            self._parked = state if state.get("text") else None
        else:
            self._editor.adopt(str(state.get("text") or ""), int(state.get("caret") or 0))
