"""Commands run as real processes."""

import asyncio
import os
import threading
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

import hd.process.child
from hd.process.remains import Remains
from hd.process.run import Runner
from tests.process.conftest import HOME, Ear, alive, until


async def test_output_and_errors_keep_their_order(runner: Runner, workspace: Path) -> None:
    ran = await runner.run("echo one; echo two >&2; echo three; pwd", cwd=workspace, run_id="r")
    assert ran.output == f"one\ntwo\nthree\n{workspace}\n"
    assert (ran.exit_code, ran.timed_out, ran.truncated, ran.survivors) == (0, False, False, ())
    assert "".join(runner.spills.blocks("r") or ()) == ran.output
    assert ran.length == len(ran.output)


@pytest.mark.parametrize("command, code", [("true", 0), ("exit 3", 3), ("kill -9 $$", 137), ("nonsense-xyz", 127)])
async def test_exit_codes(runner: Runner, workspace: Path, command: str, code: int) -> None:
    assert (await runner.run(command, cwd=workspace, run_id="r")).exit_code == code


@pytest.mark.parametrize("command", ["true", "sh -c 'exit 1'"])
async def test_d04_silence_is_a_result_and_no_hang(runner: Runner, workspace: Path, command: str) -> None:
    ran = await runner.run(command, cwd=workspace, run_id="r")
    assert ran.output == ""
    assert ran.duration_ms < 2000


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300 & echo done",
        "setsid sleep 300 & echo done",
        "setsid sleep 300 >/dev/null 2>&1 & echo done",
        "(while :; do echo again; done) & echo done",
        "nohup sleep 300 & echo done",
        "python3 -m http.server 0 >/dev/null 2>&1 & echo done",
    ],
)
async def test_d01_a_background_child_neither_holds_the_call_nor_outlives_it(
    runner: Runner, workspace: Path, command: str
) -> None:
    ran = await runner.run(command, cwd=workspace, run_id="r")
    assert ran.duration_ms < 1000
    assert ran.exit_code == 0
    assert "done\n" in ran.output
    assert len(ran.survivors) == 1
    assert not alive(ran.survivors[0].pid)


async def test_d01_a_survivor_is_named_by_its_command(runner: Runner, workspace: Path) -> None:
    ran = await runner.run("sleep 311 & sleep 312 &", cwd=workspace, run_id="r")
    assert sorted(one.command for one in ran.survivors) == ["sleep 311", "sleep 312"]


async def test_d01_a_survivor_that_ignores_term_is_killed(runner: Runner, workspace: Path) -> None:
    ready = workspace / "ready"
    command = (
        f"(trap '' TERM; touch {ready}; while :; do sleep 0.05; done) & while [ ! -e {ready} ]; do sleep 0.02; done"
    )
    ran = await runner.run(command, cwd=workspace, run_id="r")
    assert ran.survivors
    assert ran.duration_ms < 3000
    assert not any(alive(one.pid) for one in ran.survivors)


async def test_d01_what_is_left_goes_on_in_the_hands_of_who_takes_it(runner: Runner, workspace: Path) -> None:
    taken: list[Remains] = []
    os.mkfifo(workspace / "go")
    line = "(read -r _ < go; echo later) & setsid sleep 300 & echo done; exit 7"
    ran = await runner.run(line, cwd=workspace, run_id="r", leave=taken.append)
    assert (ran.exit_code, ran.output, ran.left) == (7, "done\n", True)
    assert len(ran.survivors) == 2
    assert all(alive(one.pid) for one in ran.survivors)
    (remains,) = taken
    over = asyncio.create_task(remains.over())
    (workspace / "go").write_text("on\n")
    await until(lambda: "later" in "".join(runner.spills.blocks("r") or ()))
    assert not over.done()
    await remains.end()
    await over
    assert not any(alive(one.pid) for one in ran.survivors)


