"""Every screen and panel as a picture at three sizes: `python -m tests.htui.snapshots [NAME]` makes them anew.

A test compares them. Look at each picture that changed before it is committed: what it shows is what people see.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from htui.errors import RemoteError
from htui.link.changes import LinkStatus
from htui.screens.session import SessionScreen
from tests.htui.money.host import Kept, LogsHost
from tests.htui.present import test_cache, test_changes, test_context, test_cost
from tests.htui.screens import (
    test_asks,
    test_jobs,
    test_pickers,
    test_reckoned,
    test_search,
    test_session,
    test_terminal,
)
from tests.htui.screens.stage import NOW, SESSION, Stage, stage
from tests.support.svg import picture

FOLDER = Path(__file__).parent / "pictures"
SIZES = ((80, 24), (40, 15), (200, 60))

Scene = Callable[[Stage], Awaitable[None]]

ANSWER = """It reads `parser.py` **first**, then:

1. collects the names
2. writes $x_1^2 + \\frac{a}{b}$

| file | lines | what it holds |
|---|--:|---|
| parser.py | 120 | 解析器 and its tests |
| names.py | 40 | the table |

```python
def walk(places: list[str]) -> int:
    return len(places)  # all of them
```

```mermaid
graph LR
  A[Read] --> B[Write]
```
"""


async def _line(s: Stage, line: str) -> None:
    await s.type(line)
    await s.press("enter")


async def empty(s: Stage) -> None:
    """A new session."""


async def transcript(s: Stage) -> None:
    log = s.log
    s.link.value("title", "Read the parser")
    log.begin("What does the parser do?")
    log.send("user/message", log.user("The folder has 12 files.", source="runtime-context"), "append")
    log.call("read_file", '{"path": "parser.py"}')
    log.result("1: def walk()\n2:     pass\n")
    log.call("run_command", '{"command": "make test", "description": "Runs the tests"}', "c2")
    log.result("2 failed\nexit code: 1", "c2", is_error=True)
    log.say(ANSWER)
    log.end()
    await s.sees("Write", "Ready")


async def streaming(s: Stage) -> None:
    s.log.begin("Tell me about it.")
    s.log.stream()
    s.log.delta("I should think about the order of the steps first.", "reasoning-delta")
    s.log.delta("The first step is the ", block=1)
    await s.sees("The first")


async def approval(s: Stage) -> None:
    await test_asks.asked(s, "rm -rf build && make\\ntouch done", always="commands `make`")


async def question(s: Stage) -> None:
    await test_asks.questioned(s)


async def plan(s: Stage) -> None:
    await test_asks.questioned(s, {"questions": [test_asks.PLAN]})


async def help_panel(s: Stage) -> None:
    await _line(s, "/help")


async def status_panel(s: Stage) -> None:
    await _line(s, "/status")


async def cost_panel(s: Stage) -> None:
    s.link.value("cost", test_cost.COST)
    s.link.answers["money/summary"] = test_cost.summary()
    await _line(s, "/cost")
    await s.until(lambda: s.app.spending.summary, "the sums")
    s.chat.changed()


async def reckoned_panel(s: Stage) -> None:
    sessions = {"one": 1200, "other": 300, "damaged": 1}
    host = LogsHost({known: Kept(test_reckoned.events(requests), NOW) for known, requests in sessions.items()})
    host.sessions["damaged"].broken = True
    test_reckoned.plain(s.link, host)
    await _line(s, "/cost")
    await s.until(lambda: (by := s.app.spending.reckoned) and by.progress.read == 2, "the sessions")
    await s.until(lambda: (by := s.app.spending.reckoned) and not by.progress.looking, "the end of the look")
    s.chat.changed()


async def context_panel(s: Stage) -> None:
    s.link.value("contextPressure", test_context.PRESSURE)
    s.link.value("contextBreakdown", test_context.BREAKDOWN)
    await _line(s, "/context")


async def cache_panel(s: Stage) -> None:
    s.link.value("cache", test_cache.CACHE)
    await _line(s, "/cache")


async def queue_panel(s: Stage) -> None:
    s.link.value("inbox", test_session.queue_value("first thing to do", "and then the second"))
    await _line(s, "/queue")


async def model_panel(s: Stage) -> None:
    await _line(s, "/model")


async def permission_panel(s: Stage) -> None:
    options = [
        {"value": "read-only", "name": "Read only", "description": "Reads freely; every change asks first."},
        {"value": "workspace-write", "name": "Workspace", "description": "Changes files in the workspace."},
    ]
    s.link.value("permissions", {"currentValue": "workspace-write", "options": options})
    await _line(s, "/permission")


async def jobs_panel(s: Stage) -> None:
    await test_jobs.listed(s, test_jobs.row(), test_jobs.row("bash-2", "python3 -m http.server", number=2))


async def job(s: Stage) -> None:
    await test_jobs.opened(s, "".join(f"line {number}\n" for number in range(8)), "half a line")


async def terminal(s: Stage) -> None:
    await test_terminal.opened(s)


async def changes(s: Stage) -> None:
    s.link.value("changes", [test_changes.TURN, test_changes.SHORT])
    s.link.answers["undo/changes"] = {"turns": [test_changes.TURN]}
    await _line(s, "/changes")
    await s.sees("Changes")


async def search(s: Stage) -> None:
    test_search.talk(s, 6)
    await _line(s, "/search answer")
    await s.sees("1 of 6", "in 24")


async def window(s: Stage) -> None:
    await search(s)
    await s.press("down", "down", "enter")
    await s.sees("record 14", "answer 4")


async def sessions_found(s: Stage) -> None:
    found = [{"sessionId": SESSION, "snippet": "… the words stand here …"}]
    s.link.answers["session/search"] = test_search.sessions(found, more=True)
    await _line(s, "/wsearch the words")
    await s.sees("1 session")


async def prompts(s: Stage) -> None:
    await _line(s, "/prompt")
    await s.sees("1 of 3")


async def held(s: Stage) -> None:
    await transcript(s)
    await s.press("ctrl+s")


async def completing(s: Stage) -> None:
    await s.type("/co")


async def long_draft(s: Stage) -> None:
    s.chat.paste("\n".join(f"line {number} of a long draft" for number in range(40)))


async def failed(s: Stage) -> None:
    s.link.answers["session/prompt"] = RemoteError("store/full", "The disk is full: nothing was taken in.")
    await _line(s, "Do it.")
    await s.sees("is full")


async def waiting(s: Stage) -> None:
    s.link.value("inbox", test_session.queue_value("the next thing"))
    s.log.begin("Work.")
    s.log.call("run_command", '{"command": "make"}')
    await s.sees("Waiting: 1")


async def offline(s: Stage) -> None:
    s.link.phase(LinkStatus("offline", "Nobody answers at http://127.0.0.1:3080.", 2, 4.0))
    await s.sees("! Offline")


async def picker(s: Stage) -> None:
    await _listed(s)
    await _line(s, "/resume")
    await s.sees("New session")


async def _listed(s: Stage) -> None:
    s.link.online(sessions=test_pickers.SESSIONS, workspaces=test_pickers.WORKSPACES)
    await s.until(lambda: isinstance(s.app.screen, SessionScreen))


async def workspaces(s: Stage) -> None:
    await _listed(s)
    await _line(s, "/ws")
    await s.sees("All sessions")


async def connect(s: Stage) -> None:
    s.link.phase(LinkStatus("offline", "Nobody answers at http://127.0.0.1:3080.", 2, 4.0))
    await s.sees("Nobody answers")


SCENES: Mapping[str, Scene] = {
    scene.__name__: scene
    for scene in (
        *(empty, transcript, streaming, approval, question, plan, help_panel, status_panel, cost_panel),
        *(reckoned_panel, context_panel),
        *(cache_panel, queue_panel, model_panel, permission_panel, jobs_panel, job, terminal, changes, search, window),
        *(sessions_found, prompts, held, completing, long_draft, failed, waiting, offline, picker, workspaces, connect),
    )
}


async def taken(name: str, size: tuple[int, int], folder: Path) -> str:
    """The picture of a scene at a size."""
    async with stage(folder, size=size, online=name not in ("connect", "picker", "workspaces")) as s:
        await SCENES[name](s)
        await s.until(lambda: True)
        await s.pilot.pause()
        strips = [list(strip) for strip in s.app.screen._compositor.render_strips()]
        return picture(strips, size[0])


def file_of(name: str, size: tuple[int, int]) -> Path:
    return FOLDER / f"{name}-{size[0]}x{size[1]}.svg"


async def main(only: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in [name for name in SCENES if only in name]:
        for size in SIZES:
            with tempfile.TemporaryDirectory() as folder:
                file_of(name, size).write_text(await taken(name, size, Path(folder)))
                print(file_of(name, size).name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
