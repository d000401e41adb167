"""From a connection to an open session: the named one, or one in the folder that htui was started in."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from textual.worker import Worker

from htui.errors import HtuiError
from htui.mirror import Workspace
from htui.screens.desk import Desk
from htui.screens.start import blank_session, is_visible, not_found, session_named, workspace_of

LISTS = frozenset({"workspaces", "list"})
PATIENCE = 15.0
"""Seconds that a host has to tell its lists before a session is opened without them."""


class _Program(Desk, Protocol):
    def run_worker(self, work: Any, /) -> "Worker[Any]": ...
    def tell(self, text: str) -> None: ...


class Opening:
    """`online` and `listed` are told what the link brings; the first time everything is there a session is opened.

    With an empty name of a session somebody chooses one.
    """

    def __init__(self, program: _Program, session: str | None) -> None:
        self._program = program
        self._session = session
        self._begun = False
        self._missing = set(LISTS)
        self._complete = asyncio.Event()

    def online(self) -> None:
        if not self._begun:
            self._begun = True
            self._program.run_worker(self._begin())

    def listed(self, keys: frozenset[str]) -> None:
        self._missing -= keys
        if not self._missing:
            self._complete.set()

    def new(self, workspace_id: str | None, beside: str | None) -> None:
        """Opens a new session: in a workspace, or in that of the session `beside`, or in the folder."""
        if workspace_id is None and beside is not None:
            found = self._holding(beside)
            workspace_id = None if found is None else found.workspace_id
        self._program.run_worker(self._guarded(self._new(workspace_id)))

    def add(self, path: str) -> None:
        self._program.run_worker(self._guarded(self._added(path)))

    def workspace_of_session(self, session_id: str | None) -> str | None:
        found = None if session_id is None else self._holding(session_id)
        return None if found is None else found.workspace_id

    def _holding(self, session_id: str) -> Workspace | None:
        return next((w for w in self._program.link.host.workspaces if session_id in w.session_ids), None)

    async def _begin(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._complete.wait()
        except TimeoutError:
            pass  # a host without workspaces still has sessions
        if self._session is None:
            await self._guarded(self._new(None))
            return
        if not self._session:
            self._program.go("workspaces")
            return
        host = self._program.link.host
        found = session_named(self._session, host.sessions)
        if found is not None:
            self._program.open_session(found.session_id)
        else:
            self._program.go("sessions", not_found(self._session, host.sessions))

    async def _guarded(self, work: Any) -> None:
        try:
            await work
        except HtuiError as error:
            self._program.tell(error.message)

    async def _new(self, workspace_id: str | None) -> None:
        program = self._program
        host = program.link.host
        if workspace_id is None:
            workspace = workspace_of(program.directory, host.workspaces)
        else:
            workspace = next((w for w in host.workspaces if w.workspace_id == workspace_id), None)
        if workspace is None:
            await self._added(str(program.directory))
            return
        visible = [entry for entry in host.sessions if is_visible(entry, host.archived)]
        free = blank_session(workspace, visible)
        if free is not None:
            program.open_session(free.session_id)
        else:
            await self._created(workspace.workspace_id)

    async def _added(self, path: str) -> None:
        answer = await self._program.link.call("workspace/create", request={"path": path})
        workspace = answer.get("workspace", answer) if isinstance(answer, Mapping) else {}
        await self._created(str(workspace.get("workspaceId") or ""))

    async def _created(self, workspace_id: str) -> None:
        answer = await self._program.link.call("session/create", request={"workspaceId": workspace_id})
        session_id = answer.get("sessionId") if isinstance(answer, Mapping) else None
        if not isinstance(session_id, str):
            raise HtuiError("The host made a session and did not say which.")
        self._program.open_session(session_id)
