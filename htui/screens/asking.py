"""The place for what waits in the open session: the card, and which call it is about."""

from typing import TYPE_CHECKING

from htui.mirror import PendingAsk, SessionMirror
from htui.present.approval import Card, card
from htui.screens import facts as f
from htui.widgets.cards import ApprovalCard, QuestionCard

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class AskSlot:
    """Shows the oldest ask as a card above the composer. A sub-agent's session is followed to see its call."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen
        self._card: ApprovalCard | QuestionCard | None = None
        self._child: SessionMirror | None = None
        self._room = 10

    @property
    def ask(self) -> PendingAsk | None:
        return None if self._card is None else self._card.ask

    @property
    def writing(self) -> bool:
        """True while the composer holds the answer to a question."""
        return isinstance(self._card, QuestionCard) and self._card.writing

    @property
    def allowed(self) -> bool:
        """True when the approval at hand may be given: its end has been in sight."""
        return isinstance(self._card, ApprovalCard) and self._card.seen

    def others(self) -> int:
        """How many sessions besides this one wait for a person."""
        host = self._screen.desk.link.host
        here = {ask.event_id for ask in f.asks_here(self._screen.conversation.session_id, host)}
        return len({ask.session_id for ask in host.asks if ask.event_id not in here})

    def update(self) -> None:
        """Shows, changes or removes the card."""
        conversation = self._screen.conversation
        host = self._screen.desk.link.host
        asks = f.asks_here(conversation.session_id, host)
        for text in conversation.witness.look(asks, host.client_id):
            conversation.say(text)
        asks = [ask for ask in asks if ask.event_id not in conversation.answering]
        if not asks:
            self._remove()
        elif self._card is None or self._card.ask.event_id != asks[0].event_id:
            self._remove()
            self._add(asks[0], len(asks) - 1)
        elif isinstance(self._card, ApprovalCard):
            self._card.set_card(self._facts(asks[0]), len(asks) - 1)
        self._set_card_room()

    def tick(self) -> None:
        """Nothing on a card changes by time alone."""

    def set_room(self, rows: int) -> None:
        self._room = rows
        self._set_card_room()

    def set_shown(self, shown: bool) -> None:
        """A panel covers the card, or no longer does."""
        if self._card is not None and self._card.display != shown:
            self._card.display = shown
            self._card.appear()

    def press(self, key: str) -> bool:
        was = self.writing
        taken = self._card is not None and self._card.display and self._card.press(key)
        if self.writing and not was:
            self._screen.edited()
        return taken

    def write(self, text: str) -> None:
        if isinstance(self._card, QuestionCard):
            self._card.write(text.strip())

    def back(self) -> None:
        if isinstance(self._card, QuestionCard):
            self._card.back()

    def dismiss(self) -> None:
        if isinstance(self._card, QuestionCard) and self._card.armed:
            self._card.dismiss()

    def close(self) -> None:
        self._forget_child()

    def _add(self, ask: PendingAsk, more: int) -> None:
        screen = self._screen
        theme, moment = screen.desk.palette, screen.desk.moment
        self._follow_child(ask)
        if ask.kind == "approval":
            self._card = ApprovalCard(theme, ask, self._facts(ask), moment, more)
        else:
            self._card = QuestionCard(theme, ask, moment)
        self._card.room = self._room
        self._card.display = not screen.panels.open
        screen.mount(self._card, before=screen.feed)

    def _remove(self) -> None:
        if self._card is None:
            return
        self._card.remove()
        self._card = None
        self._forget_child()
        if self._screen.drafting.unpark():
            self._screen.call_later(self._screen.edited)

    def _set_card_room(self) -> None:
        if self._card is not None:
            self._card.set_room(self._room, typing=not self._screen.editor.empty and not self.writing)

    def _facts(self, ask: PendingAsk) -> Card:
        mirror = self._child or self._screen.conversation.mirror
        call_id = ask.request.get("callId")
        return card(ask.request, f.call_row(mirror, call_id if isinstance(call_id, str) else ""))

    def _follow_child(self, ask: PendingAsk) -> None:
        if ask.session_id != self._screen.conversation.session_id:
            self._child = self._screen.desk.follow(ask.session_id)

    def _forget_child(self) -> None:
        if self._child is not None:
            self._screen.desk.release(self._child.session_id)
            self._child = None
