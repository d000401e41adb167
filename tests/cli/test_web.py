"""`hd web`, `token`, `status` and `stop`: one daemon a home, and one clear sentence for whatever is in its way."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest

from hd.cli.ending import leave_within
from hd.config.home import Home
from hd.config.lock import acquire
from tests.cli.command import environment, finish, hd, loaded, start
from tests.support.daemon import ROOT, Daemon
from tests.support.preloaded import PreloadedDaemon


@contextmanager
def running(home: Path, *arguments: str) -> Iterator[Daemon]:
    with PreloadedDaemon(home, arguments=["--demo", *arguments]) as daemon:
        yield daemon


@pytest.fixture
def taken_port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


# Where it listens.


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_that_is_none(home: Path, port: str) -> None:
    ran = hd("web", f"--port={port}", home=home)
    assert (ran.code, "65535" in ran.sentence()) == (2, True)
    assert not home.exists()


@pytest.mark.parametrize("arguments", [["--port", "x"], ["--port"], ["--nonsense"], ["--host"], ["surplus"]])
def test_a_command_line_that_is_none(home: Path, arguments: list[str]) -> None:
    ran = hd("web", *arguments, home=home)
    assert ran.code == 2
    assert "hd web --help" in ran.sentence() or "hd --help" in ran.sentence()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "example.test", "127.0.0.1:80"])
def test_k02_an_address_that_others_can_reach_is_refused(home: Path, host: str) -> None:
    for background in ([], ["--background"]):
        ran = hd("web", "--host", host, "--port", "0", *background, home=home)
        assert (ran.code, "loopback" in ran.sentence()) == (2, True)
    assert not home.exists()


def test_a_port_that_is_taken(home: Path, taken_port: int) -> None:
    ran = hd("web", "--port", str(taken_port), home=home)
    assert (ran.code, f"127.0.0.1:{taken_port}" in ran.sentence()) == (1, True)
    assert "--port" in ran.sentence()
    # Nothing is left behind that would stop the next start.
    with running(home) as daemon:
        assert daemon.http("GET", "/health")[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_every_way_to_name_this_machine(home: Path, host: str) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    process = start("web", "--json", "--demo", "--port", "0", "--host", host, home=home)
    assert process.stdout is not None
    said = msgspec.json.decode(process.stdout.readline())
    shown = f"[{host}]" if ":" in host else host
    assert said["url"].startswith(f"http://{shown}:{said['port']}/?token=")
    assert said["host"] == host
    fresh = hd("token", home=home)
    assert fresh.out.startswith(f"http://{shown}:{said['port']}/?token=")
    assert hd("stop", home=home).code == 0
    assert finish(process).code == 0


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_the_line_for_people(home: Path) -> None:
    process = start("web", "--demo", "--no-open", "--port", "0", home=home)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("hd web: http://127.0.0.1:")
    assert len(line.strip().partition("?token=")[2]) == 43
    assert hd("stop", home=home).code == 0
    ran = finish(process)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


# One daemon a home.


def test_a_second_daemon_is_told_where_the_first_is(home: Path) -> None:
    with running(home) as daemon:
        for arguments in (["--port", "0"], ["--port", str(daemon.port)], ["--background", "--port", "0"]):
            ran = loaded("web", *arguments, home=home)
            assert ran.code == 1
            assert f"http://127.0.0.1:{daemon.port}" in ran.sentence()
            assert daemon.token not in ran.err
        assert daemon.http("GET", "/health")[0] == 200


def test_of_several_that_start_at_once_one_wins_and_the_others_name_it(home: Path) -> None:
    starts = [start("web", "--json", "--demo", "--port", "0", home=home) for _ in range(5)]
    lines: list[str] = []
    # The losers end; the winner is the one that says where it is.
    for process in starts:
        assert process.stdout is not None
        lines.append(process.stdout.readline())
    (won,) = [number for number, line in enumerate(lines) if line]
    port = msgspec.json.decode(lines[won])["port"]
    for number, process in enumerate(starts):
        if number != won:
            ran = finish(process)
            assert ran.code == 1
            assert f"http://127.0.0.1:{port}" in ran.sentence()
    assert hd("stop", home=home).code == 0
    assert finish(starts[won]).code == 0


def test_what_a_killed_daemon_left_is_not_taken_for_one(home: Path) -> None:
    daemon = Daemon(home, arguments=["--demo"]).start()
    daemon.kill()
    assert (home / "run" / "daemon.json").exists()
    for command in ("token", "stop"):
        ran = hd(command, home=home)
        assert (ran.code, "No daemon runs" in ran.sentence()) == (7, True)
    assert hd("status", home=home).code == 7
    with running(home):
        assert hd("status", home=home).code == 0


# The home.


def in_the_way(tmp_path: Path, what: str) -> Path:
    """A home that nobody, not even root, can use."""
    match what:
        case "a file":
            (tmp_path / "home").write_text("mine")
        case "a file above":
            (tmp_path / "home").write_text("mine")
            return tmp_path / "home" / "below"
        case "a file inside":
            (tmp_path / "home").mkdir()
            (tmp_path / "home" / "store").write_text("mine")
        case "a dangling link":
            (tmp_path / "home").symlink_to(tmp_path / "nothing")
        case "a device":
            return Path("/dev/null/home")
        case "a system folder":
            return Path("/proc/home")
        case "a lock that is a folder":
            (tmp_path / "home" / "run" / "lock").mkdir(parents=True)
    return tmp_path / "home"


WEB, RUN, KEY = ["web", "--port", "0"], ["run", "--demo", "hello"], ["key", "set"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "command"),
    [
        ("a file", WEB),
        ("a file", RUN),
        ("a file", KEY),
        ("a file above", WEB),
        ("a file inside", WEB),
        ("a file inside", KEY),
        ("a dangling link", WEB),
        ("a device", WEB),
        ("a system folder", RUN),
        ("a lock that is a folder", WEB),
        ("a lock that is a folder", RUN),
    ],
)
def test_a_home_that_cannot_be_used(tmp_path: Path, what: str, command: list[str]) -> None:
    home = in_the_way(tmp_path, what)
    ran = hd(*command, home=home, typed="sk-0123456789")
    assert ran.code == 1
    assert str(home) in ran.sentence()
    if (tmp_path / "home").is_file():
        assert (tmp_path / "home").read_text() == "mine"


@pytest.mark.parametrize("command", ["status", "token", "stop"])
@pytest.mark.parametrize("what", ["a file", "a file above", "a file inside", "a device", "a system folder"])
def test_asking_about_such_a_home_is_no_defect(tmp_path: Path, what: str, command: str) -> None:
    ran = hd(command, home=in_the_way(tmp_path, what))
    assert ran.code in (1, 7)
    assert "Traceback" not in ran.err
    assert "Internal" not in ran.err


def test_a_home_whose_name_is_no_text(tmp_path: Path) -> None:
    for command in (["status", "--json"], ["web", "--port", "0"], ["run", "--demo", "x"]):
        ran = hd(*command, home=tmp_path, more={"HD_HOME": f"{tmp_path}/\udcff"})
        assert (ran.code, "UTF-8" in ran.sentence()) == (2, True)


@pytest.mark.parametrize("url", ["nonsense", "http://u:p@x", "\udcff"])
def test_a_base_url_that_is_none(home: Path, url: str) -> None:
    for command in (["web", "--port", "0"], ["run", "hello"]):
        ran = loaded(*command, home=home, more={"DEEPSEEK_BASE_URL": url})
        assert ran.code == 2
        assert "DEEPSEEK_BASE_URL" in ran.sentence()
        assert "u:p" not in ran.err
    assert not home.exists()


# The database.


def damage(path: Path, how: str) -> None:
    whole = path.read_bytes() if path.is_file() else b""
    match how:
        case "garbage":
            path.write_bytes(b"this is no database\n" * 500)
        case "half":
            path.write_bytes(whole[: len(whole) // 2 + 7])
        case "torn":
            path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
        case "of another program":
            path.unlink()
            with closing(sqlite3.connect(path)) as other:
                other.execute("CREATE TABLE theirs (x)")
                other.commit()
        case "of a later version":
            with closing(sqlite3.connect(path)) as later:
                later.execute("PRAGMA user_version = 999")
                later.commit()
        case "a folder":
            path.unlink()
            path.mkdir()


@pytest.mark.long
@pytest.mark.parametrize("how", ["garbage", "half", "torn", "of another program", "of a later version", "a folder"])
def test_a_damaged_database_is_told_and_left_as_it_is(home: Path, how: str) -> None:
    with running(home):
        pass
    database = home / "store" / "hd.db"
    damage(database, how)
    before = database.read_bytes() if database.is_file() else None
    for command in (WEB, RUN) if how == "garbage" else (WEB,):
        ran = hd(*command, home=home)
        assert ran.code == 1
        assert str(database) in ran.sentence()
    assert (database.read_bytes() if database.is_file() else None) == before
    assert hd("status", home=home).code == 7


# In the background.


def test_in_the_background_it_stays_when_the_command_is_done(home: Path) -> None:
    ran = hd("web", "--background", "--demo", "--json", "--port", "0", home=home)
    assert (ran.code, ran.err) == (0, "")
    said = ran.lines()[0]
    assert set(said) == {"url", "host", "port", "pid", "version"}
    status = hd("status", "--json", home=home).lines()[0]
    assert status["running"] is True
    assert (status["daemon"]["pid"], status["daemon"]["port"]) == (said["pid"], said["port"])
    assert os.getsid(said["pid"]) == said["pid"]
    stopped = hd("stop", home=home)
    assert (stopped.code, stopped.out) == (0, "Stopped.\n")
    assert hd("status", home=home).code == 7
    while psutil.pid_exists(said["pid"]) and psutil.Process(said["pid"]).status() != psutil.STATUS_ZOMBIE:
        os.sched_yield()


def test_in_the_background_a_failure_is_the_command_s_own(home: Path, taken_port: int) -> None:
    for arguments, code in ((["--port", str(taken_port)], 1), (["--port", "0", "--host", "0.0.0.0"], 2)):
        ran = hd("web", "--background", *arguments, home=home)
        assert ran.code == code
        ran.sentence()


# Status, token, stop.


def test_what_is_said_when_no_daemon_runs(home: Path) -> None:
    ran = hd("status", home=home)
    assert (ran.code, ran.err) == (7, "")
    assert "hd web" in ran.out
    (document,) = hd("status", "--json", home=home).lines()
    assert document == {
        "running": False,
        "daemon": None,
        "home": str(home),
        "key": {"configured": False, "source": None, "problem": None},
        "sandbox": None,
    }
    for command in ("token", "stop"):
        ran = hd(command, home=home)
        assert (ran.code, "hd web" in ran.sentence()) == (7, True)
    assert not home.exists()


def test_several_may_stop_it_at_once(home: Path) -> None:
    with running(home):
        stops = [finish(process) for process in [start("stop", home=home) for _ in range(4)]]
        # Who came too late was told that there is none.
        assert {(ran.code, ran.out) for ran in stops} <= {(0, "Stopped.\n"), (7, "")}
        assert (0, "Stopped.\n") in {(ran.code, ran.out) for ran in stops}
        assert all(ran.code == 0 or "No daemon runs" in ran.sentence() for ran in stops)


def test_every_token_is_new_and_good(home: Path) -> None:
    with running(home) as daemon:
        urls = {hd("token", home=home).out.strip() for _ in range(3)}
        assert len(urls) == 3
        for url in urls:
            assert daemon.http("GET", url.removeprefix(f"http://127.0.0.1:{daemon.port}"))[0] == 303


def test_a_secret_that_others_can_read_is_not_used(home: Path) -> None:
    with running(home) as daemon:
        os.kill(daemon.pid, signal.SIGSTOP)  # it would put the file right within a second
        while psutil.Process(daemon.pid).status() != psutil.STATUS_STOPPED:
            os.sched_yield()
        (home / "run" / "secret").chmod(0o644)
        ran = hd("token", home=home)
        os.kill(daemon.pid, signal.SIGCONT)
        assert (ran.code, "600" in ran.sentence()) == (1, True)


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope", b"HTTP/1.1 401 No\r\n\r\n"]
)
def test_what_answers_there_may_be_something_else(home: Path, answer: bytes) -> None:
    """The lock is held, but behind the port is another program."""

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1 << 16)
            connection.sendall(answer)

    place = Home(home)
    place.prepare()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener, acquire(place) as lock:
        port = listener.getsockname()[1]
        lock.new_secret()
        written = {
            "url": f"http://127.0.0.1:{port}",
            "host": "127.0.0.1",
            "port": port,
            "pid": os.getpid(),
            "version": "0",
            "startedAt": 0,
        }
        (home / "run" / "daemon.json").write_bytes(msgspec.json.encode(written))
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        ran = hd("token", home=home)
        thread.join()
        assert (ran.code, str(port) in ran.sentence()) == (7, True)


# The process itself.


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed_are_no_reason_to_fail(home: Path, model: dict[str, str], closed: str) -> None:
    command = f"{sys.executable} -m hd run '[[fast]]' {closed}"
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment(home, model), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    # Nothing was printed into a file of ours that took the number of a closed stream.
    assert hd("run", "[[fast]]", home=home, more=model).code == 0


@pytest.mark.parametrize(
    "argv", [[], ["status"], ["token"], ["stop"], ["key", "status"], ["--help"], ["web", "--help"]]
)
def test_small_commands_load_nothing_heavy(home: Path, argv: list[str]) -> None:
    code = (
        "import sys; from hd.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'aiohttp', 'httpx', 'textual', 'rich', 'cryptography', 'sqlite3', 'asyncio', 'holidays', 'psutil'};"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, *argv], cwd=ROOT, env=environment(home), capture_output=True)
    assert done.returncode == 0, done.stderr


def test_who_insists_is_not_kept_waiting() -> None:
    """A stop that never comes to its end; the signals come until one is taken for the last word."""
    code = (
        "import asyncio\nfrom hd import daemon\ndaemon.PATIENCE_S = 0.05\n"
        "async def main():\n"
        "    daemon.heed_signals(stop := asyncio.Event())\n"
        "    print('ready', flush=True)\n"
        "    await stop.wait()\n"
        "    print('stopping', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == b"stopping\n"
        # One signal after the other: a loop that is flooded with them reads them for ever and acts on none.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        assert process.returncode == 130


def test_a_blocked_thread_does_not_hold_up_the_end() -> None:
    code = (
        "import asyncio, threading; from hd.cli.ending import leave_within\n"
        "with asyncio.Runner() as runner:\n"
        "    runner.get_loop().run_in_executor(None, threading.Event().wait)\n"
        "    leave_within(0.01, 5)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=20).returncode == 5
    assert leave_within.__doc__


def test_the_daemon_in_the_background_takes_no_module_from_the_folder_it_is_started_in(tmp_path: Path) -> None:
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / "secrets.py").write_text("open('RAN', 'w')\nraise SystemExit\n")
    bare = {"PATH": os.environ["PATH"], "HD_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    command = [str(Path(sys.executable).with_name("hd"))]
    started = subprocess.run(
        [*command, "web", "--background", "--port", "0", "--demo"],
        cwd=folder,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    stopped = subprocess.run([*command, "stop"], cwd=folder, env=bare, capture_output=True, text=True, check=False)
    assert (started.returncode, started.stderr) == (0, "")
    assert stopped.returncode == 0
    assert not (folder / "RAN").exists()
