"""The course of `hd run`: one session, one turn, in the running daemon or else in a house of this process."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final

from hd.agent.spending import TOOL
from hd.billing.cost import Cost
from hd.cli.ending import say
from hd.cli.line import Line
from hd.cli.outlet import until_reader_leaves
from hd.cli.printing import Printer
from hd.cli.wish import Wish
from hd.errors import BUDGET, CANCELLED, DENIED, DONE, FAILED, NEEDS_PERSON, PROVIDER, HdError
from hd.permit.approvals import APPROVAL_REQUEST, QUESTIONS_REQUEST
from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.forms import read
from hd.protocol.ids import new_id
from hd.protocol.messages import text_of
from hd.protocol.projections import State
from hd.protocol.projections.figures import TOKEN_USAGE
from pricing import PriceTable, plain

STOP_S: Final = 5.0
"""How long a run that ends badly waits for its turn to be stopped."""

STATUS = {
    DONE: "completed",
    FAILED: "failed",
    NEEDS_PERSON: "needs-person",
    DENIED: "denied",
    BUDGET: "over-budget",
    PROVIDER: "provider-failed",
    CANCELLED: "cancelled",
}
OURS = {"INTERNAL", "STEP_LIMIT", "store/full"}
"""Codes of turns that failed for another reason than the provider."""


@dataclass(slots=True)
class Course:
    """What happened so far that decides the exit code."""

    denied: bool = False
    needs_person: bool = False
    cancelled: bool = False


def exit_code(course: Course, reason: Mapping[str, Any]) -> int:
    if course.needs_person:
        return NEEDS_PERSON
    if _is_spent_out(reason):
        return BUDGET
    if course.cancelled:
        return CANCELLED
    if reason["kind"] == "error":
        return FAILED if reason["error"].get("code") in OURS else PROVIDER
    if course.denied:
        return DENIED
    return DONE if reason["kind"] == "completed" else FAILED


def _is_spent_out(reason: Mapping[str, Any]) -> bool:
    """Whether the session's own cap ended the turn, which nobody was there to raise."""
    return bool(reason["kind"] == "error" and reason["error"].get("code") == "BUDGET")


