"""What waits for a person: the card of an approval and the card of a question (rows T11, X8, cases E01, E03, J17).

A card takes keys only after it has stood there for a moment and while nothing is being typed; nothing is chosen when it
appears. The clock is given, so that tests need not wait.
"""

from collections.abc import Callable, Mapping
from typing import Any

from textual.events import Resize
from textual.message import Message

from htui.mirror.rows import PendingAsk
from htui.present import question as q
from htui.present.approval import Card, payload_lines
from htui.present.ask_lines import (
    QuestionParts,
    View,
    about_lines,
    always_lines,
    approval_lines,
    choice_lines,
    question_lines,
    question_parts,
)
from htui.present.lines import Line
from htui.theme import Theme
from htui.widgets.lines import Lines

GUARD = 0.5
"""Seconds after a card appears in which no key answers it."""

ALLOWED = {"kind": "result", "value": "allowed-once"}
DENIED = {"kind": "result", "value": "rejected"}
ALLOWED_ALWAYS = {"kind": "result", "value": "allowed-always"}
_OUTCOMES = (ALLOWED, DENIED, None, ALLOWED_ALWAYS)
_ALLOWING = (0, 3)
_TYPING = "Finish or clear what you type first · Esc puts it aside"


class Answered(Message):
    """A person decided. `outcome` is what goes to the host; None stands for stopping the turn."""

    def __init__(self, ask: PendingAsk, outcome: Mapping[str, Any] | None) -> None:
        super().__init__()
        self.ask = ask
        self.outcome = outcome


class _AskCard(Lines):
    """What both cards share: when keys count, and how much room there is."""

    def __init__(self, theme: Theme, ask: PendingAsk, now: Callable[[], float]) -> None:
        super().__init__(theme)
        self.ask = ask
        self._now = now
        self._since = now()
        self._typing = False
        self.room = 10
        """Lines that may be used at most."""

    @property
    def armed(self) -> bool:
        """True once keys may answer."""
        return not self._typing and self._now() - self._since >= GUARD

    def on_mount(self) -> None:
        self.update()

    def on_resize(self, event: Resize) -> None:
        self.update()

    def appear(self) -> None:
        """The card is in sight again: keys count only after a moment."""
        self._since = self._now()

    def set_room(self, rows: int, *, typing: bool) -> None:
        """How many lines there are, and whether the composer holds text of another purpose."""
        if (rows, typing) != (self.room, self._typing):
            self.room, self._typing = rows, typing
            self.update()

    def press(self, key: str) -> bool:
        """Takes a key; False when it is none of the card's, or it came too early."""
        raise NotImplementedError

    def update(self) -> None:
        raise NotImplementedError


class ApprovalCard(_AskCard):
    """Asks to allow one call. Allowing is offered once the end of what would be done has been in sight."""

    def __init__(self, theme: Theme, ask: PendingAsk, card: Card, now: Callable[[], float], more: int = 0) -> None:
        super().__init__(theme, ask, now)
        self._card = card
        self._more = more
        self._top = 0
        self._cursor = -1
        self._seen = False
        self._hint = ""

    @property
    def seen(self) -> bool:
        return self._seen

    def set_card(self, card: Card, more: int) -> None:
        """What is known of the call became another: what was seen before counts for nothing."""
        if card != self._card:
            self._card, self._seen, self._top = card, False, 0
            self._since = self._now()
        elif more == self._more:
            return
        self._more = more
        self.update()

    def press(self, key: str) -> bool:
        if not self.armed:
            return False
        self._hint = ""
        view = self._view()
        fits = view.total <= view.size
        match key:
            case "pagedown" | "pageup" | "ctrl+d" | "ctrl+u" if fits:
                return False
            case "1":
                self._choose(0)
            case "2":
                self._choose(1)
            case "3":
                self._choose(2)
            case "4" if self._always:
                self._choose(3)
            case "up" | "down" if self._cursor < 0:
                self._cursor = 0 if key == "down" else self._choices - 1
            case "up" | "down":
                self._cursor = (self._cursor + (1 if key == "down" else -1)) % self._choices
            case "enter":
                if self._cursor >= 0:
                    self._choose(self._cursor)
            case "pagedown" | "space" | "ctrl+d":
                self._top = view.moved(max(1, view.size - 1)).top
            case "pageup" | "ctrl+u":
                self._top = view.moved(-max(1, view.size - 1)).top
            case _:
                return False
        self.update()
        return True

    def update(self) -> None:
        if self._cursor >= self._choices:
            self._cursor = -1
        view = self._view()
        self._top = view.top
        if not view.below and self.is_attached:
            self._seen = True
        hint = _TYPING if self._typing else self._hint
        self.show(
            approval_lines(
                self._card,
                view,
                self._about(),
                self.cells,
                seen=self._seen,
                cursor=self._cursor,
                hint=hint,
                more=self._more,
                always=self._always,
            )
        )

    def _choose(self, choice: int) -> None:
        if choice in _ALLOWING and not self._seen:
            self._hint = "Read it to its end first: PgDn or space."
            return
        self.post_message(Answered(self.ask, _OUTCOMES[choice]))

    @property
    def _always(self) -> bool:
        """Whether the choice that makes a rule is offered: only where all of its words fit, and take the place of
        neither the payload nor the reason."""
        words = len(always_lines(self._card, self.cells))
        told = self._least() + bool(self._card.reason) + bool(self._card.blocked)
        return words > 0 and self.room - self._standing(always=True) - words >= told

    @property
    def _choices(self) -> int:
        return 4 if self._always else 3

    def _about(self) -> list[Line]:
        """The words about the call, as far as there is room beside two lines of the payload and the choices."""
        return about_lines(self._card, self.cells, self.room - self._fixed() - self._least())

    def _least(self) -> int:
        """Lines of the payload that go before all words about it."""
        return min(2, len(payload_lines(self._card, self.cells)))

    def _fixed(self) -> int:
        """Lines that must always be in sight: the title, the choices and a hint."""
        always = self._always
        return self._standing(always=always) + (len(always_lines(self._card, self.cells)) if always else 0)

    def _standing(self, *, always: bool) -> int:
        choices = len(choice_lines(self.cells, seen=self._seen, cursor=-1, always=always))
        return 1 + choices + (1 if self._typing or self._hint else 0)

    def _view(self) -> View:
        """The part of the payload that there is room for, with a line that says where it stands if it is not all."""
        total = len(payload_lines(self._card, self.cells))
        room = self.room - self._fixed() - len(self._about())
        size = total if total <= room else max(1, room - 1)
        return View(self._top, size, total).moved(0)


