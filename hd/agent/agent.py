"""The agent of one session: takes prompts into the inbox and runs turns while there is something to do."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from hd.agent import inbox as box
from hd.agent.compaction.compact import Compacted, Occasion, compact
from hd.agent.compaction.cut import cut
from hd.agent.decide import Rest, StartTurn, between_turns, failure, resumption
from hd.agent.outfit import Outfit
from hd.agent.turn import Turn
from hd.errors import HdError, SessionBusy, WorkStopped
from hd.goals.pursuit import Pursuit
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.session.live import LiveSession
from hd.session.repair import INTERRUPTED, STOPPED, Closing, close, failed

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Agent:
    """One agent a session. Its only task is the loop over turns, which lives while there is work."""

    def __init__(self, session: LiveSession, outfit: Outfit) -> None:
        self.session = session
        self._outfit = outfit
        self._task: asyncio.Task[Any] | None = None
        self._closing: Closing = STOPPED
        self._closed = False
        self._shown = False
        self._called = False
        self.pursuit = Pursuit(session, outfit.announce)

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    async def prompt(
        self,
        content: Sequence[Mapping[str, Any]],
        *,
        request_id: str,
        steer: bool,
        time_zone: str | None = None,
        off_peak: bool = False,
    ) -> None:
        """Takes a prompt in. It is on disk when this returns; the same `request_id` again changes nothing.

        With `off_peak` the turn that it begins waits out peak hours.
        """
        if not self._known(request_id):
            message = box.prompt_message(content, request_id, time_zone, off_peak=off_peak)
            target = "next-step" if steer else "next-turn"
            self.session.record(box.insert(self.session.value("inbox"), target, message))
        # Nothing is done for a prompt that is not safe yet; on a full disk it waits in memory for the next one.
        await self.session.written(durable=True)
        if box.knows(self.session.value("inbox"), request_id):
            self._start()

    def _known(self, request_id: str) -> bool:
        return box.knows(self.session.value("inbox"), request_id) or request_id in self.session.value("requests")

    def update_queue(self, item_id: str, action: Mapping[str, Any]) -> None:
        waiting = self.session.value("inbox")
        match action["kind"]:
            case "remove":
                drafts = box.remove(waiting, item_id)
            case "edit":
                drafts = box.edit(waiting, item_id, action.get("content") or ())
            case _:
                drafts = box.steer(waiting, item_id, running=self.running)
        self.session.record(*drafts)
        self.session.save_projections()

    async def cancel(self) -> None:
        """Stops the running turn, if any, and parks queue and goal; returns when the turn is closed in the log."""
        self.pursuit.park()
        await self._stop(STOPPED)

    async def close(self) -> None:
        """Stops for a daemon that ends: the turn is closed as interrupted, which is nobody's wish."""
        self._closed = True
        await self._stop(INTERRUPTED)

    async def _stop(self, closing: Closing) -> None:
        task = self._task
        if task is None:
            return
        self._closing = closing
        task.cancel()
        await asyncio.wait({task})

    def _over(self, task: asyncio.Task[None]) -> None:
        """After the loop over turns, however it ended: a task cancelled before its first step runs no `finally`."""
        if not task.cancelled() and task.exception() is not None:
            _log.error("the agent of %s ended badly", self.session.id, exc_info=task.exception())
        self._rest(task)

    def _rest(self, task: asyncio.Task[Any]) -> None:
        if self._task is task:
            self._task = None
            self.session.save_projections()
            self._show(False)

    def _show(self, running: bool) -> None:
        """Tells all clients whether this session is at work, where that changed."""
        if running != self._shown:
            self._shown = running
            self._outfit.announce("api-session/status", [self.session.id, running])

    def wake(self) -> None:
        """Looks for work: for whoever changed something that may mean a turn."""
        self._start()

    async def compact(self, command_id: str, focus: str = "") -> Compacted | None:
        """Sums up the older part of the history (`hd.agent.compaction`), between turns; None where there is none."""
        await self._between_turns()
        if not self.running and cut(self.session.value("history")) is None:
            return None
        window = self.session.value("contextPressure").window or 0
        occasion = Occasion(command_id=command_id, focus=focus)
        outfit = self._outfit
        work = partial(compact, self.session, outfit.providers.resolve, outfit.gate, occasion, window)
        return await self.alone(work, "compact it", "The compaction was stopped. The history is unchanged.")

    async def alone(self, work: Callable[[], Coroutine[Any, Any, T]], then: str, stopped: str) -> T:
        """The result of work that meets no turn: prompts wait, a cancel stops it. `SessionBusy`, `WorkStopped`."""
        await self._between_turns()
        if self.running or self._closed:
            raise SessionBusy(f"This session is at work. Stop it or wait for the end of the turn, then {then}.")
        self._show(True)
        task = asyncio.create_task(work(), name=f"{then} {self.session.id}")
        self._occupy(task, self._rest)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        if task.cancelled():
            raise WorkStopped(stopped)
        if not isinstance(between_turns(self.session.value("inbox")), Rest) or self.pursuit.armed:
            self._start()
        return task.result()

    async def _between_turns(self) -> None:
        """Lets a loop whose last turn everybody saw end come to its own end."""
        waiting = not isinstance(between_turns(self.session.value("inbox")), Rest)
        if self._task is not None and not (self.session.value("turn").running or waiting or self.pursuit.armed):
            await asyncio.wait({self._task})

    def _start(self) -> None:
        """Begins to work through the inbox; what comes while the daemon ends waits there for the next one."""
        if self._closed:
            return
        self._outfit.off_peak.go_on(self.session.id)
        self._called = True
        self._show(True)
        if not self.running:
            self._closing = STOPPED
            task = asyncio.create_task(self._run(), name=f"agent {self.session.id}")
            self._occupy(task, self._over)

    def _occupy(self, task: asyncio.Task[Any], over: Callable[[asyncio.Task[Any]], None]) -> None:
        """Makes `task` the one of this agent, which holds the session until `over` has been called."""
        self.session.holds.take()
        self._task = task
        task.add_done_callback(over)
        task.add_done_callback(lambda _: self.session.holds.let_go())

    async def _run(self) -> None:
        turns = 0
        try:
            while True:
                opening = await self._opening()
                move = between_turns(self.session.value("inbox"))
                if isinstance(move, Rest):
                    if not self.pursuit.advance():
                        return
                    if turns:
                        self._breathe()
                    continue
                turns += 1
                self._show(True)
                reason = await self._turn(move, opening)
                if not resumption(reason) and not self._called:
                    return
        except asyncio.CancelledError:
            self._end_open_turn(self._closing)
            raise
        except HdError as error:
            # On a full disk what was recorded is in memory and will be written; the turn is over, so nothing piles up.
            self._end_open_turn(failed({"message": error.message, "code": error.code}))
            self._outfit.announce("api-session/error", [self.session.id, error.message])
        except Exception as error:
            _log.exception("the turn of %s failed", self.session.id)
            self._end_open_turn(failed(failure(error)))
            self._outfit.announce("api-session/error", [self.session.id, failure(error)["message"]])

    def _breathe(self) -> None:
        """Between two rounds of a goal the session counts as idle for a moment: clients hold commands until it is."""
        for running in (False, True):
            self._show(running)

    def _end_open_turn(self, closing: Closing) -> None:
        self.session.record(*close(self.session.state, closing))
        self.pursuit.park()

    async def _opening(self) -> str | None:
        """Looks around, and reads the instruction files before the first turn only: they stand once at the head."""
        await self._outfit.surroundings.look(self.session)
        if self.session.value("turn").number:
            return None
        try:
            return await self._outfit.instructions(self.session.header.cwd)
        except Exception as error:
            _log.exception("the instruction files of %s could not be read", self.session.id)
            return f"The project's instruction files could not be read ({type(error).__name__}); work without them."

    async def _turn(self, move: StartTurn, instructions: str | None) -> Mapping[str, Any]:
        """One turn from its start to its end; gives the reason of the end."""
        turn = Turn(self.session, self._outfit, instructions)
        try:
            reason, last = await turn.run(move.claim)
        finally:
            await self._outfit.bench.neighbours.turn_over(self.session)
        self._end_turn(turn.number, last, reason)
        await self.session.written(durable=True)
        self._outfit.titles.after_turn(self.session, turn.number, reason)
        return reason

    def _end_turn(self, turn: int, before: Sequence[Draft], reason: Mapping[str, Any]) -> None:
        self.session.record(*before, Draft(ev.TURN_END, {"turn": turn, "reason": dict(reason)}))
        if reason.get("kind") != "completed":
            self.pursuit.park()
        self.session.save_projections()
        # Whoever saw the end may ask for more while it is still on its way to the disk: that begins something new.
        self._called = False
        waiting = not isinstance(between_turns(self.session.value("inbox")), Rest) or self.pursuit.armed
        self._show(waiting and resumption(reason))