async def test_d01_what_ends_by_itself_is_over_and_leaves_no_descriptor(runner: Runner, workspace: Path) -> None:
    await runner.run("true", cwd=workspace, run_id="r")
    descriptors = len(os.listdir("/proc/self/fd"))
    taken: list[Remains] = []
    line = "(until [ -e go ]; do sleep 0.01; done; exec sleep 0.05) & kill -9 $$"
    ran = await runner.run(line, cwd=workspace, run_id="r", leave=taken.append)
    assert (ran.exit_code, ran.left) == (137, True)
    (workspace / "go").touch()
    await taken[0].over()
    await taken[0].end()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    await runner.run("true", cwd=workspace, run_id="r", leave=taken.append)
    assert len(taken) == 1


async def test_d01_a_server_is_listed_with_its_port(runner: Runner, workspace: Path) -> None:
    taken: list[Remains] = []
    program = "import http.server as h, pathlib; s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler); "
    program += "pathlib.Path('port').write_text(str(s.server_port)); s.serve_forever()"
    line = f'python3 -c "{program}" & until [ -s port ]; do sleep 0.01; done'
    ran = await runner.run(line, cwd=workspace, run_id="r", leave=taken.append)
    assert [one.ports for one in ran.survivors] == [(int((workspace / "port").read_text()),)]
    await taken[0].end()


async def test_the_last_words_after_the_shell_are_heard(runner: Runner, workspace: Path) -> None:
    ran = await runner.run("echo late | (sleep 0.03; cat) > >(cat)", cwd=workspace, run_id="r")
    assert ran.output == "late\n"


async def test_two_runs_with_one_id_leave_each_other_alone(runner: Runner, workspace: Path) -> None:
    flag = workspace / "flag"
    first = asyncio.create_task(
        runner.run(f"while [ ! -e {flag} ]; do sleep 0.02; done; echo lived", cwd=workspace, run_id="call_1")
    )
    await runner.run("sleep 300 &", cwd=workspace, run_id="call_1")
    flag.touch()
    ran = await first
    assert (ran.output, ran.exit_code) == ("lived\n", 0)


@pytest.mark.parametrize(
    "command",
    [
        "cat",
        "read x",
        "python3",
        "sudo -k -S true",
        "git -c user.name=a -c user.email=a@b commit --allow-empty",
        "git clone https://127.0.0.1:1/private.git",
        "ssh -o ConnectTimeout=1 127.0.0.1",
    ],
)
async def test_d02_nothing_waits_for_input(runner: Runner, workspace: Path, command: str) -> None:
    ran = await runner.run(f"git init -q . ; {command}", cwd=workspace, run_id="r", timeout_s=20)
    assert not ran.timed_out
    assert ran.duration_ms < 10_000


async def test_d02_git_says_that_there_is_no_editor(runner: Runner, workspace: Path) -> None:
    command = "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty"
    ran = await runner.run(command, cwd=workspace, run_id="r")
    assert ran.exit_code != 0
    assert "no editor here" in ran.output


async def test_a_time_limit_ends_everything(runner: Runner, workspace: Path) -> None:
    ran = await runner.run(
        "setsid sleep 300 & echo $!; sleep 301 & echo $!; wait", cwd=workspace, run_id="r", timeout_s=0.3
    )
    assert ran.timed_out
    assert ran.exit_code is None
    assert ran.survivors == ()
    assert not any(alive(int(pid)) for pid in ran.output.split())


async def test_a_time_limit_is_not_ignored(runner: Runner, workspace: Path) -> None:
    command = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    ran = await runner.run(command, cwd=workspace, run_id="r", timeout_s=0.2)
    assert ran.timed_out
    assert 2000 < ran.duration_ms < 4000
    assert not alive(int(ran.output))


async def test_a_cancellation_ends_everything_within_a_second(runner: Runner, workspace: Path, ear: Ear) -> None:
    command = f"trap '' TERM; setsid sleep 300 & sleep 301 & echo $$ $! > {ear.path}; wait; sleep 9"
    task = asyncio.create_task(runner.run(command, cwd=workspace, run_id="r"))
    pids = await ear.heard()
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 1.5  # under one second on a machine that does nothing else
    assert not any(alive(int(pid)) for pid in pids.split())


