"""`session/*`: lists, creation, follow and pages."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from hd.agent.presets import STANDARD
from hd.agent.title import plain_title
from hd.config.namespaces import PERMISSION
from hd.errors import (
    BadRequest,
    InputInvalid,
    SessionNotFound,
    TitleInvalid,
    WorkspaceInvalidPath,
    WorkspaceNotFound,
)
from hd.ledger.caps import parse, session_cap
from hd.permit.presets import facts, preset
from hd.protocol import events as ev
from hd.protocol.endpoints import sessions as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.protocol.events import Draft
from hd.protocol.projections.inbox import queue_items, view
from hd.server.login import Caller
from hd.server.rpc import Personal, Stream, Unary
from hd.server.services import Services
from hd.session.following import follow
from hd.session.hub import ControlFollower
from hd.session.live import DEFAULT_PAGE, LiveSession
from hd.session.workspaces import real_directory

MAX_PAGE = 1000
TITLE_LIMIT = 200
ID_LIMIT = 200


def session_id_of(address: Mapping[str, Any], endpoint: str) -> str:
    """The session that an address means; a child is addressed by its parent, and there are none yet."""
    kind = address.get("kind")
    named = address.get("sessionId" if kind == "session" else "childSessionId")
    if kind not in ("session", "subagent") or not isinstance(named, str):
        raise InputInvalid(
            f"{endpoint}: an address has the kind `session` or `subagent` and the ids that go with it.",
            {"endpoint": endpoint, "field": "request"},
        )
    if kind == "subagent":
        raise SessionNotFound(f"There is no subagent session {named}.", {"sessionId": named})
    return named


def made_directory(path: str) -> Path:
    """The directory for a session, made where it is missing, as the dialect has it; `WorkspaceInvalidPath`."""
    try:
        given = Path(os.path.expanduser(path))
        if given.is_absolute():
            given.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if not isinstance(error, FileExistsError):
            raise WorkspaceInvalidPath(f"The directory {path} cannot be made: {reason}.", {"path": path}) from error
    return real_directory(path)


def usable_id(session_id: str | None) -> str | None:
    """An id that a client chose; `BadRequest` for one that could not be shown or logged as it is."""
    if session_id is not None and (len(session_id) > ID_LIMIT or not session_id.isprintable()):
        raise BadRequest(f"A session id has at most {ID_LIMIT} characters, all of them printable.")
    return session_id


def _amount(text: str) -> Decimal:
    try:
        return parse(text)
    except ValueError as error:
        raise BadRequest(f"{error} No session was made.") from error


class SessionRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._registry = services.registry

    def unary(self) -> dict[str, Unary]:
        return {
            "session/list": self.summaries,
            "session/create": self.create,
            "session/rename": self.rename,
            "session/page": self.page,
            "session/projections": self.projections,
        }

    def streams(self) -> dict[str, Stream]:
        return {"session/follow": Personal(self.follow), "session/control": self.control}

    async def summaries(self, _request: ep.ListRequest) -> dict[str, Any]:
        return {"items": await self._registry.summaries()}

    async def create(self, request: ep.CreateRequest) -> dict[str, Any]:
        self._services.agent_presets.checked(request.get("agentPreset", STANDARD))
        workspace_id = request.get("workspaceId")
        header = await self._registry.create(
            cwd=str(await self._directory(request)),
            opening=self._opening(request),
            workspace_id=workspace_id,
            session_id=usable_id(request.get("sessionId")),
        )
        if workspace_id is not None:
            await self._services.workspaces.changed(workspace_id)
        return {"sessionId": header.id, "agentPreset": header.agent_preset}

    def _opening(self, request: ep.CreateRequest) -> list[Draft]:
        named = request.get("permissionPreset", self._services.settings.value(PERMISSION)["defaultPreset"])
        drafts = facts(preset(named))
        if "model" in request:
            drafts.append(Draft(ev.MODEL_SELECTION, self._services.providers.wished(request["model"])))
        if "budget" in request:
            drafts.append(session_cap(_amount(request["budget"])))
        return drafts

    async def _directory(self, request: ep.CreateRequest) -> Path:
        """Where the session works. The folder of a workspace is not made again: that it is gone should be told."""
        workspace_id, cwd = request.get("workspaceId"), request.get("cwd")
        if workspace_id is None:
            return await asyncio.to_thread(made_directory, cwd if cwd is not None else os.getcwd())
        if cwd is not None:
            raise BadRequest("A session is made in a workspace or in a directory, not both.")
        row = await self._services.workspaces.get(workspace_id)
        if row is None:
            raise WorkspaceNotFound("This workspace is not registered any more.", {"workspaceId": workspace_id})
        return await asyncio.to_thread(real_directory, row.path)

    async def rename(self, request: ep.RenameRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            title = plain_title(request["title"])[:TITLE_LIMIT]
            if not title:
                raise TitleInvalid("A title needs at least one visible character.", {"sessionId": session.id})
            (event,) = session.record(Draft(ev.SESSION_TITLE, {"title": title, "source": {"kind": "user"}}))
            session.save_projections()
            await session.written()
        return {"title": title, "seq": event.seq}

    async def projections(self, request: SessionRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            return {"kind": "sequenced", "asOfSeq": session.state.seq, "values": session.state.views()}

    async def page(self, request: ep.PageRequest) -> dict[str, Any]:
        session_id = session_id_of(request["address"], "session/page")
        store = self._registry.store
        through, before = request["throughSeq"], request.get("beforeSeq")
        head = store.head(session_id)
        if through > head:
            raise BadRequest(f"The log of this session ends at {head}, before {through}.")
        last = through if before is None else min(through, before - 1)
        if last < 0:
            return {"records": [], "hasMore": False}
        messages = min(request.get("maxMessages", DEFAULT_PAGE), MAX_PAGE)
        start = await store.page_start(session_id, before_seq=before, through_seq=through, messages=messages)
        bodies = await store.events(session_id, from_seq=start, to_seq=last)
        records = [{"type": "event", "event": msgspec.Raw(body)} for body in bodies]
        return {"records": records, "hasMore": start > 0}

    async def follow(self, caller: Caller, request: ep.FollowRequest) -> AsyncGenerator[list[bytes], None]:
        messages = min(request.get("maxMessages", DEFAULT_PAGE), MAX_PAGE)
        stream = request.get("assistantStream", False)
        session_id = session_id_of(request["address"], "session/follow")
        followed = follow(self._registry, session_id, messages=messages, stream=stream)
        async with aclosing(followed) as batches:
            opening = await anext(batches)
            with self._services.presence.following(session_id, caller.connection):
                yield opening
                async for batch in batches:
                    yield batch

    async def control(self) -> AsyncGenerator[list[bytes], None]:
        follower = ControlFollower()
        hub = self._services.hub
        hub.attach_control(follower)
        try:
            yield [msgspec.json.encode({"type": "baseline", "value": self._baseline()})]
            async for batch in follower.batches():
                yield batch
        finally:
            hub.detach_control(follower)

    def _baseline(self) -> dict[str, Any]:
        live: list[LiveSession] = [*self._registry.live.values()]
        return {
            "projections": {s.id: {"asOfSeq": s.state.seq, "values": s.state.views()} for s in live},
            "queues": {s.id: queue_items(view(s.value("inbox"))) for s in live},
            # What 0.1.5 clients call a job runs on behind its call, and nothing of hd does.
            "jobs": {s.id: [] for s in live},
        }
