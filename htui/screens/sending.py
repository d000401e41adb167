"""What becomes of a draft when Enter is pressed: a command, a command of the host, or a prompt."""

from pathlib import Path
from typing import TYPE_CHECKING

from htui.present.jobs import jobs_of
from htui.screens.command_table import Chosen, Hosted, choose
from htui.screens.local import LocalScreen

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class Sending:
    """Takes the draft out of the editor, and gives it back when it went nowhere."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen

    def prompt(self) -> None:
        screen = self._screen
        screen.conversation.notices.clear()
        screen.transcript.to_end()
        text = screen.editor.take()
        screen.drafting.forget(text)
        screen.start(self._send(text))
        screen.keep_draft()

    def command(self, line: str) -> None:
        """Runs a slash command; one that is not clear stays in the editor."""
        screen = self._screen
        chosen = choose(line, screen.conversation.commands)
        if isinstance(chosen, Chosen):
            screen.editor.take()
            screen.conversation.notices.clear()
            screen.effects.run(chosen.command, chosen.args)
        elif not isinstance(chosen, Hosted):
            screen.conversation.say(chosen.text, "warning")
        elif not screen.conversation.online:
            screen.conversation.say("Not connected: the draft is kept.", "warning")
        else:
            screen.editor.take()
            screen.conversation.notices.clear()
            screen.transcript.to_end()
            screen.start(self._execute(chosen.line))

    def local(self, line: str) -> None:
        """Runs `!COMMAND` on this machine; one that is not run stays in the editor."""
        screen, runs, command = self._screen, self._screen.desk.local, line[1:].strip()
        if not runs.allowed:
            screen.conversation.say("Commands on this machine are switched off (HTUI_NO_SHELL).", "warning")
        elif not command:
            screen.conversation.say("!COMMAND runs a command on this machine, and not at the host. Ctrl+O shows it.")
        elif runs.last is not None and runs.last.running:
            screen.conversation.say("A command runs here already: Ctrl+O shows it.", "warning")
        else:
            screen.editor.take()
            screen.desk.lay(LocalScreen(screen.desk, runs.start(command, self._folder())))

    def watch(self) -> None:
        """Shows the command of this machine that was run last, else the latest one of the session."""
        screen, last = self._screen, self._screen.desk.local.last
        jobs = jobs_of(screen.conversation.mirror.value("jobs"))
        if last is not None:
            screen.desk.lay(LocalScreen(screen.desk, last))
        elif jobs:
            screen.desk.open_job(screen.conversation.session_id, jobs[0], typing=False)
        else:
            screen.conversation.say("Nothing runs or ran here: !COMMAND runs a command on this machine.")

    def _folder(self) -> Path:
        """The folder of the session where this machine has it, else the one in which the program was started."""
        desk = self._screen.desk
        entry = desk.link.host.session(self._screen.conversation.session_id)
        there = Path(entry.cwd) if entry is not None and entry.cwd else desk.directory
        return there if there.is_dir() else desk.directory

    def recorded(self, text: str) -> None:
        """A prompt that seemed not to be sent is in the log: it must not be sent again."""
        screen = self._screen
        if screen.editor.text == text:
            screen.editor.clear()
            screen.composer.update()
            screen.conversation.say("The host has this prompt already: it is not sent again.")
        screen.drafting.save()

    async def _send(self, text: str) -> None:
        if not await self._screen.conversation.send(text):
            self._give_back(text)
        if self._screen.conversation.outbox.doubts():
            self._screen.drafting.save()

    async def _execute(self, line: str) -> None:
        if not await self._screen.conversation.execute(line):
            self._give_back(line)

    def _give_back(self, text: str) -> None:
        if self._screen.editor.empty:
            self._screen.editor.set(text)
            self._screen.edited()
