"""The agents of a house."""

import asyncio

from hd.agent.agent import Agent
from hd.agent.outfit import Outfit
from hd.session.live import LiveSession

CLOSE_S = 4.0


class Agents:
    """The agents of a house, one for each session in memory that was asked for anything."""

    def __init__(self, outfit: Outfit) -> None:
        self._outfit = outfit
        self._agents: dict[str, Agent] = {}

    def of(self, session: LiveSession) -> Agent:
        agent = self._agents.get(session.id)
        if agent is None:
            agent = self._agents[session.id] = Agent(session, self._outfit)
        return agent

    def rests(self, session_id: str) -> bool:
        """Whether a new agent would go on just as the session's own."""
        agent = self._agents.get(session_id)
        return agent is None or not (agent.running or agent.pursuit.armed)

    def leave(self, session_id: str) -> None:
        self._agents.pop(session_id, None)

    async def close(self) -> None:
        """Ends all running turns as interrupted. What does not end in time is closed by the next start."""
        await self._outfit.titles.close()
        closing = [asyncio.create_task(agent.close()) for agent in self._agents.values()]
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_S)
