"""A terminal on the screen: shown, typed into, sized, left, and over (row X12)."""

from pathlib import Path
from typing import Any

import pytest

from htui.errors import RemoteError
from htui.link.changes import LinkStatus
from htui.present.terminal import LEAVE
from htui.screens.job import JobScreen
from htui.screens.session import SessionScreen
from htui.screens.terminal import TerminalScreen
from tests.htui.present.test_terminal import screen
from tests.htui.screens.stage import NOW, SESSION, Stage, stage

JOB = {"id": "t-1", "number": 3, "kind": "terminal", "label": "python3 -i", "status": "running", "startedAt": NOW}
HERE = {"sessionId": SESSION, "number": 3}


async def attached(s: Stage, line: str = "/attach 3") -> None:
    s.link.value("jobs", [JOB, {**JOB, "id": "b-1", "number": 4, "kind": "bash", "label": "make"}])
    await s.type(line)
    await s.press("enter")


async def opened(s: Stage) -> None:
    await attached(s)
    await s.until(lambda: isinstance(s.app.screen, TerminalScreen))
    await s.until(lambda: any(watch.endpoint == "process/screen" for watch in s.link.watches))
    s.link.item("process/screen", screen(">>> ", "", job=JOB, cursor=[4, 0]))
    await s.sees(">>>")


def calls(s: Stage, endpoint: str) -> list[dict[str, Any]]:
    return [args["request"] for name, args in s.link.calls if name == endpoint]


def typed(s: Stage) -> str:
    """What was typed, in its order."""
    sent = calls(s, "process/input")
    return "".join(request["text"] + "".join(f"<{key}>" for key in request["keys"]) for request in sent)


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_x12_everything_that_is_typed_goes_in_but_the_key_that_leaves(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with stage(tmp_path, size=size) as s:
        await opened(s)
        sized = {**HERE, "columns": size[0], "rows": size[1] - 1}
        await s.until(lambda: calls(s, "process/resize") == [sized])
        await s.sees("Ctrl+] leaves")
        assert s.app.screen.cursor == (4, 0)  # type: ignore[attr-defined]
        await s.press("x", "up", "escape", "ctrl+c", "ctrl+l", "ctrl+z", "enter")
        await s.until(lambda: typed(s) == "x<up><escape>\x03\x0c\x1a<enter>")
        s.link.item("process/screen", screen("", "42", whole=False, cursor=[0, 1]))
        await s.sees("42")
        await s.press(LEAVE)
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))
        await s.until(lambda: not any(watch.endpoint == "process/screen" for watch in s.link.watches))


async def test_x12_keys_that_a_phone_lacks_can_be_clicked(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 15)) as s:
        await opened(s)
        for label in ("Esc", "^C"):
            await s.pilot.click(offset=(s.rows[-1].index(label), 14))
        await s.until(lambda: typed(s) == "<escape>\x03")
        await s.pilot.click(offset=(2, 14))
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_x12_the_end_is_told_with_the_last_screen(tmp_path: Path) -> None:
    async with stage(tmp_path, size=(40, 15)) as s:
        await opened(s)
        over = {**JOB, "status": "completed", "detail": "exit code: 3", "finishedAt": NOW + 5000}
        bye = {"line": 1, "spans": [{"text": "bye"}]}
        s.link.item("process/screen", {**screen("", "", whole=False, job=over), "lines": [bye]})
        await s.sees(">>>", "bye", "Ended: exit code: 3 · 5s", "Esc goes back")
        await s.press("x")
        assert calls(s, "process/input") == []
        await s.press("escape")
        await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def test_x12_a_lost_connection_is_told_and_its_return_takes_the_size_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await opened(s)
        s.link.phase(LinkStatus("offline", "The connection was lost.", 1, 3.0))
        await s.sees("! Offline: nothing is typed")
        await s.press("x")
        s.link.phase(LinkStatus("online"))
        s.link.item("process/screen", screen("after", "", job=JOB))
        await s.sees("after")
        await s.until(lambda: len(calls(s, "process/resize")) == 2)
        s.link.answers["process/input"] = RemoteError("process/not-found", "This command takes no input.")
        await s.press("y")
        await s.sees("Not typed: This command takes no input.")
        s.link.watches[-1].refused(RemoteError("job/not-found", "No command #3 was run by this daemon."))
        await s.sees("Its terminal cannot be shown: No command #3", "Esc goes back")


async def test_x12_what_is_no_terminal_shows_what_it_prints(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await attached(s, "/attach 4")
        await s.until(lambda: isinstance(s.app.screen, JobScreen))
        await s.press("escape")
        await attached(s, "/tail 3")
        await s.until(lambda: isinstance(s.app.screen, JobScreen))
        await s.sees("t types into it")
        await s.press("t")
        await s.until(lambda: isinstance(s.app.screen, TerminalScreen))
        await s.press(LEAVE)
        await attached(s, "/attach 9")
        await s.sees("No command #9 of this session is known. /ps lists them.")
