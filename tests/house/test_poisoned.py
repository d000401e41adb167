"""Sessions cannot be closed for good by what their log holds: they are followed, prompted, forked and exported, and the
strict model takes every request of them. The log itself is never changed."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hd.config.home import Home
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace
from hd.session.live import Header
from hd.session.store.base import StoredEvent
from hd.session.store.sqlite import SqliteStore
from htui.mirror import SessionMirror
from tests.support.conversations import Conversation, conversations
from tests.support.daemon import LIMIT, Daemon
from tests.support.damage import damaged
from tests.support.logs import random_logs
from tests.support.mock_model import MockModel

CALL: Final = {"type": "tool-call", "id": "c", "name": "grep", "arguments": "{}"}
HUGE: Final = {"usage": {"inputTokens": 10**30}, "turn": 2**70, "step": 1e300}
TEXT: Final = {"type": "text", "text": "Well."}
ANSWER: Final = "¶ all is well ¶"
"""What the model says here. No text of a log begins like it: the model knows its own answers by their text."""

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


POISONS: Final = _poisons()


async def put(home: Path, folder: Path, logs: Mapping[str, Wires]) -> None:
    """Sessions with these logs in a home without a daemon."""
    place = Home(home)
    place.prepare()
    store = await SqliteStore.open(place.database)
    for session_id, wires in logs.items():
        await store.create_session(Header(session_id, 1, str(folder)).row())
        rows = [StoredEvent(wire["seq"], 1, wire["type"], msgspec.json.encode(wire)) for wire in wires]
        store.append(session_id, rows)
    await store.close()


class Use:
    """A person's use of one session after another, until something of it does not work."""

    def __init__(self, daemon: Daemon, mock: MockModel) -> None:
        self._daemon, self._mock = daemon, mock

    async def all_of(self, session_id: str, wires: Wires) -> None:
        self._mock.reset_prefix()
        mirror = SessionMirror(session_id)
        async with self._daemon.socket() as socket:
            stream = await socket.follow(session_id)
            mirror.apply(await stream.item())
            for number in (1, 2):
                request = f"{session_id} {number}"
                await self._daemon.prompt(session_id, f"{request} [[say {ANSWER}]]", request_id=request)
                async with asyncio.timeout(LIMIT):
                    while mirror.running or not any(row.request_id == request for row in mirror.rows):
                        mirror.apply(await stream.item())
                said = [row.text for row in mirror.rows if row.kind == "assistant"]
                assert said.count(ANSWER) == number, mirror.rows[len(mirror.rows) - 1]
        await self._compact(session_id)
        fork = await self._daemon.acall("session/fork", request={"sessionId": session_id})
        await self._daemon.acall("session/projections", request={"sessionId": fork["sessionId"]})
        export = f"/api/session.export?sessionId={quote(session_id)}"
        headers = {"Cookie": self._daemon.cookie}
        status, _, body = await asyncio.to_thread(self._daemon.http, "GET", export, headers=headers)
        assert (status, body[:2]) == (200, b"PK")
        log = await self._daemon.log(session_id)
        assert log[: len(wires)] == wires

    async def _compact(self, session_id: str) -> None:
        """The summary is the mock's own answer, or there was nothing to sum up; it is no defect of the daemon."""
        line = {"agentId": session_id, "line": "/compact", "submittedAttachments": []}
        await self._daemon.acall("commands/execute", **line)


async def use(home: Path, folder: Path, logs: Mapping[str, Wires]) -> None:
    await put(home, folder, logs)
    async with MockModel() as mock:
        environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": mock.base_url}
        daemon = Daemon(home, environment=environment)
        await asyncio.to_thread(daemon.start)
        try:
            for session_id, wires in logs.items():
                try:
                    await Use(daemon, mock).all_of(session_id, wires)
                except BaseException as error:
                    error.add_note(f"in {session_id}: {msgspec.json.encode(wires).decode()}")
                    raise
            assert "Traceback" not in daemon.log_text()
        finally:
            await asyncio.to_thread(daemon.stop)
        assert mock.violations == []


async def test_every_known_poison_is_cured_on_load(tmp_path: Path, folder: Path) -> None:
    await use(tmp_path / "home", folder, POISONS)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(
    max_examples=4,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    st.lists(st.one_of(random_logs(), conversations().map(lambda talk: talk.events)), min_size=25, max_size=25),
    st.integers(0, 2**32),
)
def test_no_damage_closes_a_session(
    tmp_path_factory: pytest.TempPathFactory, logs: list[list[Event]], seed: int
) -> None:
    chance = Random(seed)
    place = tmp_path_factory.mktemp("damaged")
    (place / "work").mkdir()
    named = {f"session-{number}": damaged(events, chance) for number, events in enumerate(logs)}
    asyncio.run(use(place / "home", place / "work", named))
