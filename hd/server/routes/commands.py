"""`commands/*`: the host's slash commands."""

from typing import Any

from hd.errors import AttachmentInvalid
from hd.server.rpc import NOTHING, Stream, Unary
from hd.server.services import Services


class CommandRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {"commands/list": self.listed, "commands/execute": self.execute}

    def streams(self) -> dict[str, Stream]:
        return {}

    async def listed(self, agentId: str) -> list[dict[str, Any]]:  # noqa: N803
        async with self._services.registry.hold(agentId):
            return self._services.commands.listed()

    async def execute(self, agentId: str, line: str, submittedAttachments: list[Any]) -> Any:  # noqa: N803
        """No value at all when the line is no command of ours (WIRE 10.2)."""
        async with self._services.registry.hold(agentId) as session:
            if submittedAttachments:
                raise AttachmentInvalid(
                    "A command takes no attachments; name a file's path in it.", {"reason": "command"}
                )
            ran = await self._services.commands.execute(self._services.agents.of(session), line)
        return NOTHING if ran is None else ran.to_wire()
