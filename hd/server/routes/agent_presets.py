"""`agentPresets/*`."""

from typing import Any

from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class AgentPresetRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {
            "agentPresets/list": self.listed,
            "agentPresets/read": self.read,
            "agentPresets/select": self.select,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def listed(self) -> dict[str, Any]:
        return {"presets": self._services.agent_presets.listed()}

    async def read(self, agentPreset: str) -> dict[str, Any]:  # noqa: N803
        return {"agentPreset": agentPreset, "content": self._services.agent_presets.read(agentPreset)}

    async def select(self, agentId: str, agentPreset: str) -> str:  # noqa: N803
        async with self._services.registry.hold(agentId) as session:
            return await self._services.agent_presets.select(session, agentPreset)
