"""The terminals of all sessions: jobs that go on when their turn ends, and end with their session's daemon."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from hd.errors import HdError
from hd.jobs.display import SLICES, Display, Picture, frame, picture
from hd.jobs.job import Job, Status
from hd.jobs.jobs import Jobs
from hd.jobs.pages import is_page
from hd.jobs.runner import ended
from hd.process.child import Screen
from hd.process.run import Runner
from hd.process.sandbox.plan import Mode
from hd.process.sandbox.sandbox import Held, Sandbox
from hd.process.terminal import WAIT_S, Seen, Terminal
from hd.protocol.projections.jobs import TERMINAL
from hd.secrets.mask import Mask
from hd.session.live import LiveSession

MOST_RUNNING: Final = 8
MOST_PAGES: Final = 10
"""Addresses of one terminal that are looked at."""
_PAGES_S: Final = 1.0
_END_S: Final = 5.0
_KEPT: Final = 20
"""Terminals that are over and of which a session still knows; those that run it always knows."""


KEYS: Final = {
    "enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B",
    "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "insert": "\x1b[2~",
    "delete": "\x1b[3~", "page-up": "\x1b[5~", "page-down": "\x1b[6~", "back-tab": "\x1b[Z",
    "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
    "f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
    "ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-z": "\x1a",
}  # fmt: skip
_ARROWS: Final = frozenset({"up", "down", "right", "left", "home", "end"})
"""Keys that programs may ask for in another form."""

_FRAME_S: Final = 0.04
_REST: Final = 3
"""A frame that took long to work out is followed by a pause so many times as long."""


class TooManyTerminals(HdError):
    """A session has as many running terminals as it may have."""

    code = "process/too-many"


class NoTerminal(HdError):
    """The session has no running terminal of this number."""

    code = "process/not-found"


@dataclass(slots=True, eq=False)
class _Open:
    terminal: Terminal
    job: Job
    mask: Mask
    cage: Held | None
    display: Display
    task: asyncio.Task[None] | None = None


class Terminals:
    """`look` says what must not be shown of a session's surroundings, and blocks; `check` tells what is a web page."""

    def __init__(
        self,
        runner: Runner,
        sandbox: Sandbox,
        jobs: Jobs,
        look: Callable[[LiveSession], Mask],
        check: Callable[[str], Awaitable[bool]] = is_page,
    ) -> None:
        self._runner = runner
        self._sandbox = sandbox
        self._jobs = jobs
        self._look = look
        self._check = check
        self._opened: defaultdict[str, list[_Open]] = defaultdict(list)
        self._closed = False

    async def open(self, session: LiveSession, command: str, call_id: str, within_s: float, mode: Mode) -> Seen:
        """Starts a command in a terminal, and says how it stands once there is something to say (`Terminal.spoken`).

        The sandbox of `mode` holds it. OSError or ValueError where it cannot be started, `TooManyTerminals`. Cancelled
        while it waits it ends the terminal: nobody was told of it yet.
        """
        mask = await asyncio.to_thread(self._look, session)
        hold = session.value("sandbox")
        cage = await asyncio.to_thread(self._sandbox.cage, mode, Path(session.header.cwd), hold)
        own = self._opened[session.id]
        running = [one for one in own if not one.terminal.ended.is_set()]
        if len(running) >= MOST_RUNNING or self._closed:
            if cage is not None:
                await asyncio.to_thread(cage.close)
            raise TooManyTerminals(
                f"{len(running)} terminals run in this session already. Nothing was started; end one first."
            )
        checks: set[asyncio.Task[None]] = set()

        def look_at(page: str) -> None:
            if len(checks) < MOST_PAGES:
                checks.add(asyncio.create_task(self._offer(session, one, page), name=f"look at {page}"))

        index = own[-1].terminal.index + 1 if own else 0
        terminal = Terminal(command, index, look_at)
        one = _Open(terminal, self._jobs.register(session, TERMINAL, command, call_id), mask, cage, Display(Screen()))
        over = [known for known in own if known.terminal.ended.is_set()]
        own[:] = [*(known for known in own if known not in over[:-_KEPT]), one]
        one.task = asyncio.create_task(self._run(session, one, checks), name=f"terminal {one.job.id}")
        try:
            await terminal.spoken(within_s)
            if checks and not terminal.ended.is_set():
                await asyncio.wait(checks, timeout=_PAGES_S)
        except asyncio.CancelledError:
            one.job.stop.set()
            await self._over([one])
            raise
        if terminal.ended.is_set():
            await asyncio.wait({one.task})
            if not one.task.cancelled():
                one.task.result()
        seen = terminal.seen(one.job.number)
        return seen if cage is None else replace(seen, blocked=await asyncio.to_thread(cage.explain, seen.output))

    async def kill(self, session_id: str, index: int | None, by: str) -> list[Terminal]:
        """Ends one running terminal, or all, and waits for it; gives those that were ended. `NoTerminal`."""
        wanted = [
            one
            for one in self._opened.get(session_id, ())
            if not one.terminal.ended.is_set() and index in (None, one.terminal.index)
        ]
        if index is not None and not wanted:
            raise NoTerminal(f"There is no running terminal {index} in this session.")
        for one in wanted:
            self._jobs.kill(session_id, one.job.id, by=by)
        await self._over(wanted)
        return [one.terminal for one in wanted]

    def line(self, session_id: str, job_id: str) -> str:
        """The line on which a terminal waits, such as a prompt; empty for a job that has none."""
        one = self._of_job(session_id, job_id)
        return one.mask.hide(one.terminal.hand.line) if one is not None and one.terminal.hand is not None else ""

    def type(self, session_id: str, job_id: str, text: str, keys: Sequence[str]) -> bool:
        """Types a text and presses keys (those of `KEYS`); False where the terminal has no room. `NoTerminal`."""
        one = self._of_job(session_id, job_id)
        if one is None or one.terminal.hand is None:
            raise NoTerminal("This command takes no input: only one that runs in a terminal does.")
        form = {key: KEYS[key].replace("[", "O") for key in _ARROWS} if one.display.cursor_keys else {}
        return one.terminal.hand.type(text + "".join(form.get(key, KEYS[key]) for key in keys))

    def resize(self, session_id: str, job_id: str, columns: int, rows: int) -> None:
        """Gives a terminal another size, for as long as somebody watches it. `NoTerminal`."""
        one = self._of_job(session_id, job_id)
        if one is None or one.terminal.hand is None:
            raise NoTerminal("This command has no screen: only one that runs in a terminal does.")
        self._sized(one, Screen(columns, rows))

    def _sized(self, one: _Open, size: Screen) -> None:
        if one.terminal.hand is not None:
            one.terminal.hand.resize(size)
            one.display.resize(size)

    async def watched(self, session_id: str, job_id: str) -> AsyncGenerator[list[bytes], None]:
        """The screen of a terminal, whole and then as it changes, and its last one; ends with it. `NoTerminal`."""
        one = self._of_job(session_id, job_id)
        if one is None:
            raise NoTerminal("This command has no screen: only one that runs in a terminal does.")
        display, job = one.display, one.job
        shown: Picture | None = None
        row: dict[str, Any] | None = None
        display.watchers += 1
        try:
            with display.bell.listening() as woken:
                while not self._closed:
                    woken.clear()
                    began = time.monotonic()
                    for _ in range(SLICES):
                        if display.catch_up():
                            break
                        await asyncio.sleep(0)
                    now = picture(display.shown, one.mask)
                    told, row = row, {**job.row(), "output": {}}
                    item = frame(shown, now, None if told == row else row)
                    shown = now
                    if item is not None:
                        yield [msgspec.json.encode(item)]
                    if job.finished_at is not None:
                        return
                    await asyncio.sleep(max(_FRAME_S, _REST * (time.monotonic() - began)))
                    await woken.wait()
        finally:
            display.watchers -= 1
            if not display.watchers:
                self._sized(one, Screen())

    def _of_job(self, session_id: str, job_id: str) -> _Open | None:
        return next((one for one in self._opened.get(session_id, ()) if one.job.id == job_id), None)

    def rests(self, session_id: str) -> bool:
        return all(one.task is None or one.task.done() for one in self._opened.get(session_id, ()))

    def leave(self, session_id: str) -> None:
        self._opened.pop(session_id, None)

    async def close(self) -> None:
        """Ends all terminals of this daemon."""
        self._closed = True
        for own in self._opened.values():
            for one in own:
                one.display.bell.ring()
        everything = [one for own in self._opened.values() for one in own]
        for one in everything:
            one.job.stopped_by = "the end of the daemon"
            one.job.stop.set()
        await self._over(everything)

    async def _over(self, opened: list[_Open]) -> None:
        tasks = {one.task for one in opened if one.task is not None and not one.task.done()}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_END_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_END_S)

    async def _run(self, session: LiveSession, one: _Open, checks: set[asyncio.Task[None]]) -> None:
        terminal, job = one.terminal, one.job
        end: tuple[Status, str] = "failed", "it could not be started"

        def heard(text: str) -> None:
            terminal.hear(text)
            job.add(one.mask.hide(text))

        try:
            terminal.ran = await self._runner.run(
                terminal.command,
                cwd=Path(session.header.cwd),
                run_id=job.id,
                timeout_s=None,
                on_output=heard,
                stop=job.stop,
                screen=Screen(),
                cage=one.cage,
                on_start=lambda hand: setattr(terminal, "hand", hand),
                on_bytes=one.display.add,
            )
            end = ended(terminal.ran, 0, job.stopped_by)
        except asyncio.CancelledError:
            end = "killed", "it was given up"
            raise
        finally:
            for check in checks:
                check.cancel()
            self._jobs.settle(session, job, *end)
            session.save_projections()
            terminal.end(terminal.ran)
            one.display.bell.ring()
            if one.cage is not None:
                await asyncio.to_thread(one.cage.close)
        if checks:
            await asyncio.wait(checks)

    async def _offer(self, session: LiveSession, one: _Open, page: str) -> None:
        """Tells the session's clients of a web page, once a terminal."""
        if await self._check(page):
            one.terminal.pages.append(page)
            self._jobs.offer(session, one.job, page)


@dataclass(frozen=True, slots=True)
class SessionDesk:
    """The terminals as the tools of one session have them; `opened` is called before one is, and blocks."""

    terminals: Terminals
    session: LiveSession
    opened: Callable[[], None]

    async def open(self, command: str, call_id: str, mode: Mode) -> Seen:
        await asyncio.to_thread(self.opened)
        return await self.terminals.open(self.session, command, call_id, WAIT_S, mode)

    async def kill(self, index: int | None) -> Sequence[tuple[int, str]]:
        ended = await self.terminals.kill(self.session.id, index, "the agent")
        return [(terminal.index, terminal.command) for terminal in ended]
