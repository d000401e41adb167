"""Asks that wait for a person, over any number of clients (WIRE 5.2).

Every ask goes to every open peer and again to peers that open later; the first `result` or `rejected` settles it. One
difference from the official host, on purpose: `next` from everybody leaves the ask waiting, for the next client or the
same one after a reconnect, instead of denying it. Nothing here has a time limit: a turn waits for as long as it takes.

Everything happens on one event loop, and every change is made between two awaits, so there are no locks.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hd.errors import BadRequest, HdError
from hd.permit.approvals import parse_answers
from hd.protocol.ids import new_id

Frame = dict[str, Any]
Outcome = dict[str, Any]

QUEUE_LIMIT: Final = 10_000


class ClientUnknown(HdError):
    """An answer from a client whose event stream is not open."""


class _Error(msgspec.Struct, omit_defaults=True):
    name: str
    message: str
    code: str | msgspec.UnsetType = msgspec.UNSET
    details: Any = msgspec.UNSET


class _Next(msgspec.Struct, tag_field="kind", tag="next"):
    pass


class _Result(msgspec.Struct, tag_field="kind", tag="result"):
    value: Any = None


class _Rejected(msgspec.Struct, tag_field="kind", tag="rejected"):
    error: _Error


class Peer:
    """One client's event stream. `client_id` lives and dies with it; it is made by `Broker.connect`.

    `owner` is who opened it: nobody else may answer in its name.
    """

    def __init__(self, broker: "Broker", owner: str, client_id: str) -> None:
        self.client_id: Final = client_id
        self.owner: Final = owner
        self.closed = False
        self._broker = broker
        self._queue: deque[Frame] = deque()
        self._changed = asyncio.Event()

    async def items(self) -> AsyncIterator[Frame]:
        """The frames for this client, in order, until the peer is closed. For one reader."""
        while not self.closed:
            while self._queue:
                yield self._queue.popleft()
            self._changed.clear()
            if not self.closed:
                await self._changed.wait()

    def close(self) -> None:
        """Ends the stream without a vote: what waits for a person goes on waiting. Closing twice is no error."""
        self.closed = True
        self._queue.clear()
        self._changed.set()
        self._broker.forget(self)

    def put(self, frame: Frame) -> None:
        """Queues a frame; a client that has stopped reading is closed instead."""
        if len(self._queue) >= QUEUE_LIMIT:
            self.close()
            return
        self._queue.append(frame)
        self._changed.set()


@dataclass(slots=True)
class _Waiting:
    """An ask that nobody has settled. `declined` are the client ids that answered `next`."""

    session_id: str
    call_id: str | None
    frame: Frame
    settled: asyncio.Future[Outcome]
    declined: set[str] = field(default_factory=set)


class Broker:
    """The daemon's one place where people are told and asked."""

    def __init__(self) -> None:
        self._peers: dict[str, Peer] = {}
        self._waiting: dict[str, _Waiting] = {}

    def connect(self, owner: str = "", client_id: str = "") -> Peer:
        """Opens a client's stream; it starts with what already waits for an answer, oldest first.

        It gets the wished `client_id` unless that is empty or taken.
        """
        peer = Peer(self, owner, client_id if client_id and client_id not in self._peers else new_id())
        self._peers[peer.client_id] = peer
        for waiting in self._waiting.values():
            peer.put(waiting.frame)
        return peer

    def emit(self, event: str, args: list[Any]) -> None:
        """Tells every open peer, now and never again."""
        self._broadcast({"type": "emit", "event": event, "args": args})

    async def ask(self, session_id: str, event: str, request: dict[str, Any], *, call_id: str | None = None) -> Outcome:
        """Asks everybody and waits: `{"kind": "result", "value"}` or `{"kind": "rejected", "error"}`.

        `by` stands beside it where a client settled it, with that client's id.
        `call_id` is the tool call that questions come from, by which they can be answered too. When the waiting task is
        cancelled, the ask is withdrawn from every peer.
        """
        event_id = new_id()
        frame = {
            "type": "waterfall",
            "event": event,
            "eventId": event_id,
            "agentId": session_id,
            "request": request,
        }
        waiting = _Waiting(session_id, call_id, frame, asyncio.get_running_loop().create_future())
        self._waiting[event_id] = waiting
        self._broadcast(frame)
        try:
            return await waiting.settled
        finally:
            if self._waiting.pop(event_id, None) is not None:
                self._broadcast(_cancel(event_id))

    def answer(self, client_id: str, event_id: str, outcome: object, owner: str = "") -> None:
        """Takes a client's answer. An answer that comes late or twice changes nothing and is no error.

        ClientUnknown when `owner` has no open stream of this id, BadRequest when `outcome` has no known shape.
        """
        answer = _parse(outcome)
        peer = self._peers.get(client_id)
        if peer is None or peer.owner != owner:
            raise ClientUnknown("This client has no open event stream. Open `$events` again; it repeats what waits.")
        waiting = self._waiting.get(event_id)
        if waiting is None or client_id in waiting.declined:
            return
        if isinstance(answer, _Next):
            waiting.declined.add(client_id)
            return
        self._settle(event_id, msgspec.to_builtins(answer), by=client_id)

    def answer_questions(self, session_id: str, call_id: str, answer: object) -> bool:
        """Answers the questions of a call for all clients; False when nobody waits for that.

        InputInvalid, and the questions go on waiting, when the answer does not fit them.
        """
        found = self._questions(session_id, call_id)
        if found is None:
            return False
        event_id, waiting = found
        value = parse_answers(answer, waiting.frame["request"]["questions"])
        self._settle(event_id, {"kind": "result", "value": value}, by=None)
        return True

    async def settled(self, session_id: str, call_id: str) -> None:
        """Returns when the questions of a call are answered or withdrawn; at once when nobody waits for them."""
        found = self._questions(session_id, call_id)
        if found is not None:
            await asyncio.wait({found[1].settled})

    def _questions(self, session_id: str, call_id: str) -> tuple[str, _Waiting] | None:
        for event_id, waiting in self._waiting.items():
            if (waiting.session_id, waiting.call_id) == (session_id, call_id):
                return event_id, waiting
        return None

    def _settle(self, event_id: str, outcome: Outcome, *, by: str | None) -> None:
        waiting = self._waiting.pop(event_id)
        if not waiting.settled.done():
            waiting.settled.set_result(outcome if by is None else {**outcome, "by": by})
        for peer in list(self._peers.values()):
            if peer.client_id != by and peer.client_id not in waiting.declined:
                peer.put(_cancel(event_id))

    def pending(self, session_id: str) -> list[Frame]:
        """The frames of what this session waits for, oldest first."""
        return [waiting.frame for waiting in self._waiting.values() if waiting.session_id == session_id]

    def close(self) -> None:
        """Closes every peer. Who waits for an answer is cancelled by its own owner."""
        for peer in list(self._peers.values()):
            peer.close()

    def forget(self, peer: Peer) -> None:
        """Called by a peer that closes."""
        self._peers.pop(peer.client_id, None)

    def _broadcast(self, frame: Frame) -> None:
        for peer in list(self._peers.values()):
            peer.put(frame)


def _cancel(event_id: str) -> Frame:
    return {"type": "cancel", "eventId": event_id}


def _parse(outcome: object) -> _Next | _Result | _Rejected:
    try:
        return msgspec.convert(outcome, _Next | _Result | _Rejected)
    except msgspec.ValidationError as error:
        raise BadRequest(f"`outcome` is a next, a result or a rejected with its error: {error}.") from error
