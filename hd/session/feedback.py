"""What a person thinks of an answer or of a session, kept in the session's log (WIRE 10.6, `messageFeedback/*`).

The dialect answers with a result inside the result: `{ok: true, value}` or `{ok: false, error: {code, …}}`.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.session.live import LiveSession
from hd.session.store.base import Store

MAX_NOTE: Final = 4096
"""Bytes of a note in UTF-8."""

Result = dict[str, Any]


def listed(session: LiveSession) -> Result:
    return _ok({"items": list(session.value("messageFeedback").values())})


async def put(session: LiveSession, store: Store, request: Mapping[str, Any]) -> Result:
    """Rates a message. `ifVersion` is the version that the client saw, null where it saw none."""
    problem = _note_problem(request.get("note"))
    if problem is not None:
        return problem
    message_id = request["messageId"]
    if not await _is_answer(session, store, message_id):
        return refused("target-not-found", sessionId=session.id, messageId=message_id)
    current = session.value("messageFeedback").get(message_id)
    if request["ifVersion"] != (current or {}).get("version"):
        return refused("version-conflict", current=current)
    now = session.now()
    item = {key: request[key] for key in ("messageId", "rating", "note", "category") if request.get(key) is not None}
    item |= {"version": new_id(), "createdAt": (current or {}).get("createdAt", now), "updatedAt": now}
    await _record(session, {"messageId": message_id, "item": item})
    return _ok(item)


async def delete(session: LiveSession, message_id: str, version: str) -> Result:
    current = session.value("messageFeedback").get(message_id)
    if current is not None:
        if current["version"] != version:
            return refused("version-conflict", current=current)
        await _record(session, {"messageId": message_id, "item": None})
    return _ok({"absent": True})


async def record(session: LiveSession, text: str | None, category: str | None) -> Result:
    """Keeps a word about the whole session."""
    given = {"text": text, "category": category}
    session.record(Draft(ev.FEEDBACK_RECORD, {key: value for key, value in given.items() if value is not None}))
    session.save_projections()
    await session.written(durable=True)
    return _ok({"recorded": True})


def refused(code: str, **details: Any) -> Result:
    return {"ok": False, "error": {"code": code, **details}}


def _ok(value: Any) -> Result:
    return {"ok": True, "value": value}


def _note_problem(note: str | None) -> Result | None:
    if note is None:
        return None
    if not note.strip():
        return refused("note-blank")
    size = len(note.encode(errors="replace"))
    return refused("note-too-large", maxBytes=MAX_NOTE, actualBytes=size) if size > MAX_NOTE else None


class _Message(msgspec.Struct):
    id: str = ""


class _Body(msgspec.Struct):
    message: _Message = msgspec.field(default_factory=_Message)


class _Answer(msgspec.Struct):
    data: _Body = msgspec.field(default_factory=_Body)


_decode = msgspec.json.Decoder(_Answer).decode


async def _is_answer(session: LiveSession, store: Store, message_id: str) -> bool:
    async for page in store.pages(session.id, types=(ev.ASSISTANT_MESSAGE,)):
        if any(_decode(body).data.message.id == message_id for body in page):
            return True
    return False


async def _record(session: LiveSession, data: Mapping[str, Any]) -> None:
    session.record(Draft(ev.MESSAGE_FEEDBACK, data))
    session.save_projections()
    await session.written(durable=True)
