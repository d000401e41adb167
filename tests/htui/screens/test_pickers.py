"""The first screen and the pickers (rows T3, T4)."""

from pathlib import Path
from typing import Any

import pytest

from htui.errors import RemoteError
from htui.link.changes import LinkStatus
from htui.mirror import SessionEntry, Workspace
from htui.present.lines import text_of
from htui.present.picks import legend
from htui.screens.connect import ConnectScreen
from htui.screens.session import SessionScreen
from htui.screens.start import blank_session, session_named, workspace_of
from tests.htui.screens.stage import NOW, SESSION, stage
from tests.support.scripted import WORKSPACE


def listed(session_id: str, title: str, **fields: Any) -> dict[str, Any]:
    values = {"title": title} if title else {}
    row = {"sessionId": session_id, "cwd": "/home/me/proj", "updatedAt": NOW, "running": False, "blank": False}
    return {**row, "projections": {"asOfSeq": 0, "values": values}, **fields}


SESSIONS = [
    listed("session-a", "Oldest", updatedAt=NOW - 3 * 86_400_000),
    listed("session-b", "Works", running=True, updatedAt=NOW - 3_600_000),
    listed("session-c", "Asks", updatedAt=NOW - 7_200_000),
    listed(SESSION, "", blank=True),
    listed("session-child", "Child", origin="subagent", parentSessionId="session-c"),
]
WORKSPACES = [{"workspaceId": WORKSPACE, "path": "/home/me/proj", "sessionIds": [row["sessionId"] for row in SESSIONS]}]


