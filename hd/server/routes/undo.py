"""`undo/*`: what the agent changed in files, and taking it back."""

from typing import Any

from hd.protocol.endpoints import undo as ep
from hd.protocol.projections.changes import Changes, rows
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.undo.plan import Operation
from hd.undo.undo import STOPPED, Taken, Undo


class UndoRoutes:
    def __init__(self, services: Services, undo: Undo) -> None:
        self._services = services
        self._undo = undo

    def unary(self) -> dict[str, Unary]:
        return {
            "undo/accept": self.accept,
            "undo/changes": self.changes,
            "undo/difference": self.difference,
            "undo/redo": self.redo,
            "undo/undo": self.undo,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def changes(self, request: ep.ChangesRequest) -> dict[str, Any]:
        async with self._services.registry.hold(request["sessionId"]) as session:
            changes: Changes = session.value("changes")
        asked = request.get("turn")
        turns = [turn for turn in changes.turns if asked in (None, turn.turn)]
        return {"turns": [{"turn": t.turn, "files": list(rows(t)), "uncovered": list(t.uncovered)} for t in turns]}

    async def difference(self, request: ep.DifferenceRequest) -> dict[str, Any]:
        async with self._services.registry.hold(request["sessionId"]) as session:
            made, since = await self._undo.difference(session, request["turn"], request["path"])
        return {key: text for key, text in (("difference", made), ("since", since)) if text is not None}

    async def undo(self, request: ep.TakeRequest) -> dict[str, Any]:
        return await self._take("undo", request)

    async def redo(self, request: ep.TakeRequest) -> dict[str, Any]:
        return await self._take("redo", request)

    async def _take(self, operation: Operation, request: ep.TakeRequest) -> dict[str, Any]:
        async with self._services.registry.hold(request["sessionId"]) as session:
            taken = await self._services.agents.of(session).alone(
                lambda: self._undo.take(session, operation, request.get("turn"), request.get("paths", ())),
                f"{operation} its changes",
                STOPPED,
            )
        return _row(taken)

    async def accept(self, request: ep.TakeRequest) -> dict[str, Any]:
        async with self._services.registry.hold(request["sessionId"]) as session:
            turn, files = await self._undo.accept(session, request.get("turn"), request.get("paths", ()))
        return {"turn": turn, "files": files}


def _row(taken: Taken) -> dict[str, Any]:
    refused = [
        {"path": one.path, "reason": one.reason, **({"difference": one.difference} if one.difference else {})}
        for one in taken.refused
    ]
    more = {"spared": list(taken.spared), "beside": list(taken.beside)}
    return {"turn": taken.turn, "files": list(taken.done), "refused": refused, **more}
