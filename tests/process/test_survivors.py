"""What a killed daemon leaves is found by its home's mark and ended by the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from hd.process.run import Runner
from hd.process.survivors import end_marked
from tests.process.conftest import Ear, alive

DAEMON = """
import asyncio, sys
from pathlib import Path
from hd.process.run import Runner

runner = Runner(mark=sys.argv[1], spills=Path(sys.argv[2]))
command = "setsid sleep 300 & echo $$ $! > ear; sleep 301"
asyncio.run(runner.run(command, cwd=Path(sys.argv[2]), run_id="r"))
"""


def test_i11_a_killed_daemon_s_processes_are_ended_by_the_next(tmp_path: Path, ear: Ear) -> None:
    mark = f"home-{tmp_path.name}"
    with subprocess.Popen([sys.executable, "-c", DAEMON, mark, str(tmp_path)]) as daemon:
        pids = [int(pid) for pid in ear.hear().split()]
        os.kill(daemon.pid, signal.SIGKILL)
    assert all(map(alive, pids))
    assert end_marked("home-of-somebody-else") == []
    ended = end_marked(mark)
    assert {one.pid for one in ended} >= set(pids)
    assert "sleep 300" in {one.command for one in ended}
    assert not any(map(alive, pids))
    assert end_marked(mark) == []


def test_a_daemon_does_not_end_what_it_descends_from(tmp_path: Path) -> None:
    mark = f"home-{tmp_path.name}"
    program = f"from hd.process.survivors import end_marked; print(len(end_marked({mark!r})))"
    done = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "$0"; echo lived', program],
        env={**os.environ, "HD_HOME_MARK": mark},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0\nlived\n"


async def test_d01_a_process_that_changes_its_program_all_the_time_is_found(tmp_path: Path) -> None:
    """In the middle of an `execve` a process shows no environment, so its mark cannot be read in that moment."""
    (tmp_path / "again").write_text("exec sh again\n")
    runner = Runner(mark=f"home-{tmp_path.name}", spills=tmp_path)
    for _ in range(20):
        ran = await runner.run("setsid sh again >/dev/null 2>&1 & echo done", cwd=tmp_path, run_id="r")
        assert len(ran.survivors) == 1
        assert not alive(ran.survivors[0].pid)
