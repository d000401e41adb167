"""The terminal client as a program: it owns the link, chooses the screens, and draws.

Textual composes the screen; what the terminal is sent is decided by `htui.paint`. The link runs in this event loop, and
what it brings is shown at most a dozen times a second, so that an answer costs its own bytes and little more.
"""

import asyncio
import os
import signal
import time
from collections import Counter
from pathlib import Path

from textual.app import App
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import WorkerFailed

from htui.alerts.alerts import Alerts
from htui.composer.store import DraftStore
from htui.copying.clipboard import Clipboard
from htui.errors import DONE, FAILED
from htui.link.changes import Change, HostChanged, LinkChanged
from htui.local.run import LocalRuns
from htui.mirror import SessionMirror
from htui.pace import Pace
from htui.paint.driver import TerminalDriver
from htui.present.jobs import TERMINAL, Job
from htui.running import has_job_control, parting_words
from htui.screens.base import KeyScreen
from htui.screens.connect import ConnectScreen
from htui.screens.desk import LinkLike, Where
from htui.screens.facts import title_of
from htui.screens.job import JobScreen
from htui.screens.opening import Opening
from htui.screens.picker import PickerScreen
from htui.screens.session import SessionScreen
from htui.screens.spending import Places, Spending
from htui.screens.terminal import TerminalScreen
from htui.theme import Theme

_SLOW = 4
"""A frame that took long is followed by a pause so many times as long."""
_LAGGING = 0.05
_SOON = 0.001
HELD = " ⏸ copy · Esc goes on "
"""Stands in the corner of a screen that is held."""
_SENDING = 1.0
"""Seconds that leaving waits for a prompt or a draft which is being sent."""


