"""Carries out what slash commands return."""

import os
from typing import TYPE_CHECKING

from hd.protocol.ids import new_id
from htui.commands import (
    Answer,
    Call,
    Command,
    Confirm,
    Copy,
    CoreDump,
    Effect,
    Execute,
    ExportPage,
    Facts,
    Find,
    FindSessions,
    Go,
    Leave,
    Older,
    Open,
    Prompts,
    Say,
    Scroll,
    Show,
    Thoughts,
)
from htui.errors import HtuiError
from htui.present.count import plural
from htui.present.lines import Line, Span, cut_line
from htui.prompts.layers import saved, unfit
from htui.prompts.store import store_of
from htui.screens import facts as f
from htui.screens.changes import ChangesScreen
from htui.screens.command_table import complete
from htui.screens.copying import Copying
from htui.screens.dump import dump
from htui.screens.exporting import export_page
from htui.screens.prompts import PromptsScreen
from htui.screens.search import SearchScreen
from htui.screens.sessions_found import SessionsScreen

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class Effects:
    """One effect after the other, each into the part of the program that it is for."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen
        self._copying = Copying(screen)

    def facts(self) -> Facts:
        screen = self._screen
        conversation = screen.conversation
        return Facts(
            session_id=conversation.session_id,
            online=conversation.online,
            loaded=conversation.mirror.loaded,
            running=conversation.running,
            ask=screen.asking.ask,
            allowed=screen.asking.allowed,
            queue=tuple(f.waiting(conversation.mirror.queue)),
            catalogue=screen.desk.link.host.catalogue,
            pressure=conversation.mirror.value("contextPressure"),
            thoughts=screen.transcript.thoughts,
        )

    def run(self, command: Command, args: str) -> None:
        self.carry_out(command.run(args, self.facts()))

    def carry_out(self, effect: Effect) -> None:
        screen, conversation = self._screen, self._screen.conversation
        match effect:
            case Say(text, level):
                conversation.say(text, level)
            case Call(endpoint, args, said):
                screen.start(conversation.call(endpoint, args, said))
            case Confirm():
                screen.panels.confirm(effect)
            case Execute(line):
                screen.start(conversation.execute(line))
            case Show(panel):
                screen.panels.show(panel)
            case Open("changes", turn):
                screen.desk.lay(ChangesScreen(screen.desk, conversation.session_id, turn))
            case Open("output" | "terminal" as what, number):
                screen.panels.open_job(number or 0, terminal=what == "terminal")
            case Find(words, prompts):
                screen.desk.lay(SearchScreen(screen.desk, conversation.session_id, words, prompts=prompts))
            case FindSessions(words, everywhere):
                screen.desk.lay(SessionsScreen(screen.desk, conversation.session_id, words, everywhere=everywhere))
            case Prompts(""):
                screen.desk.lay(PromptsScreen(screen.desk, store_of(os.environ), self._take))
            case Prompts(text):
                self._save_prompt(text)
            case ExportPage(file):
                screen.start(self._export(file))
            case CoreDump(tag):
                self._dump(tag)
            case Older():
                screen.start(self._older())
            case Go("new"):
                screen.desk.new_session()
            case Go("workspaces"):
                screen.desk.go("workspaces")
            case Go():
                screen.desk.go("sessions")
            case Scroll(0):
                screen.transcript.to_end()
            case Scroll(pages):
                screen.transcript.scroll_by_pages(pages)
            case Thoughts(shown):
                self.set_thoughts(shown)
            case Copy():
                self._copying.carry_out(effect)
            case Answer(ask, outcome):
                screen.start(conversation.answer(ask, outcome))
            case Leave():
                screen.drafting.save()
                screen.desk.leave()

    def set_thoughts(self, shown: bool) -> None:
        self._screen.transcript.set_thoughts(shown)
        self._screen.conversation.say("Thoughts are shown." if shown else "Thoughts are folded.")

    async def _export(self, file: str) -> None:
        conversation = self._screen.conversation
        conversation.say("Reading the session …")
        try:
            conversation.say(await export_page(self._screen.desk, conversation.session_id, file))
        except HtuiError as error:
            conversation.say(error.message, "error")

    def _dump(self, tag: str) -> None:
        screen, mirror = self._screen, self._screen.conversation.mirror
        host = screen.desk.link.host
        counts = {"rows": len(mirror.rows), "sessions": len(host.sessions), "asks": len(host.asks)}
        try:
            screen.conversation.say(f"Written: {dump(screen.desk.directory, tag, counts)}")
        except HtuiError as error:
            screen.conversation.say(error.message, "error")

    def _take(self, text: str) -> None:
        """Puts a text into the composer; it is not sent."""
        self._screen.editor.set(text)
        self._screen.edited()

    def _save_prompt(self, text: str) -> None:
        store = store_of(os.environ)
        problem = unfit(store.load(), text)
        if not problem:
            try:
                store.change(lambda own: saved(own, new_id(), text))
            except HtuiError as error:
                problem = error.message
        self._screen.conversation.say(problem or "Saved: /prompt lists it.", "warning" if problem else "info")

    async def _older(self) -> None:
        """Reads an earlier page, and shows what it ends with."""
        screen, mirror = self._screen, self._screen.conversation.mirror
        if not mirror.has_more:
            screen.conversation.say("This is the beginning of the session.")
            screen.transcript.to_top()
            return
        before = len(mirror.rows)
        await screen.conversation.older()
        came = len(mirror.rows) - before
        if came > 0:
            screen.conversation.say(f"{plural(came, 'earlier row')}." + ("" if mirror.has_more else " That is all."))
            screen.changed()
            screen.transcript.to_top()

    def hint_lines(self, text: str, cells: int) -> list[Line]:
        """What a line that begins with a slash may become, while it is typed."""
        if not text.startswith("/") or "\n" in text or len(text) > 80:
            return []
        word = text.partition(" ")[0]
        _, found = complete(word, self._screen.conversation.commands)
        if not found:
            return []
        if len(found) > 1 and word[1:] not in (command.name for command in found):
            return [cut_line((Span("  ".join(f"/{command.name}" for command in found), "muted"),), cells)]
        best = next((command for command in found if command.name == word[1:]), found[0])
        return [
            cut_line((Span(f"/{best.name} {best.args}".rstrip(), "code"), Span(f"  {best.summary}", "muted")), cells)
        ]
