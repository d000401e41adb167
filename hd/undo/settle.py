"""At a start: makes facts of what the notes of the dead daemon say and the disk confirms."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hd.errors import HdError
from hd.files.errors import FileError
from hd.files.exact import Exact
from hd.files.leftovers import Leftovers
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.forms import read
from hd.protocol.projections.changes import Change, Node
from hd.session.live import LiveSession
from hd.session.registry import Registry
from hd.undo.nodes import MOST_FILE, node_of
from hd.undo.recover import Found, found
from hd.undo.undo import Undo

_log = logging.getLogger(__name__)

UNCLEAR: Final = "The daemon was killed while it changed {paths}; what stands there now is neither the old nor the new."


async def settle(undo: Undo, registry: Registry) -> None:
    """Records what was done and not yet recorded, and removes files in the making; before anybody is let in."""
    await asyncio.to_thread(Leftovers(undo.scratch).sweep)
    notes = await asyncio.to_thread(undo.pending.all)
    for session_id in {str(note.get("sessionId")) for note in notes}:
        try:
            bodies = await registry.store.events(session_id, types=(ev.UNDO_CHANGED, ev.UNDO_DONE))
            logged = [dict(read(msgspec.json.decode(body)).data) for body in bodies]
            mine = [note for note in notes if note.get("sessionId") == session_id and not is_logged(note, logged)]
            if mine:
                await _record(undo, registry, session_id, mine)
        except HdError as error:
            _log.warning("what was being changed in %s when the daemon died stays unknown: %s", session_id, error)
        undo.pending.drop(session_id)


async def _record(undo: Undo, registry: Registry, session_id: str, notes: Sequence[Mapping[str, Any]]) -> None:
    async with registry.hold(session_id) as session:
        for note in notes:
            session.record(*await asyncio.to_thread(_facts, undo, session, note))
        session.save_projections()
        await session.written(durable=True)


async def forget(undo: Undo, registry: Registry) -> None:
    """At a regular end: no note is needed of what is on disk in a log. A full disk leaves them for the next start."""
    await asyncio.to_thread(undo.keep)
    try:
        await registry.store.flush(durable=True)
    except HdError:
        return
    for session in registry.live.values():
        if not session.value("turn").running:
            undo.pending.drop(session.id)


def is_logged(note: Mapping[str, Any], logged: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the log has what a note is about (pure)."""
    if "operation" in note:
        return any(fact.get("undoId") == note.get("key") for fact in logged)
    where = ("turn", "step", "callId")
    return any(all(fact.get(key) == note.get(key) for key in where) for fact in logged)


def _facts(undo: Undo, session: LiveSession, note: Mapping[str, Any]) -> list[Draft]:
    begun = [Change.of_wire(wire) for wire in note.get("changes") or ()]
    exact = undo.exact(session)
    seen = found(begun, {change.path: _node(exact, change.path) for change in begun})
    return facts(note, seen)


def _node(exact: Exact, path: str) -> Node | None:
    try:
        return node_of(exact.form(path, MOST_FILE))
    except FileError:
        return Node("other")


def facts(note: Mapping[str, Any], seen: Found) -> list[Draft]:
    """What is to be recorded of a note, by what was found on disk (pure)."""
    if "operation" in note:
        files = [change.path for change in seen.made]
        refused = [{"path": path, "reason": "it was cut off, and something else stands there"} for path in seen.unclear]
        body = {"turn": note["turn"], "operation": note["operation"], "undoId": note["key"]}
        return [Draft(ev.UNDO_DONE, {**body, "files": files, "refused": refused})] if files or refused else []
    said = [str(note["uncovered"])] if note.get("uncovered") else []
    if seen.unclear:
        said.append(UNCLEAR.format(paths=", ".join(seen.unclear)))
    if not (seen.made or said):
        return []
    body = {key: note[key] for key in ("turn", "step", "callId", "by") if key in note}
    more = {"uncovered": " ".join(said)} if said else {}
    return [Draft(ev.UNDO_CHANGED, {**body, "changes": [change.to_wire() for change in seen.made], **more})]
