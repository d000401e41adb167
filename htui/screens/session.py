"""A session on the screen: the conversation, what waits for a person, the composer and the status."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.events import Click, MouseScrollDown, MouseScrollUp

from htui.commands import Open
from htui.composer.editor import Editor
from htui.link.watch import Watch
from htui.paint.screen import Point
from htui.screens import facts as f
from htui.screens.asking import AskSlot
from htui.screens.base import KeyScreen
from htui.screens.command_table import complete, is_command
from htui.screens.conversation import Conversation
from htui.screens.desk import Desk
from htui.screens.drafting import Drafting
from htui.screens.effects import Effects
from htui.screens.ladder import escape, interrupt
from htui.screens.mentions import Mentions
from htui.screens.sending import Sending
from htui.screens.session_panels import SessionPanels
from htui.screens.shared_draft import SharedDraft
from htui.screens.surroundings import Surroundings
from htui.screens.welcome import welcome_lines
from htui.widgets.bars import Feed, Rule, StatusBar
from htui.widgets.cards import Answered
from htui.widgets.composer import Composer
from htui.widgets.panels import ChoicePanel
from htui.widgets.transcript import Transcript

WHEEL = 3


class SessionScreen(KeyScreen):
    """Everything that is typed goes to the composer, unless a panel or a card takes it first."""

    def __init__(self, desk: Desk, session_id: str) -> None:
        super().__init__(desk)
        theme = desk.palette
        self.conversation = Conversation(desk.follow(session_id), desk.link, desk.moment, self.changed_later)
        self.editor = Editor()
        self.transcript = Transcript(theme)
        self.feed = Feed(theme)
        self.rule = Rule(theme)
        self.composer = Composer(theme, self.editor)
        self.status = StatusBar(theme)
        self.asking = AskSlot(self)
        self.drafting = Drafting(
            desk.drafts,
            self.editor,
            self.conversation.outbox,
            SharedDraft(desk.link, session_id, desk.moment),
            session_id,
            lambda: self.asking.writing,
        )
        self.surroundings = Surroundings(self)
        self.sending = Sending(self)
        self.panels = SessionPanels(self)
        self.mentions = Mentions(self)
        self.effects = Effects(self)
        self._draft_watch: Watch | None = None
        self._last_interrupt: float | None = None
        self._ready = False

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.feed
        yield self.rule
        yield self.composer
        yield self.status

    @property
    def cursor(self) -> Point | None:
        return self.composer.cursor

    def on_mount(self) -> None:
        self._ready = True
        self.drafting.load()
        self._draft_watch = self.desk.link.watch(
            "drafts/follow", self._draft_came, sessionId=self.conversation.session_id
        )
        self.composer.update()
        self.changed()

    def on_unmount(self) -> None:
        self._ready = False
        if self._draft_watch is not None:
            self._draft_watch.close()
        if self.app.is_running:
            self.start(self.drafting.keep())
        else:
            self.drafting.save()
        self.asking.close()
        self.desk.release(self.conversation.session_id)

    def on_resize(self) -> None:
        self.changed()

    def on_screen_resume(self) -> None:
        self.changed()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs something to its end, whether this screen lives as long or not."""
        self.app.run_worker(work, exit_on_error=True)

    def changed_later(self) -> None:
        if self._ready:
            self.call_later(self.changed)

    def changed(self) -> None:
        """Shows everything as it is now; what is the same costs nothing."""
        if not self._ready:
            return
        mirror = self.conversation.mirror
        for text in self.conversation.settle():
            self.sending.recorded(text)
        if mirror.loaded:
            self.drafting.learn(mirror)
        if self.conversation.goal_due:
            self.start(self.conversation.read_goal())
        if self.transcript.following:
            mirror.trim()
        self.desk.spending.shown(self.conversation)
        if not len(mirror.rows):
            self.transcript.welcome(welcome_lines(self.desk, mirror, self.size.width))
        if not self.panels.open:  # what is behind a panel stands still until it closes
            self.transcript.take(mirror.rows, mirror.live)
        self.asking.update()
        self.panels.update()
        self._tell()
        self._share_room()

    def holding(self, on: bool) -> None:
        self.transcript.set_bare(on)

    def tick(self) -> None:
        self.conversation.notices.expire(self.desk.moment())
        self.asking.tick()
        self.panels.tick()
        self._tell()

    def _tell(self) -> None:
        self.status.tell(self.surroundings.figures())
        self.rule.tell(f.title_of(self.conversation.mirror), self.surroundings.side())
        self.feed.tell(self.surroundings.feed(self.size.width))

    def _share_room(self) -> None:
        """Panels get what the fixed parts leave, and the transcript at least a line."""
        taken = sum(widget.line_count for widget in (self.feed, self.rule, self.composer, self.status))
        room = max(3, self.size.height - taken - 1)
        self.asking.set_room(room)
        self.panels.set_room(room)

    def press(self, key: str, character: str | None) -> None:
        if self.mentions.press(key):
            return
        if key == "ctrl+c":
            self._interrupt()
        elif key == "escape":
            self._escape()
        elif self.panels.press(key):
            return
        elif (self.editor.empty or (self.asking.writing and key in _PAGES)) and self.asking.press(key):
            self._share_room()
        elif key in _GLOBAL:
            _GLOBAL[key](self)
        elif self.editor.empty and key in _EMPTY:
            _EMPTY[key](self)
        else:
            self._edit(key, character)

    def paste(self, text: str) -> None:
        if not self.panels.open:
            self.editor.paste(text)
            self.edited()

    def edited(self) -> None:
        """The draft is another one: shows it, and keeps it within a second."""
        self.composer.update()
        self.mentions.changed()
        if self.editor.draft.text.startswith("/") and self.conversation.commands_due:
            self.start(self.conversation.read_commands())
        if self.drafting.touch():
            self.set_timer(self.drafting.delay, self.keep_draft)
        self.asking.update()
        self._tell()
        self._share_room()

    def keep_draft(self) -> None:
        self.start(self.drafting.keep())

    def _draft_came(self, items: list[Any]) -> None:
        """The host told the draft, or another client changed it."""
        met = self.drafting.meet(items)
        if met.said:
            self.conversation.say(met.said)
        if met.changed:
            self.edited()

    def _edit(self, key: str, character: str | None) -> None:
        if key == "enter":
            self._enter()
        elif key == "tab":
            completed, found = complete(self.editor.text, self.conversation.commands)
            if found:
                self.editor.set(completed)
        elif key in _EARLIER and self.editor.at_oldest and self.editor.on_first_line:
            self.start(self.drafting.recall_further(self.conversation))
        elif not self.editor.press(key, character):
            return
        else:
            self.conversation.notices.clear()
        self.edited()

    def _enter(self) -> None:
        draft = self.editor.draft
        if draft.caret and draft.text[draft.caret - 1] == "\\":
            self.editor.press("backspace")
            self.editor.newline()
            return
        text = self.editor.text
        if not text.strip():
            return
        if self.asking.writing:
            self.asking.write(self.editor.take())
        elif text.startswith("!"):
            self.sending.local(text)
        elif is_command(text, self.conversation.commands):
            self.sending.command(text)
        elif self.asking.ask is not None:
            self.conversation.say("Something waits for your answer first. Esc puts this draft aside.", "warning")
        elif not self.conversation.online:
            self.conversation.say("Not connected: the draft is kept.", "warning")
        else:
            self.sending.prompt()

    def _interrupt(self) -> None:
        now = self.desk.moment()
        running = self.conversation.running
        meant = interrupt(last=self._last_interrupt, now=now, draft=not self.editor.empty, running=running)
        self._last_interrupt = now
        if meant == "leave":
            self.drafting.save()
            self.desk.leave()
        elif meant == "clear":
            if not self.asking.writing:
                self.drafting.set_aside(self.editor.text)
            self.editor.clear()
            self.edited()
            self.conversation.say("Cleared · ↑ brings it back · Ctrl+C again leaves")
        else:
            self._stop("Ctrl+C again leaves without waiting")

    def _stop(self, hint: str) -> None:
        self.conversation.say(f"Stopping · {hint}")
        self.start(self.conversation.cancel())

    def _escape(self) -> None:
        ask = self.asking.ask
        meant = escape(
            panel=self.panels.open,
            writing=self.asking.writing,
            ask=None if ask is None else ask.kind,
            draft=not self.editor.empty,
            told=bool(self.conversation.notices),
            running=self.conversation.running,
        )
        match meant:
            case "close":
                self.panels.close()
            case "back":
                self.asking.back()
                self.editor.clear()
            case "park":
                self.drafting.park()
            case "dismiss":
                self.asking.dismiss()
            case "keep":
                self.conversation.say("It still waits: 1 allow once · 2 deny · 3 stop turn")
            case "quiet":
                self.conversation.notices.clear()
            case "stop":
                self._stop("what waits in the queue stays")
        self.edited()

    def scroll(self, pages: float) -> None:
        if pages == int(pages):
            self.transcript.scroll_by_pages(int(pages))
        else:
            self.transcript.scroll_by_lines(round(pages * self.transcript.size.height))

    def on_transcript_scrolled(self, event: Transcript.Scrolled) -> None:
        event.stop()
        top = self.transcript.at_top and not self.transcript.following and not self.panels.open
        if top and self.conversation.mirror.has_more:
            self.start(self.conversation.older())
        self._tell()

    def on_answered(self, event: Answered) -> None:
        event.stop()
        self.start(self.conversation.answer(event.ask, event.outcome))

    def on_choice_panel_chosen(self, event: ChoicePanel.Chosen) -> None:
        event.stop()
        self.panels.chosen(event)

    def on_click(self, event: Click) -> None:
        """A click on the text begins a selection, which is the terminal's: its next drag selects."""
        if event.widget is self.transcript and event.button == 1:
            self.desk.hold()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.transcript.scroll_by_lines(-WHEEL)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.transcript.scroll_by_lines(WHEEL)


_PAGES = frozenset({"pageup", "pagedown"})
_EARLIER = frozenset({"up", "ctrl+p"})

_Action = Callable[[SessionScreen], None]

_GLOBAL: dict[str, _Action] = {
    "pageup": partial(SessionScreen.scroll, pages=-1),
    "pagedown": partial(SessionScreen.scroll, pages=1),
    "ctrl+up": partial(SessionScreen.scroll, pages=-0.5),
    "ctrl+down": partial(SessionScreen.scroll, pages=0.5),
    "ctrl+t": lambda screen: screen.effects.set_thoughts(not screen.transcript.thoughts),
    "ctrl+o": lambda screen: screen.sending.watch(),
    "ctrl+g": lambda screen: screen.effects.carry_out(Open("changes")),
}

_EMPTY: dict[str, _Action] = {
    "ctrl+u": partial(SessionScreen.scroll, pages=-0.5),
    "ctrl+d": partial(SessionScreen.scroll, pages=0.5),
    "home": lambda screen: screen.transcript.to_top(),
    "end": lambda screen: screen.transcript.to_end(),
}
