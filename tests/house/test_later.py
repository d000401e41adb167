"""A message that is held until its model costs less, at a real daemon (row X6); `tests/later/` has the rest."""

import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.house.test_commands import execute, value
from tests.house.test_turns import of
from tests.support.mock_model import MockModel, Reply
from tests.support.preloaded import PreloadedDaemon


def price(home: Path, **changes: Any) -> None:
    """What the models cost from the next start on."""
    shipped = msgspec.json.decode((files("pricing") / "data" / "deepseek.json").read_bytes())
    (home / "prices.json").write_bytes(msgspec.json.encode([{**one, **changes} for one in shipped]))


def taken(item: dict[str, Any]) -> bool:
    """Whether a snapshot or an event behind it tells that a message was sent."""
    events = [record["event"] for record in item.get("records", [item]) if record.get("type") == "event"]
    return [data["how"] for data in of(events, "later/taken")] == ["sent"]


@pytest.mark.long
async def test_x6_a_daemon_that_finds_it_cheap_sends_what_the_one_before_held(
    tmp_path: Path, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(text="done"))
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    cheap_day = (time.gmtime().tm_wday + 1 + 3) % 7
    price(home, timezone="UTC", weekdays=[day for day in range(7) if day != cheap_day], windows=[[0, 24 * 60]])
    environment = {"DEEPSEEK_API_KEY": "sk-house-test-key", "DEEPSEEK_BASE_URL": mock.base_url}
    with PreloadedDaemon(home, environment=environment) as daemon:
        session = await daemon.new_session(folder)
        assert "Held until " in (await execute(daemon, session, "/later sum up"))["result"]["text"]
        held = await value(daemon, session, "later")
        assert [one["text"] for one in held] == ["sum up"]
        daemon.kill()
        price(home, windows=[])
        daemon.start()
        await mock.until(lambda: len(mock.requests) == 1, 10)
        async with daemon.socket() as socket:
            await (await socket.follow(session)).until(taken)
        assert await value(daemon, session, "later") == []
        assert "sum up" in [message["content"] for message in mock.requests[0].parsed["messages"]]
