"""The list of files while `@…` is typed: asked of the host, moved by arrows, taken by Tab."""

from typing import TYPE_CHECKING

from htui.composer.references import Mention, Reference, chosen, mention_at, references
from htui.errors import HtuiError
from htui.present.lines import Line, Span, cut_line

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen

ROWS = 5
_KEYS = "↑↓ choose · Tab takes · Esc closes"


class Mentions:
    """`changed` after every change of the draft. One question is on its way at a time; what is typed meanwhile is next.

    Enter takes a file only after an arrow chose one, so that a prompt is never changed by the key that sends it.
    """

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen
        self._mention: Mention | None = None
        self._found: tuple[Reference, ...] = ()
        self._cursor = 0
        self._moved = False
        self._asking = False
        self._closed_at: int | None = None
        """Where a list was closed: it stays so while this name is typed."""

    @property
    def open(self) -> bool:
        return self._mention is not None and bool(self._found)

    def changed(self) -> None:
        screen = self._screen
        mention = None if screen.asking.writing or screen.panels.open else mention_at(screen.editor.draft)
        if mention is None or mention.start != self._closed_at:
            self._closed_at = None
        if mention is None or self._closed_at is not None or not screen.conversation.online:
            self._mention, self._found = None, ()
            return
        if mention != self._mention:
            self._mention = mention
            self._cursor, self._moved = 0, False
            if not self._asking:
                screen.start(self._ask())

    async def _ask(self) -> None:
        self._asking = True
        asked = None
        try:
            while self._mention is not None and self._mention != asked:
                asked = self._mention
                found = await self._listed(asked.query)
                if self._mention == asked:
                    self._found = found
        finally:
            self._asking = False
            self._screen.changed_later()

    async def _listed(self, query: str) -> tuple[Reference, ...]:
        conversation = self._screen.conversation
        try:
            return references(
                await conversation.link.call("fileReferences/list", agentId=conversation.session_id, query=query)
            )
        except HtuiError:
            return ()

    def press(self, key: str) -> bool:
        """True when the key was the list's."""
        if not self.open:
            return False
        if key in ("up", "down"):
            self._cursor = (self._cursor + (1 if key == "down" else -1)) % len(self._found)
            self._moved = True
            self._screen.changed_later()
        elif key == "escape":
            self._closed_at = self._mention.start if self._mention else None
            self._screen.edited()
        elif key == "tab" or (key == "enter" and self._moved):
            self._take()
        else:
            return False
        return True

    def _take(self) -> None:
        editor, mention = self._screen.editor, self._mention
        if mention is not None:
            draft = chosen(editor.draft, mention, self._found[self._cursor])
            editor.replace(draft)
            self._found = ()
            self._screen.edited()

    def lines(self, cells: int) -> list[Line]:
        """The names around the highlighted one, and the keys."""
        if not self.open:
            return []
        top = max(0, min(self._cursor - ROWS + 2, len(self._found) - ROWS + 1))
        lines = []
        for place, found in list(enumerate(self._found))[top : top + ROWS - 1]:
            here = place == self._cursor
            lines.append(
                cut_line((Span("▸ " if here else "  "), Span(found.shown, "code" if here else "muted")), cells)
            )
        more = f" · {len(self._found)} found" if len(self._found) >= ROWS else ""
        return [*lines, cut_line((Span(_KEYS + more, "muted"),), cells)]
