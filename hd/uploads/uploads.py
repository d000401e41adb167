"""The files that clients brought along, in the home.

A file is kept once, named by the SHA-256 of its bytes, and never changed. A receipt says which session it was brought
to and what it is called there; a prompt names the receipt. Both are on disk before a client is told of them, so that a
prompt that is sent again after a kill still finds its file.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from hd.config.private import read_private, write_private
from hd.errors import AttachmentInvalid
from hd.protocol import events as ev
from hd.protocol.forms import read
from hd.protocol.ids import new_id
from hd.protocol.messages import Block
from hd.session.store.base import Store
from hd.uploads.blocks import Upload, file_block, plain_name, refers

LARGEST = 10 << 20
"""Bytes of one file."""

_ID = re.compile(r"sha256:([0-9a-f]{64})")
_RECEIPT = "upload/"
_WITH_FILES = (ev.USER_MESSAGE, ev.AGENT_INBOX_SPLICED)


class Uploads:
    """`folder` is of the daemon alone."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._store = store

    async def take(self, session_id: str, raw: bytes, name: str | None) -> tuple[str, Upload]:
        """Keeps a file for prompts of this session; the receipt and what was kept. `AttachmentInvalid` if too large."""
        await self._store.session(session_id)
        if len(raw) > LARGEST:
            text = f"The file has {len(raw):,} bytes; at most {LARGEST:,} can be attached. Name its path instead."
            raise AttachmentInvalid(text, {"reason": "FILE_TOO_LARGE"})
        digest = hashlib.sha256(raw).hexdigest()
        upload = Upload(f"sha256:{digest}", plain_name(name), len(raw))
        await asyncio.to_thread(self._keep, digest, raw)
        receipt = new_id()
        await self._store.save_setting(f"{_RECEIPT}{receipt}", {"sessionId": session_id, **upload.to_wire()})
        return receipt, upload

    async def block(self, session_id: str, receipt: object) -> Block:
        """The block of a prompt for a receipt; `AttachmentInvalid` for one that this session never got."""
        kept = await self._store.load_setting(f"{_RECEIPT}{receipt}") if isinstance(receipt, str) else None
        if kept is None or kept["sessionId"] != session_id:
            raise AttachmentInvalid(
                "There is no such file for this session; attach it again.", {"reason": "FILE_RECEIPT_NOT_FOUND"}
            )
        upload = Upload(kept["attachmentId"], kept["name"], kept["bytes"])
        raw = await self.content(upload.attachment_id)
        return await asyncio.to_thread(file_block, upload, raw)

    async def attachment(self, session_id: str, attachment_id: str) -> tuple[dict[str, Any], bytes]:
        """A file that some prompt of the session came with; `AttachmentInvalid` for any other."""
        async for content in self._contents(session_id, attachment_id):
            found = refers(content, attachment_id)
            if found is not None:
                return dict(found), await self.content(attachment_id)
        raise _missing(attachment_id)

    async def content(self, attachment_id: str) -> bytes:
        matched = _ID.fullmatch(attachment_id)
        raw = None if matched is None else await asyncio.to_thread(read_private, self._folder / matched[1])
        if raw is None:
            raise _missing(attachment_id)
        return raw

    def _keep(self, digest: str, raw: bytes) -> None:
        place = self._folder / digest
        if not place.exists():
            write_private(place, raw)

    async def _contents(self, session_id: str, attachment_id: str) -> AsyncIterator[list[dict[str, Any]]]:
        """The blocks of the messages that hold this id somewhere."""
        wanted = attachment_id.encode(errors="replace")
        async for page in self._store.pages(session_id, types=_WITH_FILES):
            for body in page:
                if wanted in body:
                    given = read(msgspec.json.decode(body)).data
                    for message in given.get("inserted") or (given,):
                        yield message.get("content") or []


def _missing(attachment_id: str) -> AttachmentInvalid:
    return AttachmentInvalid(
        "No prompt of this session came with such a file.",
        {"reason": "ATTACHMENT_NOT_FOUND", "attachmentId": attachment_id},
    )
