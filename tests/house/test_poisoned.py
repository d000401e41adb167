"""Sessions cannot be closed for good by what their log holds: they are followed, prompted, forked and exported, and the
strict model takes every request of them. The log itself is never changed."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Final
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hd.protocol.events import Event
from htui.mirror import SessionMirror
from tests.support.conversations import conversations
from tests.support.daemon import LIMIT, Daemon
from tests.support.damage import damaged
from tests.support.logs import random_logs
from tests.support.mock_model import MockModel
from tests.support.poisons import POISONS, Wires, put

ANSWER: Final = "¶ all is well ¶"
"""What the model says here. No text of a log begins like it: the model knows its own answers by their text."""

MODEL: Final = {"provider": "deepseek-official", "model": "deepseek-flash"}


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
            # A log names models that nobody has; a session is answered by its own, or by one that a person chose.
            await self._daemon.acall("session/selectModel", request={"sessionId": session_id, **MODEL})
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
