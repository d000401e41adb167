"""`drafts/*` and `presence/*`: what the clients of one person share."""

from collections.abc import AsyncGenerator
from typing import Any

from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class SharingRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {"drafts/get": self.draft, "drafts/set": self.set_draft}

    def streams(self) -> dict[str, Stream]:
        return {"drafts/follow": self.follow_draft, "presence/follow": self.presence}

    async def draft(self, sessionId: str) -> dict[str, Any]:  # noqa: N803
        return await self._services.drafts.get(sessionId)

    async def set_draft(self, sessionId: str, text: str, cursor: int, clientId: str = "") -> dict[str, Any]:  # noqa: N803
        draft = await self._services.drafts.set(sessionId, text, cursor, clientId)
        return {"revision": draft["revision"]}

    async def follow_draft(self, sessionId: str) -> AsyncGenerator[list[bytes], None]:  # noqa: N803
        async for batch in self._services.drafts.follow(sessionId):
            yield batch

    async def presence(self) -> AsyncGenerator[list[bytes], None]:
        async for batch in self._services.presence.follow():
            yield batch
