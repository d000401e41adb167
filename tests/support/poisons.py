"""Logs that a provider would refuse or that have fields of wrong types, by what is wrong with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hd.config.home import Home
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.protocol import events as ev
from hd.protocol.events import Replace
from hd.session.live import Header
from hd.session.store.base import StoredEvent
from hd.session.store.sqlite import SqliteStore
from tests.support.conversations import Conversation

CALL: Final = {"type": "tool-call", "id": "c", "name": "grep", "arguments": "{}"}
HUGE: Final = {"usage": {"inputTokens": 10**30}, "turn": 2**70, "step": 1e300}
TEXT: Final = {"type": "text", "text": "Well."}
Wires = list[dict[str, Any]]


def started() -> Conversation:
    talk = Conversation()
    for fact in facts(preset(DEFAULT_PRESET)):
        talk.add(fact.type, dict(fact.data), None)
    talk.add(ev.TURN_START, {"turn": 1}, None)
    talk.add(ev.STEP_START, {"turn": 1, "step": 1}, None)
    talk.open()
    talk.user("a prompt")
    return talk


def wires_of(talk: Conversation) -> Wires:
    found: Wires = msgspec.json.decode(msgspec.json.encode([event.to_wire() for event in talk.events]))
    return found


def answered(*blocks: dict[str, Any]) -> Conversation:
    talk = started()
    talk.answer(list(blocks), [])
    return talk


def with_results(*results: str, calls: Sequence[dict[str, Any]] = (CALL,)) -> Conversation:
    talk = answered(*calls)
    for call_id in results:
        talk.result(call_id, "found", is_error=False)
    return talk


def then(talk: Conversation, *more: dict[str, Any]) -> Conversation:
    talk.user("and then?")
    talk.answer(list(more) or [TEXT], [])
    return talk


def replaced(talk: Conversation, start: int, end: int) -> Conversation:
    talk.user("in short", "compact-checkpoint", Replace(start, end))
    return talk


def changed(talk: Conversation, place: int, data: Any, **more: Any) -> Wires:
    """The log with other data in its event at `place` from the end."""
    wires = wires_of(talk)
    wires[place] |= {"data": data, **more}
    return wires


def _poisons() -> dict[str, Wires]:
    late = then(with_results())
    late.result("c", "late", is_error=False)
    last = len(answered(CALL).events) - 1
    talks = {
        "malformed arguments": with_results("c", calls=[{**CALL, "arguments": '{"a'}]),
        "a name that no tool can have": with_results("c", calls=[{**CALL, "name": "a b"}]),
        "one id in two messages": then(with_results("c"), CALL),
        "one id twice in a message": with_results("c", "c", calls=[CALL, CALL]),
        "no id": with_results("", calls=[{**CALL, "id": ""}]),
        "a result without a call": with_results("ghost", calls=[TEXT]),
        "a call without a result in the middle": then(with_results()),
        "a result twice": then(with_results("c", "c")),
        "a result too late": late,
        "two answers in a row": then(answered(TEXT), TEXT, {"type": "text", "text": "And more."}),
        "an answer of nothing": then(answered()),
        "an unknown block": then(answered({"type": "hologram", "text": 7}, TEXT)),
        "a range that parts a call from its result": replaced(with_results("c"), last, last),
        "a range that parts a result from its call": replaced(with_results("c"), last + 1, last + 1),
        "a range that covers nothing": replaced(with_results("c"), 9, 3),
        "a range over all": replaced(with_results("c"), -1, 2**70),
    }
    made = {name: wires_of(talk) for name, talk in talks.items()}
    said = answered(TEXT)
    made |= {
        "no content": changed(said, -1, {"message": {"role": "assistant", "content": None}}),
        "a message that is a number": changed(said, -1, {"message": 7}),
        "data that is a list": changed(said, -1, [1]),
        "text in the place of blocks": changed(said, -1, {"message": {"role": "assistant", "content": "Well."}}),
        "a prompt that is null": changed(started(), -1, {"role": None, "content": [None], "source": 4}),
        "an unknown role": changed(said, -1, {"message": {"role": "narrator", "content": [TEXT]}}),
        "huge numbers": changed(said, -1, {"message": {"content": [TEXT]}, **HUGE}, time=-1e300),
        "no system message": changed(said, -3, {}, surfaceOp=None),
        "messages out of order": [
            {**wire, "seq": seq} for seq, wire in enumerate([*wires_of(started())[:7], *wires_of(said)[:6:-1]])
        ],
    }
    return made


POISONS: Final[Mapping[str, Wires]] = _poisons()
SOUND: Final = wires_of(then(with_results("c")))


async def put(home: Path, folder: Path, logs: Mapping[str, Wires]) -> None:
    """Sessions with these logs in a home without a daemon."""
    place = Home(home)
    place.prepare()
    store = await SqliteStore.open(place.database)
    for session_id, wires in logs.items():
        await store.create_session(Header(session_id, 1, str(folder)).row())
        rows = [StoredEvent(seq, 1, wire["type"], msgspec.json.encode(wire)) for seq, wire in enumerate(wires)]
        store.append(session_id, rows)
    await store.close()
