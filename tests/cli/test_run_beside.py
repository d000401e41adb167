"""`hd run` where somebody else has the home: a daemon, whose client it then is, or another run, for which it waits."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hd.errors import CANCELLED, DENIED, DONE, FAILED, NEEDS_PERSON, UNREACHABLE, USAGE
from hd.process.environment import HOME_MARK
from tests.cli.command import Ran, finish, hd, interrupt, start
from tests.cli.test_run import ASKS, DELETES, checked, run
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon


@pytest.fixture
def daemon(home: Path, model: dict[str, str]) -> Iterator[Daemon]:
    """A daemon that speaks with the scripted model."""
    with PreloadedDaemon(home, environment=model) as running:
        yield running


def begun(process: "subprocess.Popen[str]", what: str = "request/context") -> str:
    """Waits for a line of a run; gives it."""
    assert process.stdout is not None
    while what not in (line := process.stdout.readline()):
        assert line, "the run ended"
    return line


async def reason(daemon: Daemon, session_id: str) -> Any:
    """How the last turn of a session ended, as the daemon has it."""
    return (await daemon.log(session_id))[-1]["data"]["reason"]["kind"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("prompt", "code", "ended"),
    [
        ("[[shell echo hi]]", DONE, "completed"),
        (DELETES, DENIED, "completed"),
        (ASKS, NEEDS_PERSON, "aborted"),
        ("[[len]]", FAILED, "max-tokens"),
    ],
)
async def test_m01_beside_a_daemon_a_run_is_one_of_its_sessions_and_ends_the_same(
    daemon: Daemon, home: Path, folder: Path, prompt: str, code: int, ended: str
) -> None:
    (folder / "a.txt").write_text("precious")
    # The caller has no key and needs none: the daemon's counts.
    ran = run(home, folder, {}, prompt)
    assert (ran.code, ran.err) == (code, "")
    events, result = checked(ran)
    (listed,) = daemon.call("session/list", _request={})["items"]
    assert listed["sessionId"] == result["sessionId"]
    assert await daemon.log(result["sessionId"]) == events
    assert await reason(daemon, result["sessionId"]) == ended
    assert (folder / "a.txt").exists()
    async with daemon.socket() as socket:
        baseline = await (await socket.open("workspace/follow")).item()
    assert str(folder) in str(baseline)
    assert not list((home / "store").glob("run-*"))


def test_its_choices_hold_for_its_session_alone(daemon: Daemon, home: Path, folder: Path) -> None:
    (folder / "a.txt").write_text("not so precious")
    before = daemon.call("session/modelCatalog")["default"]
    ran = run(home, folder, {}, DELETES, "--permission", "danger-full-access", "--model", "deepseek-reasoner")
    assert ran.code == DONE
    events, _ = checked(ran)
    assert not (folder / "a.txt").exists()
    used = [event["data"]["message"]["source"]["model"] for event in events if event["type"] == "assistant/message"]
    assert set(used) == {"deepseek-reasoner"}
    assert daemon.call("session/modelCatalog")["default"] == before


@pytest.mark.long
def test_several_run_at_once_in_a_daemon(daemon: Daemon, home: Path, folder: Path) -> None:
    runs = [start("run", "--json", "--workspace", str(folder), f"[[say {n}]]", home=home) for n in range(3)]
    texts = []
    for process in runs:
        ran = finish(process)
        assert (ran.code, ran.err) == (DONE, "")
        texts.append(checked(ran)[1]["text"])
    assert texts == ["0", "1", "2"]
    assert len(daemon.call("session/list", _request={})["items"]) == 3


@pytest.mark.parametrize("number", [2, 15])
async def test_an_interrupted_run_ends_its_turn_in_the_daemon(
    daemon: Daemon, home: Path, folder: Path, number: int
) -> None:
    process = start("run", "--json", "--workspace", str(folder), "[[stall]]", home=home)
    begun(process)
    process.send_signal(number)
    ran = finish(process)
    assert (ran.code, ran.err) == (CANCELLED, "")
    result = ran.lines()[-1]
    assert (result["status"], result["exitCode"]) == ("cancelled", CANCELLED)
    assert await reason(daemon, result["sessionId"]) == "aborted"


async def test_j22_a_reader_that_leaves_ends_the_turn_in_the_daemon(daemon: Daemon, home: Path, folder: Path) -> None:
    process = start("run", "--json", "--workspace", str(folder), "[[slow 5000 2]]", home=home)
    begun(process)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    ran = finish(process)
    assert (ran.code, ran.err) == (FAILED, "")
    (listed,) = daemon.call("session/list", _request={})["items"]
    assert await reason(daemon, listed["sessionId"]) == "aborted"


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_daemon_that_ends_under_a_run_is_told(daemon: Daemon, home: Path, folder: Path, how: str) -> None:
    process = start("run", "--workspace", str(folder), "[[stall]]", home=home)
    begun(process, "❯")
    getattr(daemon, how)()
    ran = finish(process)
    if how == "kill":
        assert ran.code == UNREACHABLE
        assert "closed as interrupted" in ran.err
        assert ran.err.count("\n") == 1
    else:
        assert ran.code in (FAILED, UNREACHABLE)


@pytest.mark.long
@pytest.mark.parametrize("key", [True, False])
def test_the_demo_of_a_daemon_does_not_answer_where_a_key_is_set(
    home: Path, folder: Path, model: dict[str, str], key: bool
) -> None:
    with Daemon(home, arguments=["--demo"]) as daemon:
        ran = run(home, folder, model if key else {}, "hello")
        assert (ran.code, ran.err.count("\n")) == ((USAGE, 1) if key else (DONE, 1))
        assert "demo" in ran.err
        assert f"http://127.0.0.1:{daemon.port}" in ran.err
        asked_for = run(home, folder, model, "hello", "--demo")
        assert (asked_for.code, asked_for.err) == (DONE, "")


@pytest.mark.long
def test_the_demo_can_be_asked_of_a_daemon_that_has_a_key(daemon: Daemon, home: Path, folder: Path) -> None:
    ran = run(home, folder, {}, "hello", "--demo")
    assert (ran.code, ran.err) == (DONE, "")
    events, _ = checked(ran)
    sources = [event["data"]["message"]["source"] for event in events if event["type"] == "assistant/message"]
    assert {source["provider"] for source in sources} == {"demo"}


def test_no_secret_of_the_daemon_is_shown_to_anybody(daemon: Daemon, home: Path, folder: Path) -> None:
    """K03: by its own login the run leaves no token and no cookie in what it prints, in a log or in its arguments."""
    process = start("run", "--json", "--workspace", str(folder), "[[stall]]", home=home)
    line = begun(process)
    shown = Path(f"/proc/{process.pid}/cmdline").read_bytes() + Path(f"/proc/{process.pid}/environ").read_bytes()
    ran = interrupt(process)
    secret = (home / "run" / "secret").read_text()
    for text in (line + ran.out + ran.err, shown.decode(), daemon.log_text()):
        assert not [word for word in (secret, daemon.token, "dsh-auth-", "token=") if word in text]


# Another run.


@pytest.fixture
def stalled(home: Path, folder: Path, model: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A run that has the home to itself."""
    process = start("run", "--json", "--workspace", str(folder), "[[stall]]", home=home, more=model)
    begun(process)
    yield process
    process.kill()
    finish(process)


