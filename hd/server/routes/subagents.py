"""`subagents/*` and `skills/*`. There are none of either yet, and that is what is answered."""

from typing import Any, NoReturn

from hd.errors import HdError
from hd.protocol.endpoints import subagents as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class SubagentNotFound(HdError):
    """The parent has no such child."""

    code = "subagent/not-found"


class SubagentRoutes:
    def __init__(self, services: Services) -> None:
        self._registry = services.registry

    def unary(self) -> dict[str, Unary]:
        return {
            "skills/list": self.skills,
            "subagents/interruptByParent": self.interrupt,
            "subagents/prompt": self.prompt,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def skills(self, request: SessionRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]):
            return {"skills": []}

    async def prompt(self, request: ep.SubagentPrompt) -> NoReturn:
        await self._missing(request["parentSessionId"], request["childSessionId"])

    async def interrupt(self, childSessionId: str, parentSessionId: str, mode: str) -> NoReturn:  # noqa: N803
        await self._missing(parentSessionId, childSessionId)

    async def _missing(self, parent: str, child: str) -> NoReturn:
        async with self._registry.hold(parent):
            raise SubagentNotFound(
                f"The session {parent} has no subagent {child}.", {"parentSessionId": parent, "childSessionId": child}
            )
