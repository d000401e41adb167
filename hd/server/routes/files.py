"""`fileReferences/*` and `workspaceFiles/*`: a session's folder, read only and behind the guard."""

import asyncio
import base64
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec

from hd.files.guard import Guard
from hd.files.references import References
from hd.files.scan import Kind, kind_of
from hd.files.views import Views, entry_row, version
from hd.files.watch import watch
from hd.protocol.endpoints import files as ep
from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class FileRoutes:
    def __init__(self, services: Services, guard: Guard, references: References) -> None:
        self._store = services.registry.store
        self._guard = guard
        self._references = references

    def unary(self) -> dict[str, Unary]:
        return {
            "fileReferences/list": self.references,
            "workspaceFiles/list": self.listing,
            "workspaceFiles/read": self.read,
            "workspaceFiles/readBytes": self.read_bytes,
            "workspaceFiles/stat": self.stat,
        }

    def streams(self) -> dict[str, Stream]:
        return {"workspaceFiles/changes": self.changes}

    async def references(self, agentId: str, query: str) -> list[dict[str, str]]:  # noqa: N803
        views = await self._views(agentId)
        found = await asyncio.to_thread(self._references.find, views.root, query)
        return [reference.to_wire() for reference in found]

    async def listing(self, workspaceFileScopeId: str, path: str) -> dict[str, Any]:  # noqa: N803
        views = await self._views(workspaceFileScopeId)
        return await asyncio.to_thread(_listing, views, path)

    async def read(self, workspaceFileScopeId: str, path: str, range: ep.LineRange) -> dict[str, Any]:  # noqa: N803
        views = await self._views(workspaceFileScopeId)
        found = await asyncio.to_thread(lambda: views.read(path, **range))
        text = "\n".join(found.lines)
        return {
            **_state(found.path, found.state),
            "offset": found.offset,
            "text": text,
            "lines": len(found.lines),
            "eof": found.eof,
        }

    async def read_bytes(
        self,
        workspaceFileScopeId: str,  # noqa: N803
        path: str,
        options: ep.ByteOptions | None = None,
        range: ep.ByteRange | None = None,
    ) -> dict[str, Any]:
        views = await self._views(workspaceFileScopeId)
        given = options or {}
        wanted = given.get("range") or range or {}
        base = given.get("baseFile")
        found = await asyncio.to_thread(lambda: views.read_bytes(path, base=base, **wanted))
        return {
            **_state(found.path, found.state),
            "offset": found.offset,
            "data": base64.b64encode(found.content).decode(),
            "eof": found.eof,
        }

    async def stat(self, workspaceFileScopeId: str, path: str) -> dict[str, Any]:  # noqa: N803
        views = await self._views(workspaceFileScopeId)
        return _state(*await asyncio.to_thread(views.stat, path))

    async def changes(self, workspaceFileScopeId: str, path: str = ".") -> AsyncGenerator[list[bytes], None]:  # noqa: N803
        views = await self._views(workspaceFileScopeId)
        async for changed in watch(views, path):
            items = [{"kind": "change", "change": _change(place, now)} for place, now in changed]
            yield [msgspec.json.encode(item) for item in items or [{"kind": "ready"}]]

    async def _views(self, session_id: str) -> Views:
        row = await self._store.session(session_id)
        return await asyncio.to_thread(Views, Path(row.cwd or "/"), self._guard)


def _listing(views: Views, path: str) -> dict[str, Any]:
    found = views.list(path)
    entries = [entry_row(item, views.root) for item in found.items]
    return {
        "path": found.name,
        "entries": sorted(entries, key=lambda row: str(row["name"])),
        "truncated": found.more > 0,
    }


def _state(path: Path, state: os.stat_result) -> dict[str, Any]:
    shared = {"absolutePath": str(path), "version": version(state)}
    return {**shared, "bytes": state.st_size} if kind_of(state.st_mode) is Kind.FILE else shared


def _change(path: Path, now: str | None) -> dict[str, Any]:
    return {"absolutePath": str(path), "absent": True} if now is None else {"absolutePath": str(path), "version": now}
