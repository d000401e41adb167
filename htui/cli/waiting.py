"""What waits for a person at a host, read once, and one answer to it: for commands that look and end.

An id stands for the ask and for all that it says. When any of that is other than it was shown, the id is another one,
so nothing is answered that nobody has read.
"""

import asyncio
import base64
import hashlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hd.protocol.projections.transcript import Row
from htui.errors import HtuiError, ProtocolBroken, RemoteError
from htui.link.address import resolve
from htui.link.client import Client
from htui.link.following import addresses
from htui.link.login import Auth
from htui.mirror import PendingAsk, SessionEntry, SessionMirror
from htui.mirror.rows import pending_ask
from htui.present.approval import Card, card
from htui.present.question import Question, begin

ID_LENGTH: Final = 5
SHORTEST: Final = 3
"""Characters of an id that are shown, and that are enough where they are clear."""
_LOOK_BACK: Final = 20
"""Messages from the end in which the call of an approval is looked for."""


class NothingWaits(HtuiError):
    """What was to be answered does not wait, or not any more, or not as it was shown."""


@dataclass(frozen=True, slots=True)
class Need:
    """`card` is that of an approval, `questions` those of a question; `since` (ms) is 0 where it is not known."""

    id: str
    ask: PendingAsk
    session: SessionEntry | None
    card: Card | None
    questions: tuple[Question, ...]
    since: int

    @property
    def kind(self) -> str:
        return "plan" if any(question.approve for question in self.questions) else self.ask.kind


class Waiting:
    """One look at a host. `needs` are in the order in which they came."""

    def __init__(self, client: Client, client_id: str, needs: Sequence[Need], withdrawn: set[str]) -> None:
        self._client = client
        self._client_id = client_id
        self._withdrawn = withdrawn
        self.needs = needs

    def find(self, wanted: str) -> Need:
        """The one whose id begins so; `NothingWaits` for none and for several."""
        text = wanted.strip().lower()
        found = [need for need in self.needs if len(text) >= SHORTEST and need.id.startswith(text)]
        if len(found) == 1:
            return found[0]
        if found:
            raise NothingWaits(
                f"Several begin with {text}: {', '.join(need.id for need in found)}. Nothing was answered."
            )
        raise NothingWaits(
            f"Nothing that waits is called {text or 'so'}: it was answered, or is not what it was. htui needs lists it."
        )

    async def answer(self, need: Need, outcome: Mapping[str, Any]) -> None:
        """Answers it; `NothingWaits` when somebody else was first."""
        args = {"clientId": self._client_id, "eventId": need.ask.event_id, "outcome": dict(outcome)}
        await self._client.call("$events/result", **args)
        # What comes too late changes nothing and is no error; but the host has told everybody else by then.
        await self._client.sessions()
        if need.ask.event_id in self._withdrawn:
            raise NothingWaits("Somebody else was first, or it was withdrawn: this answer did not count.")


@asynccontextmanager
async def waiting(url: str | None) -> AsyncIterator[Waiting]:
    """Connects and reads what waits; errors as `Client.connect` and `Client.call` have them."""
    address = resolve(url, os.environ)
    client = await Client.connect(address, Auth.of(os.environ))
    async with client, client.stream("$events") as frames:
        ready = await anext(frames, None)
        if not isinstance(ready, Mapping) or ready.get("type") != "ready":
            raise ProtocolBroken("The host did not begin its events with `ready`.")
        asks: dict[str, PendingAsk] = {}
        withdrawn: set[str] = set()
        reader = asyncio.create_task(_read(frames, asks, withdrawn))
        try:
            # What waits follows `ready` at once, so it is here when a call is answered that was made after that.
            sessions = {entry.session_id: entry for entry in await client.sessions()}
            needs = [await _need(client, ask, sessions) for ask in list(asks.values())]
            yield Waiting(client, str(ready.get("clientId")), needs, withdrawn)
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


async def _read(frames: Any, asks: dict[str, PendingAsk], withdrawn: set[str]) -> None:
    async for frame in frames:
        kind = frame.get("type") if isinstance(frame, Mapping) else None
        if kind == "waterfall" and (ask := pending_ask(frame, 0)) is not None:
            asks[ask.event_id] = ask
        elif kind == "cancel":
            withdrawn.add(str(frame.get("eventId")))
            asks.pop(str(frame.get("eventId")), None)


async def _need(client: Client, ask: PendingAsk, sessions: Mapping[str, SessionEntry]) -> Need:
    row = await _call(client, ask, sessions.get(ask.session_id))
    shown = card(ask.request, row) if ask.kind == "approval" else None
    questions = begin(ask.request).questions if ask.kind == "question" else ()
    said = [ask.event_id, ask.session_id, ask.request]
    return Need(_id(said), ask, sessions.get(ask.session_id), shown, questions, 0 if row is None else row.time)


def _id(said: Any) -> str:
    """A few letters and digits that are told apart on a phone, for all that an ask says."""
    digest = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).digest()
    return base64.b32encode(digest).decode().lower()[:ID_LENGTH]


async def _call(client: Client, ask: PendingAsk, entry: SessionEntry | None) -> Row | None:
    """The row of the call that an ask is about; None where the host does not show the session."""
    call_id = ask.request.get("callId")
    if not isinstance(call_id, str):
        return None
    for address in addresses(ask.session_id, entry):
        request = {"address": address, "maxMessages": _LOOK_BACK, "assistantStream": True}
        mirror = SessionMirror(ask.session_id)
        try:
            async with client.stream("session/follow", request=request) as items:
                mirror.apply(await anext(items, None))
        except (RemoteError, ProtocolBroken):
            continue
        rows = (*mirror.rows, *mirror.live)
        return next((row for row in reversed(rows) if row.call_id == call_id), None)
    return None
