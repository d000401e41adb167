"""The course of `hd run`: a house of its own, one session, one turn."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hd.agent.agent import Agent
from hd.cli.ending import say
from hd.cli.outlet import until_reader_leaves
from hd.cli.printing import Printer
from hd.compose import open_house
from hd.config.home import Home
from hd.config.lock import acquire
from hd.config.logs import Redactor, log_to
from hd.config.settings import Settings
from hd.daemon import heed_signals, known_secrets
from hd.errors import CANCELLED, DENIED, DONE, FAILED, NEEDS_PERSON, PROVIDER, HomeBusy
from hd.ledger.bill import total
from hd.ledger.fold import fold
from hd.permit.approvals import APPROVAL_REQUEST, QUESTIONS_REQUEST
from hd.permit.presets import facts, preset
from hd.process.harden import hide_environment
from hd.protocol import events as ev
from hd.protocol.events import Draft, Event
from hd.protocol.ids import new_id
from hd.protocol.messages import text_of
from hd.server.services import Services
from hd.session.live import LiveSession
from pricing import plain

LOCK_S = 0.2

STATUS = {
    DONE: "completed",
    FAILED: "failed",
    NEEDS_PERSON: "needs-person",
    DENIED: "denied",
    PROVIDER: "provider-failed",
    CANCELLED: "cancelled",
}
OURS = {"INTERNAL", "STEP_LIMIT", "store/full"}
"""Codes of turns that failed for another reason than the provider."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    prompt: str
    folder: str
    permission: str
    model: str | None
    demo: bool


@dataclass(slots=True)
class Course:
    """What happened so far that decides the exit code."""

    denied: bool = False
    needs_person: bool = False
    cancelled: bool = False


def exit_code(course: Course, reason: Mapping[str, Any]) -> int:
    if course.needs_person:
        return NEEDS_PERSON
    if course.cancelled:
        return CANCELLED
    if reason["kind"] == "error":
        return FAILED if reason["error"].get("code") in OURS else PROVIDER
    if course.denied:
        return DENIED
    return DONE if reason["kind"] == "completed" else FAILED


async def play(wish: Wish, printer: Printer, environment: Mapping[str, str]) -> int:
    """Runs the wish to its end and gives the exit code."""
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    secrets = known_secrets(settings.home, environment, demo=wish.demo)
    redactor = Redactor(*secrets)
    if not secrets and not wish.demo:
        say("No API key is set, so the scripted demo answers; `hd key set` stores one.")
    with _store(settings.home) as database, log_to(settings.home.log, redactor):
        hide_environment()
        async with open_house(settings, environment, demo=wish.demo, database=database) as house:
            return await _Run(house.services, wish, printer).play()


@contextmanager
def _store(home: Home) -> Iterator[Path]:
    """The home's store if no daemon has it, else one of this run alone: a store has one writer."""
    try:
        # A moment, because a command that only asks whether a daemon runs takes the lock as well, for an instant.
        lock = acquire(home, wait_s=LOCK_S)
    except HomeBusy:
        beside = home.database.with_name(f"run-{new_id()}.db")
        say(f"A daemon has this home, so this run is kept in {beside}.")
        yield beside
        return
    with lock:
        yield home.database


class _Run:
    def __init__(self, services: Services, wish: Wish, printer: Printer) -> None:
        self._services = services
        self._wish = wish
        self._printer = printer
        self._course = Course()
        self._events: list[Event] = []

    async def play(self) -> int:
        opening = [*facts(preset(self._wish.permission)), *self._model()]
        header = await self._services.registry.create(cwd=self._wish.folder, opening=opening)
        async with self._services.registry.hold(header.id) as session:
            return self._finish(session, await self._play(session))

    async def _play(self, session: LiveSession) -> Mapping[str, Any]:
        """The turn, from its prompt to its end; gives the reason of the end."""
        agent = self._services.agents.of(session)
        interrupted = asyncio.Event()
        heed_signals(interrupted)
        async with asyncio.TaskGroup() as group:
            helpers = [
                group.create_task(self._answer_for_nobody(agent)),
                group.create_task(self._stop_when(interrupted, agent)),
                group.create_task(until_reader_leaves(sys.stdout.fileno())),
            ]
            shown = group.create_task(self._show(session))
            content = [{"type": "text", "text": self._wish.prompt}]
            await agent.prompt(content, request_id=new_id(), steer=False)
            reason = await shown
            for helper in helpers:
                helper.cancel()
        return reason

    def _model(self) -> list[Draft]:
        if self._wish.model is None:
            return []
        default = self._services.providers.default()
        wanted = {"provider": default["provider"], "model": self._wish.model}
        return [Draft(ev.MODEL_SELECTION, self._services.providers.complete(wanted))]

    async def _stop_when(self, interrupted: asyncio.Event, agent: Agent) -> None:
        await interrupted.wait()
        self._course.cancelled = True
        await agent.cancel()

    async def _show(self, session: LiveSession) -> Mapping[str, Any]:
        """Prints what happens until the turn ends; gives the reason of its end."""
        async with aclosing(session.follow(stream=True)) as batches:
            async for batch in batches:
                for body in batch:
                    reason = self._item(msgspec.json.decode(body))
                    if reason is not None:
                        return reason
        return {"kind": "interrupted"}

    def _item(self, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
        for one in item["records"] if item["type"] == "snapshot" else (item,):
            self._printer.item(one)
            if one["type"] == "event":
                event = Event.from_wire(one["event"])
                self._events.append(event)
                if event.type == ev.TURN_END:
                    reason: Mapping[str, Any] = event.data["reason"]
                    return reason
        return None

    async def _answer_for_nobody(self, agent: Agent) -> None:
        """Denies what needs an approval; a question ends the run, for nobody is there to answer it."""
        peer = self._services.broker.connect()
        async for frame in peer.items():
            if frame["type"] != "waterfall":
                continue
            if frame["event"] == APPROVAL_REQUEST:
                self._course.denied = True
                denial = {"kind": "result", "value": "rejected"}
                self._services.broker.answer(peer.client_id, frame["eventId"], denial)
            elif frame["event"] == QUESTIONS_REQUEST:
                self._course.needs_person = True
                await agent.cancel()

    def _finish(self, session: LiveSession, reason: Mapping[str, Any]) -> int:
        code = exit_code(self._course, reason)
        answers = [text_of(e.data["message"]["content"]) for e in self._events if e.type == ev.ASSISTANT_MESSAGE]
        bill = total(fold(self._events))
        amount = None if bill.unpriced == bill.requests else plain(bill.amount)
        self._printer.result(
            {
                "status": STATUS[code],
                "exitCode": code,
                "sessionId": session.id,
                "text": next((answer for answer in reversed(answers) if answer), ""),
                "usage": session.state.view("tokenUsage"),
                "cost": {"amount": amount, "currency": bill.currency, "exact": bill.exact},
            }
        )
        return code
