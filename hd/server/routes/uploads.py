"""`fileUploads/upload`, its raw form, and `session/attachment`: files that come with prompts (WIRE 3.4, 10)."""

import base64
import binascii
from typing import Any

import msgspec
from aiohttp import web

from hd.errors import AttachmentInvalid
from hd.protocol.endpoints import uploads as ep
from hd.server.body import read_body
from hd.server.rpc import Stream, Unary, wire_error
from hd.uploads.uploads import Uploads

_RAW = "application/octet-stream"


class UploadRoutes:
    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads

    def unary(self) -> dict[str, Unary]:
        return {"fileUploads/upload": self.upload, "session/attachment": self.attachment}

    def streams(self) -> dict[str, Stream]:
        return {}

    def plain(self) -> list[web.RouteDef]:
        return [web.route("*", "/api/session/uploadFileBinary", self.upload_raw)]

    async def upload(self, agentId: str, request: ep.UploadRequest) -> dict[str, Any]:  # noqa: N803
        try:
            raw = base64.b64decode(request["data"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise AttachmentInvalid("The file's data is not base64.", {"reason": "FILE_DATA_INVALID"}) from error
        return await self._take(agentId, raw, request.get("name"))

    async def upload_raw(self, request: web.Request) -> web.Response:
        """The same with the bytes as the body; the answer has no envelope."""
        if request.method != "POST":
            return web.Response(status=405, text="method not allowed", headers={"Allow": "POST"})
        if request.content_type != _RAW:
            return web.Response(status=415, text=f"content type must be {_RAW}")
        session_id = request.query.get("sessionId")
        if not session_id:
            return web.Response(status=400, text="a sessionId is needed")
        try:
            value = await self._take(session_id, await read_body(request), request.query.get("name"))
        except web.HTTPException:
            raise
        except Exception as error:
            return _json({"ok": False, "error": wire_error(error).to_wire()})
        return _json({"ok": True, "value": value})

    async def attachment(self, request: ep.AttachmentRequest) -> dict[str, Any]:
        attachment, raw = await self._uploads.attachment(request["sessionId"], request["attachmentId"])
        return {"attachment": attachment, "data": base64.b64encode(raw).decode()}

    async def _take(self, session_id: str, raw: bytes, name: str | None) -> dict[str, Any]:
        receipt, upload = await self._uploads.take(session_id, raw, name)
        return {"receiptId": receipt, "file": upload.to_wire()}


def _json(answer: dict[str, Any]) -> web.Response:
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")
