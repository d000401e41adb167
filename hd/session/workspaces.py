"""Workspaces: registered directories, the order of their sessions, and what is archived (WIRE 10.1)."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec

from hd.errors import HdError, WorkspaceInvalidPath
from hd.session.store.base import Store, WorkspaceRow

MOST_WAITING = 200
"""Changes that wait for one reader of them."""

INITIALIZED = "workspaces/initialized"

_encode = msgspec.json.encode


class WorkspaceMoveInvalid(HdError):
    """A session that is not in the workspace in which it should be moved."""

    code = "workspace/move-invalid"


class _Watcher:
    """One reader of the changes. Where too many wait for it, the whole state goes out in their place."""

    def __init__(self) -> None:
        self._waiting: list[dict[str, Any]] = []
        self._wake = asyncio.Event()
        self.closed = False

    def push(self, frame: dict[str, Any]) -> None:
        if len(self._waiting) <= MOST_WAITING:
            self._waiting.append(frame)
        self._wake.set()

    def close(self) -> None:
        self.closed = True
        self._wake.set()

    async def take(self) -> list[dict[str, Any]] | None:
        """What waits; None when it was too much to keep."""
        await self._wake.wait()
        self._wake.clear()
        waiting, self._waiting = self._waiting, []
        return waiting if len(waiting) <= MOST_WAITING else None


class Workspaces:
    """The registry of directories, and who watches it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watchers: set[_Watcher] = set()
        self._told: dict[tuple[str, str | None], dict[str, Any]] = {}
        """The latest frame about each thing."""

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

    async def pin(self, session_id: str, *, pinned: bool = True) -> list[str]:
        ids = await self._store.set_pinned(session_id, pinned)
        self._publish({"type": "pinned", "pinnedSessionIds": ids})
        return ids

    async def place(self, workspace_id: str, before: str | None) -> list[str]:
        """Moves a workspace in front of another, or to the end; gives all ids in their new order."""
        ids = await self._store.place_workspace(workspace_id, before)
        self._publish({"type": "order", "workspaceIds": ids})
        return ids

    async def place_session(self, workspace_id: str, session_id: str, before: str | None) -> WorkspaceRow:
        """The same for a session in its workspace; `WorkspaceMoveInvalid` when one of the sessions is not in it."""
        row = await self._store.place_session(workspace_id, session_id, before)
        if row is None:
            raise WorkspaceMoveInvalid(
                "Sessions are moved within their workspace, and one of these is not in it. Nothing was moved.",
                {"workspaceId": workspace_id, "sessionId": session_id},
            )
        self._publish({"type": "upsert", "workspace": row.to_wire()})
        return row

    async def initialize(self, path: str) -> WorkspaceRow | None:
        """The first workspace of a home that never had one; None where a person has chosen already."""
        if await self._store.load_setting(INITIALIZED) or await self._store.workspaces():
            return None
        row, _ = await self.create(path)
        await self._store.save_setting(INITIALIZED, True)
        return row

    async def _publish_order(self) -> None:
        rows = await self._store.workspaces()
        self._publish({"type": "order", "workspaceIds": [row.id for row in rows]})

    def _publish(self, frame: dict[str, Any]) -> None:
        """Tells the watchers, unless it is what they were told last: each frame holds all of what it is about."""
        about = (str(frame["type"]), frame.get("workspace", {}).get("workspaceId"))
        if frame["type"] == "remove":
            self._told.pop(("upsert", frame["workspaceId"]), None)
        elif self._told.get(about) == frame:
            return
        else:
            self._told[about] = frame
        for watcher in self._watchers:
            watcher.push(frame)

    async def follow(self) -> AsyncGenerator[list[bytes], None]:
        """The baseline, then every change."""
        watcher = _Watcher()
        self._watchers.add(watcher)
        try:
            yield [_encode({"type": "baseline", "value": await self._state()})]
            while not watcher.closed:
                frames = await watcher.take()
                if frames is None:
                    frames = [{"type": "replace", "value": await self._state()}]
                if frames:
                    yield [_encode(frame) for frame in frames]
        finally:
            self._watchers.discard(watcher)

    async def _state(self) -> dict[str, Any]:
        return {
            "items": [row.to_wire() for row in await self._store.workspaces()],
            "archivedSessionIds": await self._store.archived(),
            "pinnedSessionIds": await self._store.pinned(),
        }

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.close()


def real_directory(path: str) -> Path:
    """The directory behind an absolute path, links resolved; `WorkspaceInvalidPath` if there is none to work in."""
    given = Path(os.path.expanduser(path))
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
