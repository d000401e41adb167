"""`GET /api/session.export`: a session's log as a ZIP file, streamed (WIRE 3.4)."""

import asyncio
import re
from collections.abc import Callable, Sequence

from aiohttp import web

from hd.errors import SessionNotFound
from hd.server.services import Services
from hd.session.export import Archive
from hd.session.live import Header

Secrets = Callable[[], Sequence[str]]
_NOT_IN_A_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def file_name(session_id: str) -> str:
    """What a browser saves it as; an id that a client chose may hold anything."""
    return f"dsh-session-{_NOT_IN_A_FILE_NAME.sub('_', session_id)}.zip"


class ExportRoutes:
    """`secrets` gives what may not leave with a log; it looks into the home, so it blocks."""

    def __init__(self, services: Services, secrets: Secrets) -> None:
        self._store = services.registry.store
        self._secrets = secrets

    def plain(self) -> list[web.RouteDef]:
        return [web.get("/api/session.export", self.export)]

    async def export(self, request: web.Request) -> web.StreamResponse:
        ids = request.query.getall("sessionId", [])
        if len(ids) != 1 or not ids[0]:
            return web.Response(status=400, text="exactly one sessionId is needed")
        try:
            row = await self._store.session(ids[0])
        except SessionNotFound:
            return web.Response(status=404, text="session not found")
        response = web.StreamResponse(
            headers={
                "Content-Type": "application/zip",
                "Content-Disposition": f'attachment; filename="{file_name(row.id)}"',
                "Cache-Control": "no-store",
            }
        )
        if request.method == "HEAD":
            await response.prepare(request)
            return response
        archive = Archive(Header.of(row), await asyncio.to_thread(self._secrets))
        await response.prepare(request)
        try:
            async for bodies in self._store.pages(row.id, to_seq=row.head):
                await response.write(await asyncio.to_thread(archive.add, bodies))
            await response.write(await asyncio.to_thread(archive.end))
        except ConnectionError:
            # Whoever asked is gone; there is nobody to tell.
            pass
        return response
