"""A full disk in the middle of work: told in words, nothing lost, and the work goes on once there is room."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from hd.errors import StoreFull
from tests.house.inside import inside
from tests.session.store.test_full import limit_pages
from tests.support.mock_model import Call, MockModel, Reply

PLENTY = 1_000_000


async def test_i03_a_prompt_waits_for_room_and_nothing_is_lost(tmp_path: Path, mock: MockModel, folder: Path) -> None:
    async with inside(tmp_path, mock, folder) as house:
        pages = house.store._writer._connection.execute("PRAGMA page_count").fetchone()[0]
        limit_pages(house.store, pages + 2)
        with pytest.raises(StoreFull, match="held in memory"):
            await house.prompt("x" * 100_000, "first")
        assert not house.agent.running
        assert len(house.session.value("inbox").next_turn) == 1
        assert mock.requests == []
        mock.add(Reply(calls=[Call("write_file", {"path": "a.txt", "content": "a\n"})]), Reply(text="done"))
        limit_pages(house.store, PLENTY)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(house.turn_ends())
            await house.prompt("x" * 100_000, "first")
        assert (folder / "a.txt").read_text() == "a\n"
        seqs = [msgspec.json.decode(body)["seq"] for body in await house.store.events(house.session.id)]
        assert seqs == list(range(house.session.state.seq + 1))
