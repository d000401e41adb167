"""Commands that run: the list, one of them in full, and stopping it."""

from pathlib import Path
from typing import Any

import pytest

from htui.errors import RemoteError
from htui.screens.job import JobScreen
from tests.htui.screens.stage import NOW, SESSION, Stage, stage

MISSING = RemoteError("gateway/invocation-unavailable", "there is no endpoint")


def row(job_id: str = "bash-1", label: str = "make test", **more: Any) -> dict[str, Any]:
    return {"id": job_id, "kind": "bash", "label": label, "status": "running", "startedAt": NOW - 12_000, **more}


async def listed(s: Stage, *rows: dict[str, Any]) -> None:
    await s.type("/ps")
    await s.press("enter")
    await s.until(lambda: any(watch.endpoint == "job/list" for watch in s.link.watches))
    s.link.item("job/list", {"type": "rows", "jobs": list(rows)})


async def opened(s: Stage, *chunks: str) -> None:
    await listed(s, row(number=3))
    await s.sees("#3 12s")
    await s.press("1")
    await s.until(lambda: isinstance(s.app.screen, JobScreen))
    await s.until(lambda: any(watch.endpoint == "job/follow" for watch in s.link.watches))
    s.link.item("job/follow", {"type": "opened", "job": row(), "from": 0})
    for place, chunk in enumerate(chunks):
        s.link.item("job/follow", {"type": "output", "chunks": [{"at": place, "text": chunk}], "next": 0})


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_the_end_of_the_output_is_followed_until_somebody_scrolls(tmp_path: Path, size: tuple[int, int]) -> None:
    async with stage(tmp_path, size=size) as s:
        await opened(s, "".join(f"line {n}\n" for n in range(100)), "half a ", "line")
        await s.sees("make test", "running 12s", "line 99", "half a line", "Esc goes back · s stops it")
        await s.press("pageup")
        await s.misses("half a line")
        before = s.rows[1:-1]
        s.link.item("job/follow", {"type": "output", "chunks": [{"at": 9, "text": "\nnew\n"}], "next": 0})
        await s.pilot.pause()
        assert s.rows[1:-1] == before
        await s.press("end")
        await s.sees("new")
        end = row(status="completed", detail="exit code: 0", finishedAt=NOW)
        s.link.item("job/follow", {"type": "status", "job": end})
        await s.sees("exit code: 0 · 12s")
        await s.misses("s stops it")
        await s.press("escape")
        await s.sees("● Ready")
        await s.until(lambda: not any(watch.endpoint.startswith("job/") for watch in s.link.watches))


async def test_what_is_printed_cannot_touch_the_terminal_and_reads_as_it_would_there(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await opened(s, "\x1b[31mred\x1b[0m \x1b]0;title\x07\r\n10%\r50%\r100%\nend")
        await s.sees("red ␛]0;title␇", "\n100%\nend")


async def test_a_command_is_stopped_after_a_question(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await opened(s)
        await s.press("s")
        await s.sees("Stop it? y stops it")
        await s.press("n")
        await s.misses("Stop it?")
        assert not any(name == "job/kill" for name, _ in s.link.calls)
        await s.press("s", "y")
        kill = ("job/kill", {"request": {"sessionId": SESSION, "jobId": "bash-1"}})
        await s.until(lambda: kill in s.link.calls)
        s.link.item("job/follow", {"type": "status", "job": row(status="stopping")})
        await s.sees("stopping 12s")
        await s.misses("s stops it")


async def test_a_refusal_is_told_where_the_command_is_shown(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["job/kill"] = RemoteError("job/not-found", "This daemon has no job bash-1.")
        await opened(s)
        await s.press("s", "y")
        await s.sees("Not stopped: This daemon has no job bash-1.")


async def test_the_list_changes_while_it_is_open_and_running_ones_come_first(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        done = row("bash-0", "ls", status="completed", detail="exit code: 0", finishedAt=NOW, startedAt=NOW - 1000)
        await listed(s, done, row())
        await s.sees("▸ 1 ◐ 12s · make test", "  2 · exit code: 0 · 1s · ls")
        s.link.item("job/list", {"type": "rows", "jobs": [done]})
        await s.sees("▸ 1 · exit code: 0")
        await s.press("escape")
        await s.misses("Commands of this session")
        assert not any(watch.endpoint == "job/list" for watch in s.link.watches)


async def test_the_age_of_what_runs_grows_while_the_list_is_open(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        done = row("bash-0", "ls", status="completed", detail="exit code: 0", finishedAt=NOW, startedAt=NOW - 1000)
        await listed(s, row(), done)
        await s.sees("12s · make test")
        await s.press("down")
        await s.later(5)
        await s.sees("17s · make test", "▸ 2 · exit code: 0 · 1s · ls")


async def test_what_a_command_left_running_is_told_from_the_command(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        left = row(number=1, label="npm start &", left=True, detail="exit code: 0")
        await listed(s, left, row("bash-2", "redis &", number=2, left=True, kept=True))
        await s.sees("#1 left running 12s · npm start &", "#2 kept running 12s · redis &")
        left |= {"status": "completed", "finishedAt": NOW}
        s.link.item("job/list", {"type": "rows", "jobs": [left]})
        await s.sees("#1 exit code: 0 · 12s · npm start &")


async def test_no_command_and_a_host_without_them_are_told_in_a_line(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await listed(s)
        await s.sees("No command has run here since the daemon was started.")
        await s.type("/ps")
        await s.press("enter")
        await s.until(lambda: any(watch.endpoint == "job/list" for watch in s.link.watches))
        s.link.watches[-1].refused(MISSING)
        await s.sees("This host tells of no commands that run.")


async def test_an_older_host_tells_its_jobs_beside_the_other_values(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.host.control({"type": "jobs", "sessionId": SESSION, "jobs": [row(label="sleep 9")]})
        await s.type("/ps")
        await s.press("enter")
        await s.until(lambda: any(watch.endpoint == "job/list" for watch in s.link.watches))
        s.link.watches[-1].refused(MISSING)
        await s.sees("12s · sleep 9")


async def test_cancel_says_when_there_is_nothing_to_stop(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("/cancel")
        await s.press("enter")
        await s.sees("· Nothing runs here.")
        assert not any(name == "session/cancel" for name, _ in s.link.calls)


async def test_a_server_shows_where_it_can_be_looked_at(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await listed(s, row(number=2, label="npm run dev", pages=["http://localhost:5173/"]))
        await s.sees("#2 12s · http://localhost:5173/ · npm run dev")
