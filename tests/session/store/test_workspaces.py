"""Workspaces, the order of sessions in them, and the two marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.errors import SessionNotFound, WorkspaceNotFound
from hd.session.store.base import SessionRow
from hd.session.store.sqlite import SqliteStore
from hd.session.store.workspaces import iso, moved


async def test_a_workspace_is_made_once_a_path_and_new_ones_come_first(store: SqliteStore) -> None:
    first, created = await store.create_workspace("/w/a", "a")
    assert created
    again, created = await store.create_workspace("/w/a", "other")
    assert (again, created) == (first, False)
    second, _ = await store.create_workspace("/w/b", "b")
    assert [w.id for w in await store.workspaces()] == [second.id, first.id]
    assert first.to_wire() == {
        "workspaceId": first.id,
        "path": "/w/a",
        "title": "a",
        "sessionIds": [],
        "createdAt": "2026-09-21T14:13:20.123Z",
        "updatedAt": "2026-09-21T14:13:20.123Z",
    }


async def test_sessions_enter_at_the_front_and_can_be_moved(store: SqliteStore) -> None:
    workspace, _ = await store.create_workspace("/w/a", "a")
    for name in ("one", "two", "three"):
        await store.create_session(SessionRow(name, 1, workspace_id=workspace.id))
    assert (await store.workspaces())[0].session_ids == ("three", "two", "one")
    moved_row = await store.place_session(workspace.id, "one", "three")
    assert moved_row is not None
    assert moved_row.session_ids == ("one", "three", "two")
    moved_row = await store.place_session(workspace.id, "one", None)
    assert moved_row is not None
    assert moved_row.session_ids == ("three", "two", "one")
    assert await store.place_session(workspace.id, "session-a", None) is None
    assert await store.place_session(workspace.id, "one", "session-a") is None
    await store.create_session(SessionRow("four", 1, workspace_id=workspace.id))
    assert (await store.workspaces())[0].session_ids == ("four", "three", "two", "one")


async def test_workspaces_can_be_moved_renamed_and_deleted(store: SqliteStore) -> None:
    a, b, c = [(await store.create_workspace(f"/w/{name}", name))[0].id for name in "abc"]
    assert await store.place_workspace(a, c) == [a, c, b]
    assert await store.place_workspace(c, None) == [a, b, c]
    assert await store.place_workspace(b, b) == [a, b, c]
    assert (await store.rename_workspace(b, "Beta")).title == "Beta"
    await store.create_session(SessionRow("one", 1, workspace_id=b))
    await store.delete_workspace(b)
    assert [w.id for w in await store.workspaces()] == [a, c]
    assert (await store.session("one")).workspace_id is None


async def test_unknown_workspaces_are_named(store: SqliteStore) -> None:
    known, _ = await store.create_workspace("/w/a", "a")
    for asking in (
        store.rename_workspace("nope", "x"),
        store.delete_workspace("nope"),
        store.place_workspace("nope", None),
        store.place_workspace(known.id, "nope"),
        store.place_session("nope", "session-a", None),
        store.create_session(SessionRow("one", 1, workspace_id="nope")),
    ):
        with pytest.raises(WorkspaceNotFound) as caught:
            await asking
        assert caught.value.details == {"workspaceId": "nope"}
    with pytest.raises(SessionNotFound):
        await store.session("one")


async def test_marks_keep_the_order_in_which_they_were_set(store: SqliteStore) -> None:
    for name in ("one", "two", "three"):
        await store.create_session(SessionRow(name, 1))
    await store.set_archived("two", True)
    assert await store.set_archived("one", True) == ["two", "one"]
    assert await store.set_archived("two", True) == ["two", "one"]
    assert await store.set_pinned("three", True) == ["three"]
    assert await store.set_archived("two", False) == ["one"]
    assert (await store.archived(), await store.pinned()) == (["one"], ["three"])
    with pytest.raises(SessionNotFound):
        await store.set_pinned("nope", True)


@given(st.lists(st.text(max_size=2), unique=True, min_size=1), st.data())
def test_moving_keeps_all_others_in_order(order: list[str], data: st.DataObject) -> None:
    item = data.draw(st.sampled_from(order))
    before = data.draw(st.sampled_from([*order, None]))
    result = moved(order, item, before)
    assert [x for x in result if x != item] == [x for x in order if x != item]
    if before is None:
        assert result[-1] == item
    elif before != item:
        assert result.index(item) + 1 == result.index(before)


def test_times_are_written_as_the_dialect_does() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000Z"
    assert iso(1_790_000_000_007) == "2026-09-21T14:13:20.007Z"