class Run:
    """One wish over one line. Nobody is there to be asked: an approval is denied, a question ends the turn.

    `tables` are the prices that the budget and the result are reckoned by, those of the home.
    """

    def __init__(self, line: Line, wish: Wish, printer: Printer, tables: PriceTable) -> None:
        self._line = line
        self._wish = wish
        self._printer = printer
        self._course = Course()
        self._session_id = ""
        self._usage = State.initial([TOKEN_USAGE])
        self._cost = Cost(tables=tables)
        self._text = ""
        self._items: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._reason: Mapping[str, Any] | None = None

    async def play(self, interrupted: asyncio.Event) -> int:
        """Runs to the end of the turn and gives the exit code; `interrupted` stops it on the way."""
        workspace = await self._line.call("workspace/create", request={"path": self._wish.folder})
        made = await self._line.call(
            "session/create", request=self._wish.session(workspace["workspace"]["workspaceId"])
        )
        self._session_id = made["sessionId"]
        try:
            async with asyncio.TaskGroup() as group:
                aside = [
                    group.create_task(self._answer_for_nobody()),
                    group.create_task(self._follow()),
                    group.create_task(until_reader_leaves(sys.stdout.fileno())),
                ]
                await self._prompt(self._wish.prompt)
                aside.append(group.create_task(self._stop_when(interrupted)))
                reason = await self._show()
                for prompt in self._wish.more:
                    if reason["kind"] == "completed":
                        self._reason = None
                        await self._prompt(prompt)
                        reason = await self._show()
                for task in aside:
                    task.cancel()
        finally:
            if self._reason is None:
                # In a daemon it would go on with nobody watching.
                with suppress(HdError, TimeoutError):
                    async with asyncio.timeout(STOP_S):
                        await self._stop()
        return self._finish(reason)

    async def _prompt(self, text: str) -> None:
        request = {
            "sessionId": self._session_id,
            "requestId": new_id(),
            "mode": "queue",
            "content": [{"type": "text", "text": text}],
        }
        await self._line.call("session/prompt", request=request)

    async def _stop(self) -> None:
        await self._line.call("session/cancel", request={"sessionId": self._session_id})

    async def _stop_when(self, interrupted: asyncio.Event) -> None:
        await interrupted.wait()
        self._course.cancelled = True
        await self._stop()

    async def _follow(self) -> None:
        """Takes what happens as it comes, however slowly it is printed: who does not read is cut off."""
        request = {"address": {"kind": "session", "sessionId": self._session_id}, "assistantStream": True}
        async with aclosing(self._line.stream("session/follow", request=request)) as items:
            async for item in items:
                for one in item["records"] if item["type"] == "snapshot" else (item,):
                    self._items.put_nowait(one)
                    if one["type"] == "event":
                        self._take(read(one["event"]))
        self._items.put_nowait({"type": "end"})

    def _take(self, event: Event) -> None:
        self._usage, _ = self._usage.apply(event)
        self._cost = self._cost.apply(event)
        match event.type:
            case ev.TURN_END:
                self._reason = event.data["reason"]
            case ev.ASSISTANT_MESSAGE:
                self._text = text_of(event.data["message"]["content"]) or self._text

    async def _show(self) -> Mapping[str, Any]:
        """Prints what happened until the turn ends; gives the reason of its end.

        In a thread of its own, because a terminal or a pipe may take nothing for as long as it likes.
        """
        while True:
            items = [await self._items.get()]
            while not self._items.empty():
                items.append(self._items.get_nowait())
            ended = await asyncio.to_thread(self._print, items)
            if ended is not None:
                return ended

    def _print(self, items: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        for item in items:
            if item["type"] == "end":
                return {"kind": "interrupted"}
            self._printer.item(item)
            if item["type"] == "event" and item["event"]["type"] == ev.TURN_END:
                reason: Mapping[str, Any] = item["event"]["data"]["reason"]
                return reason
        return None

    async def _answer_for_nobody(self) -> None:
        client_id = ""
        async with aclosing(self._line.stream("$events")) as frames:
            async for frame in frames:
                if frame["type"] == "ready":
                    client_id = frame["clientId"]
                if frame["type"] != "waterfall" or frame["agentId"] != self._session_id:
                    continue
                if frame["event"] == APPROVAL_REQUEST:
                    self._course.denied |= frame["request"].get("toolName") != TOOL
                    outcome = {"kind": "result", "value": "rejected"}
                    answer = {"clientId": client_id, "eventId": frame["eventId"], "outcome": outcome}
                    await self._line.call("$events/result", **answer)
                elif frame["event"] == QUESTIONS_REQUEST:
                    self._course.needs_person = True
                    self._items.put_nowait({"type": "questions", "questions": frame["request"]["questions"]})
                    await self._stop()

    def _finish(self, reason: Mapping[str, Any]) -> int:
        code = exit_code(self._course, reason)
        bill = self._cost.bill()
        budget = self._wish.budget
        if budget is not None and bill.unpriced:
            say(
                f"{bill.unpriced} of {bill.requests} requests have no known price, so the budget did not hold for them."
            )
        if budget is not None and bill.amount > budget:
            spent = f"{plain(bill.amount)} of {plain(budget)} {bill.currency}"
            say(f"The last answer cost more than was expected of it: {spent} are spent.")
        self._printer.result(
            {
                "status": STATUS[code],
                "exitCode": code,
                "sessionId": self._session_id,
                "text": self._text,
                "usage": self._usage.view("tokenUsage"),
                "cost": {
                    "amount": None if bill.unpriced == bill.requests > 0 else plain(bill.amount),
                    "currency": bill.currency,
                    "exact": bill.exact,
                },
            }
        )
        return code