@pytest.mark.long
def test_a_second_run_waits_for_the_first_and_says_so(
    stalled: "subprocess.Popen[str]", home: Path, folder: Path, model: dict[str, str]
) -> None:
    second = start("run", "--json", "--workspace", str(folder), "[[fast]]", home=home, more=model)
    assert second.stderr is not None
    said = second.stderr.readline()
    assert f"`hd run` (process {stalled.pid}) has this home" in said
    assert interrupt(stalled).code == CANCELLED
    ran = finish(second)
    assert (ran.code, ran.err) == (DONE, "")
    with Daemon(home, environment=model) as daemon:
        assert len(daemon.call("session/list", _request={})["items"]) == 2


@pytest.mark.parametrize("number", [2, 15])
def test_a_run_that_waits_may_be_stopped(
    stalled: "subprocess.Popen[str]", home: Path, folder: Path, model: dict[str, str], number: int
) -> None:
    second = start("run", "--json", "--workspace", str(folder), "[[fast]]", home=home, more=model)
    assert second.stderr is not None
    second.stderr.readline()
    second.send_signal(number)
    ran = finish(second)
    assert (ran.code, "nothing was started" in ran.sentence()) == (CANCELLED, True)


def test_a_run_does_not_wait_for_the_one_that_it_is_a_command_of(
    stalled: "subprocess.Popen[str]", home: Path, folder: Path, model: dict[str, str]
) -> None:
    ran = run(home, folder, {**model, HOME_MARK: str(home)}, "[[fast]]")
    assert (ran.code, f"`hd run` (process {stalled.pid})" in ran.sentence()) == (FAILED, True)


@pytest.mark.parametrize("background", [[], ["--background"]])
def test_while_a_run_has_the_home_a_daemon_says_so_and_how_to_go_on(
    stalled: "subprocess.Popen[str]", home: Path, background: list[str]
) -> None:
    ran = hd("web", "--demo", "--port", "0", *background, home=home)
    assert ran.code == FAILED
    assert f"`hd run` (process {stalled.pid}) has the home {home} until its turn ends" in ran.sentence()
    assert f"kill {stalled.pid}" in ran.err
    status: Ran = hd("status", home=home)
    assert (status.code, f"`hd run` (process {stalled.pid}) has it" in status.out) == (UNREACHABLE, True)
    for command in ("token", "stop"):
        assert hd(command, home=home).code == UNREACHABLE
    assert hd("doctor", "--repair", home=home).code == FAILED


@pytest.mark.long
def test_what_a_run_alone_did_is_in_the_list_of_the_next_daemon(
    home: Path, folder: Path, model: dict[str, str]
) -> None:
    _, result = checked(run(home, folder, model, "[[fast]]"))
    with Daemon(home, environment=model) as daemon:
        (workspace,) = daemon.call("workspace/create", request={"path": str(folder)})["workspace"]["sessionIds"]
        assert workspace == result["sessionId"]