async def test_a_second_cancellation_kills_at_once(runner: Runner, workspace: Path, ear: Ear) -> None:
    command = f"trap '' TERM; echo $$ > {ear.path}; while :; do sleep 0.05; done"
    task = asyncio.create_task(runner.run(command, cwd=workspace, run_id="r"))
    pid = await ear.heard()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(int(pid))


async def test_d05_a_flood_is_cancelled_and_memory_is_bounded(runner: Runner, workspace: Path) -> None:
    before = psutil.Process().memory_info().rss
    spills = workspace.parent / "spills"
    task = asyncio.create_task(runner.run("yes", cwd=workspace, run_id="r"))
    await until(lambda: spills.exists() and any(entry.stat().st_size >= 15 << 20 for entry in spills.iterdir()))
    longest = 0.0
    for _ in range(50):  # the loop stays free for a key or a cancel
        asked = time.monotonic()
        await asyncio.sleep(0)
        longest = max(longest, time.monotonic() - asked)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert longest < 0.5
    assert psutil.Process().memory_info().rss - before < 64 << 20


@pytest.mark.parametrize(
    "command, length",
    [
        ("head -c 4000000 /dev/zero | tr '\\0' x", 4_000_000),
        ("seq 400000", 2_688_895),
    ],
)
async def test_d05_a_long_output_is_cut_and_whole_in_its_file(
    runner: Runner, workspace: Path, command: str, length: int
) -> None:
    ran = await runner.run(command, cwd=workspace, run_id="call/../1")
    assert ran.truncated
    assert ran.length == length
    assert len(ran.output) < 300_000
    assert ran.spill is not None
    assert ran.spill_whole
    assert ran.spill.parent == workspace.parent / "spills"
    assert ran.spill.stat().st_size == length
    assert ran.spill.stat().st_mode & 0o777 == 0o600


async def test_d05_a_binary_flood_passes(runner: Runner, workspace: Path) -> None:
    ran = await runner.run("head -c 2000000 /dev/urandom", cwd=workspace, run_id="r")
    assert (ran.exit_code, ran.truncated) == (0, True)


async def test_d07_the_environment_of_the_daemon_stays_with_it(workspace: Path, tmp_path: Path) -> None:
    parent = HOME | {"DEEPSEEK_API_KEY": "sk-hidden", "GH_TOKEN": "hidden", "DATABASE_URL": "postgres://u:hidden@h/x"}
    runner = Runner(mark="home", spills=tmp_path, parent=parent)
    ran = await runner.run("env; export -p; set", cwd=workspace, run_id="r")
    assert "hidden" not in ran.output
    assert "HD_HOME_MARK=home" in ran.output


async def test_no_thread_and_no_descriptor_is_left(runner: Runner, workspace: Path) -> None:
    await runner.run("true", cwd=workspace, run_id="r")
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    await asyncio.gather(*(runner.run("sleep 0.05", cwd=workspace, run_id="r") for _ in range(8)))
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == descriptors


async def test_a_folder_that_is_gone_is_an_error_and_leaks_nothing(runner: Runner, workspace: Path) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError):
        await runner.run("true", cwd=workspace / "gone", run_id="r")
    with pytest.raises(ValueError):
        await runner.run("echo a\0b", cwd=workspace, run_id="r")
    with pytest.raises(OSError):
        await runner.run(f": {'x' * 3_000_000}", cwd=workspace, run_id="r")
    assert len(os.listdir("/proc/self/fd")) == descriptors


async def test_without_pidfd_the_exit_is_asked_for(
    runner: Runner, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hd.process.child, "_pidfd", lambda pid: None)
    ran = await runner.run("sleep 300 & echo x; exit 4", cwd=workspace, run_id="r")
    assert (ran.exit_code, ran.output, len(ran.survivors)) == (4, "x\n", 1)
    assert (await runner.run("sleep 9", cwd=workspace, run_id="r", timeout_s=0.1)).timed_out