class QuestionCard(_AskCard):
    """Asks the questions of one request, one after the other. A plan can be approved once its end was in sight."""

    def __init__(self, theme: Theme, ask: PendingAsk, now: Callable[[], float]) -> None:
        super().__init__(theme, ask, now)
        self.asking = q.begin(ask.request)
        self._top = 0
        self._seen = False
        self._hint = ""

    @property
    def writing(self) -> bool:
        """True while the answer is written in the composer."""
        return self.asking.writing

    def press(self, key: str) -> bool:
        if not self.armed:
            return False
        self._hint = ""
        if self._scrolled(key):
            return True
        if self.writing:
            return False
        after = q.press(self.asking, key)
        if q.approves(self.asking, after) and not self._seen:
            self._hint = "Read the plan to its end first: PgDn or space."
            self.update()
            return True
        if after is self.asking and key not in ("enter", "space", "up", "down"):
            return False
        self._take(after)
        return True

    def _scrolled(self, key: str) -> bool:
        """Scrolls what is asked; False for another key, or where all of it is in sight."""
        view = self._parts().view
        by = {"pagedown": 1, "pageup": -1}.get(key, 0)
        if not self.writing:
            by = by or {"ctrl+d": 1, "ctrl+u": -1}.get(key, 0)
            by = 1 if key == "space" and self.asking.cursor < 0 and view.below else by
        if not by or view.total <= view.size:
            return False
        self._top = view.moved(by * max(1, view.size - 1)).top
        self.update()
        return True

    def write(self, text: str) -> None:
        """The answer in one's own words."""
        self._take(q.write(self.asking, text))

    def back(self) -> bool:
        """From writing back to the choices; False when there is no way back."""
        after = q.back(self.asking)
        changed = after is not self.asking
        self._take(after)
        return changed

    def dismiss(self) -> None:
        self.post_message(Answered(self.ask, q.CANCELLED))

    def update(self) -> None:
        if self.asking.done:
            self.show([])
            return
        parts = self._parts()
        self._top = parts.view.top
        if not parts.view.below and self.is_attached:
            self._seen = True
        self.show(question_lines(parts, self._told(), self.cells)[: max(1, self.room)])

    def _parts(self) -> QuestionParts:
        return question_parts(self.asking, self.cells, self.room - 1, self._top)

    def _told(self) -> str:
        if self._typing and not self.writing:
            return _TYPING
        if self._hint:
            return self._hint
        if self.writing:
            return "Esc goes back"
        if self.asking.question.multiple:
            return "digits toggle · Enter confirms · Esc dismisses"
        return "digit answers · Esc dismisses"

    def _take(self, asking: q.Asking) -> None:
        if asking.index != self.asking.index:
            self._top, self._seen = 0, False
        self.asking = asking
        if asking.done:
            self.post_message(Answered(self.ask, asking.outcome))
        self.update()
