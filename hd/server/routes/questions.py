"""`userQuestions/*`: an answer to a question by the call that asked it."""

from collections.abc import AsyncGenerator

from hd.protocol.endpoints import questions as ep
from hd.server.rpc import Stream, Unary
from hd.server.services import Services

_NO_ITEMS: tuple[list[bytes], ...] = ()


class QuestionRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {"userQuestions/answer": self.answer}

    def streams(self) -> dict[str, Stream]:
        return {"userQuestions/attachWait": self.wait}

    async def answer(self, agentId: str, callId: str, answer: ep.Answers) -> bool:  # noqa: N803
        """Whether this was the answer that counts; false where nobody waits for one any more."""
        async with self._services.registry.hold(agentId) as session:
            return self._services.broker.answer_questions(session.id, callId, answer)

    async def wait(self, agentId: str, callId: str) -> AsyncGenerator[list[bytes], None]:  # noqa: N803
        """Ends when the question is settled. No item says how long that may take, for it has no limit."""
        async with self._services.registry.hold(agentId) as session:
            await self._services.broker.settled(session.id, callId)
        for nothing in _NO_ITEMS:
            yield nothing