class HtuiApp(App[int], inherit_bindings=False):
    """See `htui.screens.desk.Desk` for what the screens use of it."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    CSS = "Screen { background: ansi_default; color: ansi_default; }"

    def __init__(
        self,
        *,
        palette: Theme,
        drafts: DraftStore,
        copies: Clipboard,
        directory: Path,
        places: Places,
        session: str | None = None,
        pace: Pace | None = None,
        driver_class: type[TerminalDriver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class, ansi_color=True)
        self.animation_level = "none"
        self.palette = palette
        self.drafts = drafts
        self.directory = directory
        self.link: LinkLike
        self.copies = copies
        self.local = LocalRuns(os.environ)
        self.spending = Spending(self, places, self.run_worker, self._show_soon)
        self.catalogue_failed = self.held = self._still = False
        self.parting = ""
        """Said on the terminal after leaving."""
        self.defect: BaseException | None = None
        """What ended the program and should not have."""
        self._link_task: asyncio.Task[None] | None = None
        self._opening = Opening(self, session)
        self._alerts = Alerts(os.environ, self.write_terminal, self.run_worker)
        self._follows: Counter[str] = Counter()
        """How many places show each session."""
        self._shown_at = 0.0
        self.pace = pace or Pace()
        self._pause = self.pace.frame
        self._pump: Timer | None = None
        self._drawing: Timer | None = None
        self._leaving = False

    def attach(self, link: LinkLike) -> None:
        """Gives the link, whose `on_change` is `link_changed`."""
        self.link = link

    def get_default_screen(self) -> Screen[None]:
        return ConnectScreen(self)

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(name, self.leave)
        self._link_task = asyncio.create_task(self._run_link())
        self.set_interval(1.0, self._tick)

    async def on_unmount(self) -> None:
        if self._link_task is not None:
            self._link_task.cancel()
            await asyncio.gather(self._link_task, return_exceptions=True)
        await self.local.close()
        self.drafts.close()

    async def _run_link(self) -> None:
        try:
            await self.link.run()
        except Exception as error:
            self._handle_exception(error)

    def link_changed(self, change: Change) -> None:
        """Notes that the link brought something; it is shown soon."""
        if isinstance(change, HostChanged):
            if "catalogue" in change.keys:
                self.catalogue_failed = self.link.host.catalogue is None
            self._opening.listed(change.keys)
        elif isinstance(change, LinkChanged) and change.status.phase == "online":
            self._opening.online()
        self._show_soon()

    def _show_soon(self) -> None:
        if self._pump is None and self.is_running:
            self._pump = self.set_timer(max(_SOON, self._shown_at + self._pause - self.moment()), self._show_changes)

    def _show_changes(self) -> None:
        self._pump = None
        began = self.moment()
        current = self._current()
        if current is not None:
            current.changed()
        shown = self._session()
        mirror = None if shown is None else shown.conversation.mirror
        self._alerts.look(self.link.host, mirror, "" if mirror is None else title_of(mirror))
        self._shown_at = self.moment()
        self._pause = max(self.pace.frame, _SLOW * (self._shown_at - began))

    def on_app_focus(self) -> None:
        self._alerts.focused = True

    def on_app_blur(self) -> None:
        self._alerts.focused = False

    def _tick(self) -> None:
        latency = self._driver.latency if isinstance(self._driver, TerminalDriver) else None
        measured, took = (False, None) if latency is None else (latency.slow, latency.last)
        goes_on = self.pace.tick(self.moment(), self._bytes_written(), measured=measured, took=took)
        if isinstance(self._driver, TerminalDriver):
            self._driver.low = self.pace.low
        self.spending.tick()
        current = self._current()
        if current is not None and goes_on:
            current.tick()

    def moment(self) -> float:
        return time.monotonic()

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def open_session(self, session_id: str) -> None:
        shown = self._session()
        if shown is not None and shown.conversation.session_id == session_id:
            while self.screen is not shown:
                self.pop_screen()
            if shown.conversation.mirror.failure is not None:
                self.link.follow(session_id)
        else:
            self._show_screen(SessionScreen(self, session_id))

    def follow(self, session_id: str) -> SessionMirror:
        self._follows[session_id] += 1
        return self.link.follow(session_id)

    def release(self, session_id: str) -> None:
        self._follows[session_id] -= 1
        if self._follows[session_id] <= 0:
            del self._follows[session_id]
            self.link.unfollow(session_id)

    def new_session(self, workspace_id: str | None = None) -> None:
        current = self._session()
        self._opening.new(workspace_id, None if current is None else current.conversation.session_id)

    def add_workspace(self, path: str) -> None:
        self._opening.add(path)

    def open_job(self, session_id: str, job: Job, *, typing: bool) -> None:
        has_terminal = typing and job.kind == TERMINAL and job.number
        self.push_screen((TerminalScreen if has_terminal else JobScreen)(self, session_id, job))

    def lay(self, screen: KeyScreen) -> None:
        self.push_screen(screen)

    def go(self, where: Where, note: str = "") -> None:
        current = self._session()
        session_id = None if current is None else current.conversation.session_id
        workspace = self._opening.workspace_of_session(session_id)
        picker = PickerScreen(self, where, workspace if where == "sessions" else None, note)
        if isinstance(self.screen, PickerScreen):
            self.switch_screen(picker)
        else:
            self.push_screen(picker)

    def back(self) -> None:
        if len(self.screen_stack) > 2:
            self.pop_screen()
        else:
            self.leave()

    def tell(self, text: str) -> None:
        """Says something that went wrong, wherever the reader is."""
        current = self.screen
        if isinstance(current, SessionScreen):
            current.conversation.say(text, "error")
        elif isinstance(current, ConnectScreen):
            current.note = text
            current.changed()
        else:
            self.back()
            shown = self._session()
            if shown is not None:
                shown.conversation.say(text, "error")

    def leave(self) -> None:
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._leave())

    async def _leave(self) -> None:
        shown = self._session()
        if shown is not None:
            self.parting = parting_words(shown.conversation)
            try:
                async with asyncio.timeout(_SENDING):
                    await shown.drafting.keep()
                    await shown.conversation.delivered.wait()
            except TimeoutError:
                pass
        self.exit(DONE)

    def redraw(self) -> None:
        if isinstance(self._driver, TerminalDriver):
            self._driver.forget()
        self.screen.refresh()

    def suspend_program(self) -> None:
        if has_job_control():
            self.action_suspend_process()

    def hold(self) -> None:
        self._set_held(True)
        self.call_after_refresh(self._stand_still)

    def _stand_still(self) -> None:
        if self.held and not self._still:
            self._draw()
            self._still = True
            if isinstance(self._driver, TerminalDriver):
                self._driver.note(HELD)

    def go_on(self) -> None:
        self._still = False
        self._set_held(False)
        self._draw()

    def _set_held(self, on: bool) -> None:
        self.held = on
        if isinstance(self._driver, TerminalDriver):
            self._driver.set_mouse(not on)
        current = self._current()
        if current is not None:
            current.holding(on)

    def write_terminal(self, sequence: str) -> None:
        if isinstance(self._driver, TerminalDriver):
            self._driver.write(sequence)

    def _bytes_written(self) -> int:
        return self._driver.bytes_written if isinstance(self._driver, TerminalDriver) else 0

    def _current(self) -> KeyScreen | None:
        """The screen in sight; None while the program begins or ends."""
        stack = self.screen_stack
        return stack[-1] if stack and isinstance(stack[-1], KeyScreen) else None

    def _session(self) -> SessionScreen | None:
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, SessionScreen)), None)

    def _show_screen(self, screen: KeyScreen) -> None:
        """Shows a screen in place of everything but the first one, which stays below."""
        while len(self.screen_stack) > 2:
            self.pop_screen()
        if len(self.screen_stack) > 1:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def _set_pointer_shape(self, shape: str) -> None:
        """Terminals keep their pointer."""

    def _handle_exception(self, error: Exception) -> None:
        """A defect ends the program; what is told about it is decided after the terminal was restored."""
        self.defect = self.defect or (error.error if isinstance(error, WorkerFailed) else error)
        self._return_code = FAILED
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def _display(self, screen: Screen[object], renderable: object) -> None:
        """Textual's way to the terminal, replaced by one that sends only what differs."""
        driver = self._driver
        if not isinstance(driver, TerminalDriver):
            super()._display(screen, renderable)  # type: ignore[arg-type]
            return
        if renderable is not None and not self._batch_count and self._running and not self._closed:
            size = self.size
            if driver.show(renderable, size.width, size.height):
                self._draw()
        self.post_display_hook()

    def _draw(self) -> None:
        """Draws, or waits while the terminal still works at earlier frames: what is left out is in the next one."""
        driver = self._driver
        if not isinstance(driver, TerminalDriver) or self._drawing is not None or (self._still and not driver.unseen):
            return
        if driver.busy:
            self._drawing = self.set_timer(_LAGGING, self._draw_again)
            return
        current = self._current()
        driver.draw(None if current is None else current.cursor, sync=self._sync_available)
        if self._still:
            driver.note(HELD)

    def _draw_again(self) -> None:
        self._drawing = None
        self._draw()
