"""`messageFeedback/*` and `sessionFeedback/*`: what people think of answers and sessions."""

from collections.abc import Awaitable, Callable
from typing import Any

from hd.errors import SessionNotFound
from hd.protocol.endpoints import feedback as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.session import feedback
from hd.session.live import LiveSession

Answer = dict[str, Any]


class FeedbackRoutes:
    def __init__(self, services: Services) -> None:
        self._registry = services.registry

    def unary(self) -> dict[str, Unary]:
        return {
            "messageFeedback/delete": self.delete,
            "messageFeedback/list": self.listed,
            "messageFeedback/put": self.put,
            "sessionFeedback/record": self.record,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def delete(self, request: ep.MessageFeedbackDelete) -> Answer:
        async def delete(session: LiveSession) -> Answer:
            return await feedback.delete(session, request["messageId"], request["ifVersion"])

        return await self._of(request["sessionId"], delete)

    async def listed(self, request: SessionRequest) -> Answer:
        async def listed(session: LiveSession) -> Answer:
            return feedback.listed(session)

        return await self._of(request["sessionId"], listed)

    async def put(self, request: ep.MessageFeedbackPut) -> Answer:
        async def put(session: LiveSession) -> Answer:
            return await feedback.put(session, self._registry.store, request)

        return await self._of(request["sessionId"], put)

    async def record(self, request: ep.SessionFeedback) -> Answer:
        async def record(session: LiveSession) -> Answer:
            return await feedback.record(session, request.get("text"), request.get("category"))

        return await self._of(request["sessionId"], record)

    async def _of(self, session_id: str, answer: Callable[[LiveSession], Awaitable[Answer]]) -> Answer:
        """The answer of a session; in this namespace a missing one is a result too."""
        try:
            async with self._registry.hold(session_id) as session:
                return await answer(session)
        except SessionNotFound:
            return feedback.refused("session-not-found", sessionId=session_id)
