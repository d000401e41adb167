"""Death at any moment, and a log file that ends anywhere."""

import asyncio
import random
import shutil
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from hd.session.store.base import SessionRow
from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import event, message, plain


async def acknowledged_until_killed(path: Path, lines: int) -> int:
    """Starts the appending process, kills it after so many lines, gives the last seq that it said was written."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.session.store.child", str(path), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    async with asyncio.timeout(30):
        for _ in range(lines):
            last = await child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        rest = (last + await child.stdout.read()).split(b"\n")
        await child.wait()
    return int(rest[-2])


@pytest.mark.long
async def test_i01_a_killed_writer_leaves_a_dense_log_with_all_it_promised(path: Path) -> None:
    chance = random.Random(4)
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    await store.close()
    for _ in range(6):
        promised = await acknowledged_until_killed(path, chance.randrange(1, 60))
        store = await SqliteStore.open(path)
        seqs = [msgspec.json.decode(body)["seq"] for body in await store.events("session-a")]
        assert seqs == list(range(len(seqs)))
        assert len(seqs) > promised
        store.append("session-a", [message(len(seqs))])
        await store.close()


@pytest.mark.long
async def test_i01_a_log_cut_at_any_byte_of_its_last_record_keeps_the_earlier_ones(path: Path, tmp_path: Path) -> None:
    store = await SqliteStore.open(path)
    await store.create_session(SessionRow("session-a", 1))
    store.append("session-a", plain(range(40)))
    await store.flush()
    tail = path.with_name("hd.db-wal")
    before = tail.stat().st_size
    store.append("session-a", [event(40)])
    await store.flush()
    after = tail.stat().st_size
    frames = 4096 + 24
    near_borders = {at + d for at in range(before, after + 1, frames) for d in (-1, 0, 1, 7, 8, 23, 24, 25, 100)}
    cuts = sorted({*range(before, after, 37), *near_borders, after})
    for number, cut in enumerate(at for at in cuts if before <= at <= after):
        copy = tmp_path / str(number) / "hd.db"
        copy.parent.mkdir()
        shutil.copyfile(path, copy)
        copy.with_name("hd.db-wal").write_bytes(tail.read_bytes()[:cut])
        await goes_on_after_a_cut(copy, complete=cut == after)
        shutil.rmtree(copy.parent)
    await store.close()


async def goes_on_after_a_cut(path: Path, *, complete: bool) -> None:
    store = await SqliteStore.open(path)
    head = store.head("session-a")
    assert head in ((40,) if complete else (39, 40))
    store.append("session-a", [event(head + 1)])
    await store.close()
    store = await SqliteStore.open(path)
    seqs = [msgspec.json.decode(body)["seq"] for body in await store.events("session-a")]
    await store.close()
    assert seqs == list(range(head + 2))
