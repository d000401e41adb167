"""`workspace/*`: registered directories and the archive."""

import os
from collections.abc import AsyncGenerator
from typing import Any

from hd.errors import BadRequest, SessionBusy
from hd.protocol.endpoints import workspaces as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import NOTHING, Stream, Unary
from hd.server.services import Services


class WorkspaceRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._workspaces = services.workspaces

    def unary(self) -> dict[str, Unary]:
        return {
            "workspace/create": self.create,
            "workspace/rename": self.rename,
            "workspace/delete": self.delete,
            "workspace/archiveSession": self.archive,
            "workspace/unarchiveSession": self.unarchive,
            "workspace/pinSession": self.pin,
            "workspace/unpinSession": self.unpin,
            "workspace/insertBefore": self.place,
            "workspace/insertSessionBefore": self.place_session,
            "workspace/initializeDefault": self.initialize,
        }

    def streams(self) -> dict[str, Stream]:
        return {"workspace/follow": self.follow}

    async def create(self, request: ep.WorkspaceCreateRequest) -> dict[str, Any]:
        row, created = await self._workspaces.create(request["path"])
        return {"workspace": row.to_wire(), "created": created}

    async def rename(self, request: ep.WorkspaceRenameRequest) -> dict[str, Any]:
        title = " ".join(request["title"].split())
        if not title:
            raise BadRequest("A workspace needs a title with at least one visible character.")
        row = await self._workspaces.rename(request["workspaceId"], title)
        return {"workspace": row.to_wire()}

    async def delete(self, request: ep.WorkspaceRequest) -> dict[str, Any]:
        await self._workspaces.delete(request["workspaceId"])
        return {"deleted": True}

    async def archive(self, request: ep.ArchiveRequest) -> dict[str, Any]:
        """Work is never hidden while it goes on: it is stopped when asked so, else the archive is refused."""
        session = self._services.registry.live.get(request["sessionId"])
        if session is not None:
            with session.holds.held():
                agent = self._services.agents.of(session)
                if agent.running and not request.get("stopActivity"):
                    raise SessionBusy("This session still works; stop it first, then archive it.")
                if agent.running:
                    await agent.cancel()
        return {"archivedSessionIds": await self._workspaces.archive(request["sessionId"])}

    async def unarchive(self, request: SessionRequest) -> dict[str, Any]:
        return {"archivedSessionIds": await self._workspaces.archive(request["sessionId"], archived=False)}

    async def pin(self, request: SessionRequest) -> dict[str, Any]:
        return {"pinnedSessionIds": await self._workspaces.pin(request["sessionId"])}

    async def unpin(self, request: SessionRequest) -> dict[str, Any]:
        return {"pinnedSessionIds": await self._workspaces.pin(request["sessionId"], pinned=False)}

    async def place(self, request: ep.PlaceRequest) -> dict[str, Any]:
        ids = await self._workspaces.place(request["workspaceId"], request.get("beforeWorkspaceId"))
        return {"workspaceIds": ids}

    async def place_session(self, request: ep.PlaceSessionRequest) -> dict[str, Any]:
        row = await self._workspaces.place_session(
            request["workspaceId"], request["sessionId"], request.get("beforeSessionId")
        )
        return {"workspace": row.to_wire()}

    async def initialize(self) -> Any:
        """The folder where the daemon was started becomes the first workspace, once in the life of a home."""
        row = await self._workspaces.initialize(os.getcwd())
        return NOTHING if row is None else {"workspace": row.to_wire()}

    def follow(self) -> AsyncGenerator[list[bytes], None]:
        return self._workspaces.follow()
