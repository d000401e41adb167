"""One open session: what is sent, asked and answered in it, and what is told about that. Without Textual.

A call that changes something is made once. When its answer is lost, that is said, and the streams show what happened.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from htui.commands import Level
from htui.errors import AnswerLost, HtuiError
from htui.mirror import PendingAsk, SessionMirror
from htui.present.goal import Goal, goal_of
from htui.screens.command_table import no_command
from htui.screens.desk import LinkLike
from htui.screens.host_commands import HostCommand, host_commands
from htui.screens.notices import Notices
from htui.screens.outbox import Outbox
from htui.screens.witness import Witness


class Conversation:
    """`mirror` is that of the session, which is followed.

    `moment` gives seconds of a clock that only goes forward; `told` is called when other things are to be shown.
    """

    def __init__(
        self, mirror: SessionMirror, link: LinkLike, moment: Callable[[], float], told: Callable[[], None]
    ) -> None:
        self.session_id = mirror.session_id
        self.mirror = mirror
        self.link = link
        self.outbox = Outbox()
        self.notices = Notices()
        self.witness = Witness(mirror)
        self.answering: frozenset[str] = frozenset()
        """Asks that were answered here and whose settling is not confirmed yet."""
        self.commands: tuple[HostCommand, ...] | None = None
        """The host's own commands, None while they are not known."""
        self.paging = False
        self.stopping = False
        """True from a wish to stop the turn until nothing runs."""
        self.delivered = asyncio.Event()
        """Set while no prompt is on its way to the host."""
        self.delivered.set()
        self._sending = 0
        self._asked_commands = -1
        self._asked_goal = ("", "")
        self._activation = ""
        self._moment = moment
        self._told = told

    @property
    def online(self) -> bool:
        return self.link.status.phase == "online"

    @property
    def running(self) -> bool:
        return self.mirror.running

    def settle(self) -> list[str]:
        """Notes what the mirror shows by now; the prompts that seemed not to be sent and that the host has."""
        self.stopping = self.stopping and self.running
        return self.outbox.settle(self.mirror)

    def say(self, text: str, level: Level = "info") -> None:
        self.notices.say(text, level, self._moment())
        self._told()

    async def send(self, text: str) -> bool:
        """Sends a prompt, into the running turn where there is one; False when it has to be given back."""
        mode = self.outbox.mode(running=self.running)
        request_id = self.outbox.request_id(text)
        self.outbox.add(request_id, text, mode)
        self._told()
        request = {
            "sessionId": self.session_id,
            "requestId": request_id,
            "mode": mode,
            "content": [{"type": "text", "text": text}],
            "clientTimeZone": time_zone(),
        }
        self._sending += 1
        self.delivered.clear()
        try:
            await self.link.call("session/prompt", request=request)
        except HtuiError as error:
            return self._doubted(request_id, error)
        finally:
            self._sending -= 1
            if not self._sending:
                self.delivered.set()
        self.outbox.accepted(request_id)
        self._told()
        return True

    def _doubted(self, request_id: str, error: HtuiError) -> bool:
        """Says why a prompt may not be taken in; False when it has to be given back."""
        lost = isinstance(error, AnswerLost)
        if not self.outbox.doubt(request_id, self.mirror):
            if not lost:
                self.say(f"The host took the prompt in, and said: {error.message}", "warning")
            return True
        if lost:
            self.say(f"{error.message} If it does not appear, send it again: ↑ brings it back.", "warning")
        else:
            self.say(f"Not sent: {error.message}", "error")
        return lost

    async def call(self, endpoint: str, args: Mapping[str, Any], said: str) -> bool:
        try:
            await self.link.call(endpoint, **args)
        except HtuiError as error:
            self.say(error.message, "error")
            return False
        if said:
            self.say(said)
        return True

    async def cancel(self) -> None:
        self.stopping = True
        await self.call("session/cancel", {"request": {"sessionId": self.session_id}}, "")

    async def remove_queued(self, item_id: str) -> None:
        request = {"sessionId": self.session_id, "itemId": item_id, "action": {"kind": "remove"}}
        await self.call("session/updateQueue", {"request": request}, "Removed from the queue.")

    async def execute(self, line: str) -> bool:
        """Gives a line to the host's own commands; False when it was not run and has to be given back."""
        try:
            value = await self.link.call(
                "commands/execute", agentId=self.session_id, line=line, submittedAttachments=[]
            )
        except HtuiError as error:
            self.say(error.message, "error")
            return isinstance(error, AnswerLost)
        result = value.get("result", value) if isinstance(value, Mapping) else None
        if not isinstance(result, Mapping):
            self.say(no_command(line.split()[0]), "warning")
            return False
        if isinstance(value, Mapping) and value.get("commandId"):
            return True  # its row in the transcript says what came of it, here and in every other client
        failed = result.get("kind") == "error"
        text = result.get("text")
        self.say(text if isinstance(text, str) and text else f"Done: {line}", "error" if failed else "info")
        return True

    @property
    def commands_due(self) -> bool:
        """True while the host was not asked for its commands since they may have changed."""
        return self.online and self._asked_commands != self.link.host.command_changes

    async def read_commands(self) -> None:
        """Reads the host's own commands; without them it is asked about each line."""
        self._asked_commands = self.link.host.command_changes
        try:
            value = await self.link.call("commands/list", agentId=self.session_id)
        except HtuiError:
            return
        self.commands = host_commands(value)
        self._told()

    @property
    def activation(self) -> str:
        """Whether rounds of the goal start by themselves: `armed` or `disarmed`, empty where that is not known."""
        return self.link.host.activations.get(self.session_id, self._activation)

    @property
    def goal_due(self) -> bool:
        """True while the host was not asked, on this connection, whether the goal is armed."""
        goal = goal_of(self.mirror.value("goal"))
        known = goal is None or self.session_id in self.link.host.activations
        return self.online and not known and self._asked_goal != self._goal_key(goal)

    async def read_goal(self) -> None:
        """Reads what no projection tells; a host without it tells less."""
        self._asked_goal = self._goal_key(goal_of(self.mirror.value("goal")))
        try:
            value = await self.link.call("goals/get", agentId=self.session_id)
        except HtuiError:
            return
        activation = value.get("activation") if isinstance(value, Mapping) else None
        self._activation = activation if isinstance(activation, str) else ""
        self._told()

    def _goal_key(self, goal: Goal | None) -> tuple[str, str]:
        return self.link.host.client_id, "" if goal is None else goal.id

    async def answer(self, ask: PendingAsk, outcome: Mapping[str, Any] | None) -> None:
        """Answers what waits; without an outcome the turn is stopped and nothing is answered."""
        if ask.event_id in self.answering:
            return
        self.answering |= {ask.event_id}
        self._told()
        try:
            if outcome is None:
                await self.cancel()
            else:
                self.witness.answered(ask)
                await self.link.answer(ask.event_id, outcome)
        except HtuiError as error:
            self.say(f"Not answered: {error.message}", "error")
        finally:
            self.answering -= {ask.event_id}
            self._told()

    async def older(self) -> None:
        """Fetches a page of older history, one at a time."""
        if self.paging or not self.mirror.has_more or not self.online:
            return
        self.paging = True
        self._told()
        try:
            await self.link.older(self.session_id)
        except HtuiError as error:
            self.say(f"Older history could not be read: {error.message}", "warning")
        finally:
            self.paging = False
            self._told()


def time_zone() -> str:
    """The name of the local time zone, as `Europe/Berlin`; `UTC` where the system does not tell."""
    name = os.environ.get("TZ", "").removeprefix(":")
    if "/" in name:
        return name
    try:
        found = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    except OSError:
        found = ""
    return found or (time.tzname[0] if time.tzname[0] in ("UTC", "GMT") else "UTC")
