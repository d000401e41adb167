"""Databases of the past, of the future and of other programs."""

import sqlite3
import stat
from pathlib import Path

import msgspec
import pytest

from hd.errors import StoreDamaged
from hd.session.store import schema
from hd.session.store.sqlite import SqliteStore

FIXTURES = Path(__file__).parent / "fixtures"


def load(path: Path, dump: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript((FIXTURES / dump).read_text())
    connection.close()


def snapshot(path: Path) -> tuple[int, list[str]]:
    connection = sqlite3.connect(path)
    try:
        return schema.version(connection), list(connection.iterdump())
    finally:
        connection.close()


@pytest.mark.parametrize("dump", sorted(file.name for file in FIXTURES.glob("schema*.sql")))
async def test_i08_every_past_schema_loads(path: Path, dump: str) -> None:
    load(path, dump)
    store = await SqliteStore.open(path)
    row = await store.session("session-00000000-0000-4000-8000-000000000001")
    assert (row.head, row.as_of_seq, row.cwd) == (3, 3, "/w/a")
    bodies = [msgspec.json.decode(body) for body in await store.events(row.id)]
    assert [body["type"] for body in bodies] == ["turn/start", "user/message", "assistant/message", "turn/end"]
    assert await store.page_start(row.id, before_seq=None, through_seq=3, messages=1) == 2
    assert [w.session_ids for w in await store.workspaces()] == [(row.id,)]
    assert await store.archived() == ["session-00000000-0000-4000-8000-000000000002"]
    assert await store.load_setting("model") == {"model": "deepseek-flash"}
    await store.close()


def test_the_newest_fixture_is_the_schema_of_today(tmp_path: Path) -> None:
    load(tmp_path / "old.db", f"schema{schema.newest()}.sql")
    fresh = sqlite3.connect(tmp_path / "new.db", isolation_level=None)
    old = sqlite3.connect(tmp_path / "old.db")
    schema.prepare(fresh, tmp_path / "new.db")
    query = "SELECT name, sql FROM sqlite_schema ORDER BY name"
    assert old.execute(query).fetchall() == fresh.execute(query).fetchall()
    fresh.close()
    old.close()


def add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE session ADD COLUMN purged INTEGER")


def half_a_step(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM event")
    raise sqlite3.OperationalError("power gone")


def test_i08_a_step_makes_a_backup_first(path: Path) -> None:
    load(path, "schema1.sql")
    before = snapshot(path)
    connection = sqlite3.connect(path, isolation_level=None)
    backup = schema.prepare(connection, path, [add_column])
    assert backup is not None
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert snapshot(backup) == before
    assert schema.version(connection) == 2
    assert connection.execute("SELECT count(*), count(purged) FROM session").fetchone() == (2, 0)
    connection.close()
    assert not list(path.parent.glob("*.part"))


def test_i08_a_step_that_fails_changes_nothing(path: Path) -> None:
    load(path, "schema1.sql")
    before = snapshot(path)
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="power gone"):
        schema.prepare(connection, path, [half_a_step])
    connection.close()
    assert snapshot(path) == before


async def test_i08_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    load(path, "schema1.sql")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    bytes_before = path.read_bytes()
    with pytest.raises(StoreDamaged, match=r"newer hd.*form is 7"):
        await SqliteStore.open(path)
    assert path.read_bytes() == bytes_before


async def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmark (url TEXT)")
    connection.close()
    bytes_before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        await SqliteStore.open(path)
    assert path.read_bytes() == bytes_before
