"""`goals/*`: the goal of a session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from hd.agent import goals
from hd.agent.agent import Agent
from hd.protocol.endpoints import goals as ep
from hd.server.rpc import NOTHING, Stream, Unary
from hd.server.services import Services


class GoalRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {
            "goals/get": self.get,
            "goals/create": self.create,
            "goals/edit": self.edit,
            "goals/pause": self.pause,
            "goals/resume": self.resume,
            "goals/complete": self.complete,
            "goals/clear": self.clear,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    @asynccontextmanager
    async def _agent(self, session_id: str) -> AsyncIterator[Agent]:
        async with self._services.registry.hold(session_id) as session:
            yield self._services.agents.of(session)

    async def get(self, agentId: str) -> Any:  # noqa: N803
        async with self._agent(agentId) as agent:
            goal = agent.pursuit.wire()
        return NOTHING if goal is None else goal

    async def create(self, agentId: str, request: ep.GoalRequest) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            goal = await goals.create(agent, request["objective"], request.get("maxGoalRounds"))
        return {"ref": {"id": goal["id"], "revision": goal["revision"]}}

    async def edit(self, agentId: str, ref: ep.GoalRef, request: ep.GoalEdit) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            return await goals.edit(agent, ref, request.get("objective"), request.get("maxGoalRounds"))

    async def pause(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            return await goals.pause(agent, ref)

    async def resume(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            return await goals.resume(agent, ref)

    async def complete(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            return await goals.complete(agent, ref)

    async def clear(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        async with self._agent(agentId) as agent:
            return await goals.clear(agent, ref)
