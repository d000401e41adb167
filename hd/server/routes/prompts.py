"""`session/*`: what a person tells an agent — prompts, queue, cancel, model."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from hd.agent.compaction.room import narrower
from hd.config.namespaces import DEFAULT_MODEL
from hd.errors import AttachmentInvalid, BadRequest, SessionNotFound, TimeZoneInvalid
from hd.protocol import events as ev
from hd.protocol.endpoints import sessions as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.protocol.events import Draft
from hd.protocol.messages import text_of
from hd.protocol.projections.small import selection
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.uploads.uploads import Uploads

ACCEPTED = {"accepted": True}
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(/[A-Za-z0-9_+-]{1,31}){0,2}")


class PromptRoutes:
    def __init__(self, services: Services, uploads: Uploads) -> None:
        self._services = services
        self._registry = services.registry
        self._uploads = uploads

    def unary(self) -> dict[str, Unary]:
        return {
            "session/prompt": self.prompt,
            "session/cancel": self.cancel,
            "session/updateQueue": self.update_queue,
            "session/modelCatalog": self.model_catalog,
            "session/selectModel": self.select_model,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def prompt(self, request: ep.PromptRequest) -> dict[str, Any]:
        content = checked_content(request["content"], files=True)
        time_zone = checked_time_zone(request.get("clientTimeZone"))
        async with self._registry.hold(request["sessionId"]) as session:
            await self._services.agents.of(session).prompt(
                [await self._with_file(session.id, block) for block in content],
                request_id=request["requestId"],
                steer=request["mode"] == "steer",
                time_zone=time_zone,
            )
        return ACCEPTED

    async def _with_file(self, session_id: str, block: dict[str, Any]) -> dict[str, Any]:
        return block if block["type"] == "text" else await self._uploads.block(session_id, block["receiptId"])

    async def cancel(self, request: SessionRequest) -> dict[str, Any]:
        session_id = request["sessionId"]
        session = self._registry.live.get(session_id)
        if session is not None:
            with session.holds.held():
                await self._services.agents.of(session).cancel()
        elif session_id not in self._registry.dropped:
            raise SessionNotFound(
                f"The session {session_id} is not in memory, so nothing of it runs.", {"sessionId": session_id}
            )
        return ACCEPTED

    async def update_queue(self, request: ep.UpdateQueueRequest) -> dict[str, Any]:
        action = dict(request["action"])
        async with self._registry.hold(request["sessionId"]) as session:
            if action["kind"] == "edit":
                action["content"] = checked_content(request["action"].get("content", []))
            self._services.agents.of(session).update_queue(request["itemId"], action)
            await session.written()
        return ACCEPTED

    async def model_catalog(self) -> dict[str, Any]:
        return await self._services.providers.catalogue()

    async def select_model(self, request: ep.SelectModelRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            selected = self._services.providers.complete(selection(request))
            _, model = self._services.providers.resolve(selected)
            warning = narrower(session.value("contextPressure"), model.context_window)
            session.record(Draft(ev.MODEL_SELECTION, selected))
            session.save_projections()
            await session.written()
        # What a person last chose is what they mean for the next session too.
        await self._services.settings.replace(DEFAULT_MODEL, selected)
        return {"selected": selected} if warning is None else {"selected": selected, "warning": warning}


def checked_content(content: Sequence[Mapping[str, Any]], *, files: bool = False) -> list[dict[str, Any]]:
    """The blocks of a prompt: text, of which some must be visible, or `files` that were brought before."""
    blocks: list[dict[str, Any]] = []
    for block in content:
        match block.get("type"), block.get("text"), block.get("receiptId"):
            case "text", str(text), _:
                blocks.append({"type": "text", "text": text})
            case "file", _, receipt if files:
                blocks.append({"type": "file", "receiptId": receipt})
            case "image", _, _:
                raise AttachmentInvalid(
                    "The model cannot see images; nothing was sent. Say in words what the image shows.",
                    {"reason": "MODEL_DOES_NOT_SUPPORT_IMAGES"},
                )
            case "file", _, _:
                raise AttachmentInvalid(
                    "A message that waits keeps its files and can be given another text only.",
                    {"reason": "TEXT_ONLY"},
                )
            case _:
                raise BadRequest("A prompt is made of blocks `{type: text, text}` and `{type: file, receiptId}`.")
    if not text_of(blocks).strip() and not any(block["type"] == "file" for block in blocks):
        raise BadRequest("A prompt needs some text.")
    return blocks


def checked_time_zone(name: str | None) -> str | None:
    """The name of a time zone of the IANA; on a machine without a time zone database, any name of that form."""
    if name is None:
        return None
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        if not _ZONE.fullmatch(name) or available_timezones():
            raise TimeZoneInvalid(f"There is no time zone {name!r}.", {"value": name}) from error
    return name
