"""`session/fork`."""

from hd.protocol.endpoints import sessions as ep
from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class ForkRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {"session/fork": self.fork}

    def streams(self) -> dict[str, Stream]:
        return {}

    async def fork(self, request: ep.ForkRequest) -> dict[str, str]:
        header = await self._services.registry.fork(request["sessionId"], request.get("atSeq"))
        await self._services.workspaces.changed_session(header.id)
        return {"sessionId": header.id}
