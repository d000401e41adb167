"""`goals/*`: the goal of a session."""

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

    async def _agent(self, session_id: str) -> Agent:
        return self._services.agents.of(await self._services.registry.get(session_id))

    async def get(self, agentId: str) -> Any:  # noqa: N803
        goal = (await self._agent(agentId)).pursuit.wire()
        return NOTHING if goal is None else goal

    async def create(self, agentId: str, request: ep.GoalRequest) -> dict[str, Any]:  # noqa: N803
        agent = await self._agent(agentId)
        goal = await goals.create(agent, request["objective"], request.get("maxGoalRounds"))
        return {"ref": {"id": goal["id"], "revision": goal["revision"]}}

    async def edit(self, agentId: str, ref: ep.GoalRef, request: ep.GoalEdit) -> dict[str, Any]:  # noqa: N803
        agent = await self._agent(agentId)
        return await goals.edit(agent, ref, request.get("objective"), request.get("maxGoalRounds"))

    async def pause(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        return await goals.pause(await self._agent(agentId), ref)

    async def resume(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        return await goals.resume(await self._agent(agentId), ref)

    async def complete(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        return await goals.complete(await self._agent(agentId), ref)

    async def clear(self, agentId: str, ref: ep.GoalRef) -> dict[str, Any]:  # noqa: N803
        return await goals.clear(await self._agent(agentId), ref)
