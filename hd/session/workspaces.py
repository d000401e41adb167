"""Workspaces: registered directories, the order of their sessions, and what is archived (WIRE 10.1)."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec

from hd.errors import WorkspaceInvalidPath
from hd.session.store.base import Store, WorkspaceRow

_encode = msgspec.json.encode


class Workspaces:
    """The registry of directories, and who watches it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watchers: set[asyncio.Queue[dict[str, Any] | None]] = set()

    async def create(self, path: str) -> tuple[WorkspaceRow, bool]:
        """The workspace of a directory; the flag says whether it is new. `WorkspaceInvalidPath` names what is wrong."""
        real = await asyncio.to_thread(real_directory, path)
        row, created = await self._store.create_workspace(str(real), real.name or str(real))
        if created:
            self._publish({"type": "upsert", "workspace": row.to_wire()})
            await self._publish_order()
        return row, created

    async def get(self, workspace_id: str) -> WorkspaceRow | None:
        return next((row for row in await self._store.workspaces() if row.id == workspace_id), None)

    async def rename(self, workspace_id: str, title: str) -> WorkspaceRow:
        row = await self._store.rename_workspace(workspace_id, title)
        self._publish({"type": "upsert", "workspace": row.to_wire()})
        return row

    async def delete(self, workspace_id: str) -> None:
        await self._store.delete_workspace(workspace_id)
        await self._publish_order()
        self._publish({"type": "remove", "workspaceId": workspace_id})

    async def changed(self, workspace_id: str) -> None:
        """Tells the watchers of a workspace whose sessions changed."""
        row = await self.get(workspace_id)
        if row is not None:
            self._publish({"type": "upsert", "workspace": row.to_wire()})

    async def changed_session(self, session_id: str) -> None:
        """The same for the workspace that a session is in, if it is in one."""
        row = next((row for row in await self._store.workspaces() if session_id in row.session_ids), None)
        if row is not None:
            self._publish({"type": "upsert", "workspace": row.to_wire()})

    async def archive(self, session_id: str, *, archived: bool = True) -> list[str]:
        ids = await self._store.set_archived(session_id, archived)
        self._publish({"type": "archived", "archivedSessionIds": ids})
        return ids

    async def _publish_order(self) -> None:
        rows = await self._store.workspaces()
        self._publish({"type": "order", "workspaceIds": [row.id for row in rows]})

    def _publish(self, frame: dict[str, Any]) -> None:
        for watcher in self._watchers:
            watcher.put_nowait(frame)

    async def follow(self) -> AsyncGenerator[list[bytes], None]:
        """The baseline, then every change."""
        watcher: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._watchers.add(watcher)
        try:
            value = {
                "items": [row.to_wire() for row in await self._store.workspaces()],
                "archivedSessionIds": await self._store.archived(),
                "pinnedSessionIds": await self._store.pinned(),
            }
            yield [_encode({"type": "baseline", "value": value})]
            while (frame := await watcher.get()) is not None:
                yield [_encode(frame)]
        finally:
            self._watchers.discard(watcher)

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.put_nowait(None)


def real_directory(path: str) -> Path:
    """The directory behind an absolute path, links resolved; `WorkspaceInvalidPath` if there is none to work in."""
    given = Path(path).expanduser()
    if not path or not given.is_absolute():
        raise WorkspaceInvalidPath(f"A workspace needs an absolute path, not {path!r}.", {"path": path})
    try:
        real = given.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise WorkspaceInvalidPath(f"There is no directory {path}: {reason}.", {"path": path}) from error
    if not real.is_dir():
        raise WorkspaceInvalidPath(f"{path} is a file; a workspace is a directory.", {"path": path})
    if not os.access(real, os.R_OK | os.X_OK):
        raise WorkspaceInvalidPath(f"{path} cannot be read by this user.", {"path": path})
    return real