async def test_t4_the_first_screen_says_why_and_counts_down(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        await s.sees("Connecting …")
        s.link.phase(LinkStatus("offline", "Nobody answers at http://127.0.0.1:3080.", 1, 5.0))
        await s.sees("Nobody answers at http://127.0.0.1:3080.", "Next try in 5 s.", "hd web")
        await s.later(2)
        await s.sees("Next try in 3 s.")
        await s.press("r")
        assert s.link.retries == [None]


async def test_t4_a_token_can_be_given_where_the_host_wants_one(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.phase(LinkStatus("login", "The host asks for a login.", 1))
        await s.sees("The host asks for a login.", "Paste the token")
        await s.type("qr7")
        await s.sees("› •••")
        assert "qr7" not in s.text
        await s.press("enter")
        assert s.link.retries == ["qr7"]


async def test_the_first_start_in_a_folder_opens_a_new_session_there(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.online(workspaces=[])
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        names = [name for name, _ in s.link.calls if name != "money/summary"]
        assert names == ["workspace/create", "session/create"]
        assert s.link.calls[0][1] == {"request": {"path": "/home/me/proj"}}
        assert s.link.calls[1][1] == {"request": {"workspaceId": WORKSPACE}}


async def test_an_empty_session_is_used_again(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        assert [name for name, _ in s.link.calls if name != "money/summary"] == []
        assert s.chat.conversation.session_id == SESSION


async def test_a_host_that_refuses_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.answers["workspace/create"] = RemoteError("workspace/invalid-path", "There is no such folder.")
        s.link.online(workspaces=[])
        await s.sees("There is no such folder.")
        assert isinstance(s.app.screen, ConnectScreen)


async def test_t3_sessions_are_listed_by_what_they_need(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        s.link.ask("approval/request", {"toolName": "x"}, "e1", "session-child")
        await s.type("/resume")
        await s.press("enter")
        await s.sees("Sessions · proj")
        rows = [row.strip() for row in s.rows]
        order = [
            next(i for i, row in enumerate(rows) if row.startswith(mark))
            for mark in ("? Asks", "◐ Works", "○ New", "● Old")
        ]
        assert order == sorted(order)
        assert any(row.startswith("? Asks") and row.endswith("needs you · 2h") for row in rows)
        assert any(row.startswith("● Oldest") and row.endswith("3d") for row in rows)
        assert "Child" not in s.text
        await s.type("old")
        await s.misses("Works")
        await s.press("enter")
        await s.until(lambda: s.chat.conversation.session_id == "session-a")


async def test_t3_workspaces_show_what_their_sessions_do(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False) as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        await s.type("/ws")
        await s.press("enter")
        await s.sees("Workspaces", "◐ proj", "1 working, 2 ready")
        await s.press("enter")
        await s.sees("Sessions · proj", "+ New session")
        await s.press("escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


@pytest.mark.parametrize("size", [(80, 24), (40, 15), (32, 12), (20, 10)])
async def test_the_signs_are_explained_in_full_at_every_width(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, online=False, session="zzz", size=size) as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.sees("Sessions", "? needs", "◐ work", "● ready", "○ empty")
        assert s.rows[-1] == "" or s.rows[-1].endswith("○ empty")


def test_a_legend_has_the_longest_words_that_fit() -> None:
    def shown(cells: int) -> list[str]:
        return [text_of(line) for line in legend(cells)]

    assert shown(40) == ["? needs you  ◐ working  ● ready  ○ empty"]
    assert shown(39) == ["? needs  ◐ works  ● ready  ○ empty"]
    assert shown(33) == ["? needs  ◐ works", "● ready  ○ empty"]
    assert shown(8) == ["? needs…", "● ready…"]


async def test_a_session_can_be_named_at_the_start(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False, session="b") as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        assert s.chat.conversation.session_id == "session-b"


async def test_a_name_that_nobody_has_opens_the_list(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False, session="zzz") as s:
        s.link.online(sessions=SESSIONS, workspaces=WORKSPACES)
        await s.sees("No session is called zzz: choose one, or begin a new one.", "+ New session", "◐ Works")


async def test_new_makes_another_session_in_the_same_workspace(tmp_path: Path) -> None:
    async with stage(tmp_path, online=False, session="session-b") as s:
        s.link.online(sessions=SESSIONS[:3], workspaces=WORKSPACES)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        await s.type("/new")
        await s.press("enter")
        await s.until(lambda: s.chat.conversation.session_id == SESSION)
        assert ("session/create", {"request": {"workspaceId": WORKSPACE}}) in s.link.calls


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
async def test_j20_every_state_has_its_own_sign_in_every_theme(tmp_path: Path, theme: str) -> None:
    async with stage(tmp_path, theme=theme) as s:
        await s.sees("● Ready")
        s.log.begin("go")
        await s.sees("◐ 0:00")


def entry(session_id: str, **fields: Any) -> SessionEntry:
    return SessionEntry(session_id, **fields)


def test_the_deepest_workspace_counts_by_whole_segments() -> None:
    found = [Workspace("1", "/home/me", "a"), Workspace("2", "/home/me/proj", "b"), Workspace("3", "/home/me/pro", "c")]
    assert workspace_of(Path("/home/me/proj/src"), found) == found[1]
    assert workspace_of(Path("/home/me/project"), found) == found[0]
    assert workspace_of(Path("/other"), found) is None


def test_only_a_free_empty_session_is_used_again() -> None:
    home = Workspace("1", "/w", "w", ("a", "b", "c", "d"))
    rows = [
        entry("a", blank=True, running=True),
        entry("b", blank=True, updated_at=1),
        entry("c", blank=True, updated_at=2),
        entry("d"),
        entry("e", blank=True),
    ]
    assert blank_session(home, rows) == rows[2]
    assert blank_session(home, rows[3:]) is None


def test_sessions_are_found_by_id_beginning_and_title() -> None:
    rows = [entry("session-abc1", title="One"), entry("session-abd2", title="Two")]
    assert session_named("session-abc1", rows) == rows[0]
    assert session_named("abd", rows) == rows[1]
    assert session_named("two", rows) == rows[1]
    assert session_named("ab", rows) is None
    assert session_named("", rows) is None
