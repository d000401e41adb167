"""The command line as a process: output, exit codes, what it loads, and that it leaves quietly."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import ptyprocess  # type: ignore[import-untyped]
import pytest

from hd.protocol.envelope import WireError
from htui.cli import main
from htui.cli.reset import SEQUENCES
from tests.support.replay_host import TOKEN, FakeHost, items

LOADED = "import sys; from htui.cli import main; main(); print(*sys.modules, file=sys.stderr)"
HEAVY = {"textual", "rich", "httpx", "aiohttp", "websockets", "asyncio", "cryptography", "holidays", "subprocess"}
SESSIONS: list[dict[str, Any]] = [
    {
        "sessionId": "s1",
        "updatedAt": 1796067942768,
        "running": True,
        "blank": False,
        "cwd": "/srv/a",
        "projections": {"asOfSeq": 1, "values": {"title": "One\x1b[31m\u202e\ttwo\x9b"}},
    },
    {"sessionId": "s2", "updatedAt": 0, "running": False, "blank": True, "cwd": "/srv/b"},
]
WORKSPACES = [
    {"workspaceId": "w1", "path": "/srv/a", "title": "a", "sessionIds": ["s2", "s1", "gone"]},
    {"workspaceId": "w2", "path": "/srv/b", "title": "b", "sessionIds": []},
]


@pytest.fixture
async def host() -> AsyncIterator[FakeHost]:
    async with FakeHost() as host:
        host.unary["session/list"] = lambda args: {"items": SESSIONS}
        value = {"items": WORKSPACES, "archivedSessionIds": ["s2"]}
        host.streams["workspace/follow"] = items({"type": "baseline", "value": value})
        yield host


class Htui:
    """Runs `htui` as a process, with a home of its own."""

    def __init__(self, home: Path, url: str, token: str | None = TOKEN) -> None:
        keep = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        self.env = {**keep, "HOME": str(home), "HD_HOME": str(home / "h"), "HTUI_AUTH_DIR": str(home / "auth")}
        self.env["HTUI_URL"] = url
        if token is not None:
            self.env["HTUI_TOKEN"] = token

    async def __call__(self, *arguments: str) -> tuple[int, str, str]:
        return await self.run("-m", "htui", *arguments)

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, *arguments]
        done = await asyncio.to_thread(
            lambda: subprocess.run(command, env=self.env, capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()


async def test_list_sessions_as_json(host: FakeHost, tmp_path: Path) -> None:
    code, out, err = await Htui(tmp_path, host.url)("list", "sessions", "--json")
    assert (code, err) == (0, "")
    first, second = msgspec.json.decode(out)["items"]
    assert first["title"] == "One\x1b[31m\u202e\ttwo\x9b"
    assert (second["sessionId"], second["title"], second["blank"]) == ("s2", None, True)
    assert out.endswith("}\n")
    assert out.strip().isprintable()


async def test_list_sessions_as_fields_without_a_control_character(host: FakeHost, tmp_path: Path) -> None:
    code, out, err = await Htui(tmp_path, host.url)("list", "sessions")
    assert (code, err) == (0, "")
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines == [
        ["s1", "running", "2026-11-30T19:45:42Z", "One\ufffd[31m\ufffd two\ufffd", "/srv/a"],
        ["s2", "empty", "1970-01-01T00:00:00Z", "", "/srv/b"],
    ]


async def test_list_workspaces_and_the_sessions_of_one(host: FakeHost, tmp_path: Path) -> None:
    htui = Htui(tmp_path, host.url)
    code, out, _ = await htui("list", "workspaces")
    assert (code, out) == (0, "w1\t3\ta\t/srv/a\nw2\t0\tb\t/srv/b\n")
    code, out, _ = await htui("list", "workspaces", "--workspace", "w2", "--json")
    assert [row["workspaceId"] for row in msgspec.json.decode(out)["items"]] == ["w2"]
    code, out, _ = await htui("list", "sessions", "--workspace", "w1")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["s1"], "archived and unknown ones are left out"
    code, out, err = await htui("list", "sessions", "--workspace", "nowhere")
    assert (code, out) == (1, "")
    assert "no workspace nowhere" in err
    assert host.logins == 1, "the cookie is kept from one command to the next"


@pytest.mark.parametrize(
    ("change", "token", "code", "said"),
    [
        ({}, None, 4, "asks for a login"),
        ({}, "wrong", 4, "refused the token"),
        ({"refuse": 403}, TOKEN, 4, "refuses"),
        ({"refuse": 500}, TOKEN, 1, "HTTP 500"),
    ],
)
async def test_j22_errors_are_one_sentence_on_stderr(
    change: dict[str, Any], token: str | None, code: int, said: str, host: FakeHost, tmp_path: Path
) -> None:
    for name, value in change.items():
        setattr(host, name, value)
    found, out, err = await Htui(tmp_path, host.url, token)("list", "sessions", "--json")
    assert (found, out) == (code, "")
    assert err.startswith("htui: ")
    assert said in err
    assert err.count("\n") == 1
    assert "wrong" not in err


@pytest.mark.parametrize("attack", ["\x1b]52;c;cm0gLXJm\x07", "\x1b]0;owned\x07", "\x1b[2J", "\x9b2J", "\r\n"])
async def test_x14_what_a_host_says_about_an_error_is_only_text(attack: str, host: FakeHost, tmp_path: Path) -> None:
    async def refuse(args: Any) -> None:
        raise WireError("internal", f"see {attack} here", {})

    host.unary["session/list"] = refuse
    code, out, err = await Htui(tmp_path, host.url)("list", "sessions")
    assert (code, out) == (1, "")
    assert err.startswith("htui: see ")
    assert err.endswith(" here\n")
    assert err[:-1].isprintable()


async def test_j22_a_host_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    host = FakeHost()
    await host.listen()
    await host.stop()
    for what in ("sessions", "workspaces"):
        code, out, err = await Htui(tmp_path, host.url)("list", what)
        assert (code, out) == (7, "")
        assert "hd web" in err


async def test_j22_mistakes_on_the_line_are_usage_errors(tmp_path: Path) -> None:
    htui = Htui(tmp_path, "http://host/path")
    assert (await htui("list"))[0] == 2
    assert (await htui("list", "nonsense"))[0] == 2
    assert (await htui("--nonsense"))[0] == 2
    code, out, err = await htui("list", "sessions")
    assert (code, out) == (2, "")
    assert "bare origin" in err


async def test_j22_without_a_terminal_it_refuses(tmp_path: Path) -> None:
    code, out, err = await Htui(tmp_path, "http://127.0.0.1:1")()
    assert (code, out) == (2, "")
    assert "needs a terminal" in err


async def test_j22_a_reader_that_leaves_is_no_error(host: FakeHost, tmp_path: Path) -> None:
    host.unary["session/list"] = lambda args: {"items": [{"sessionId": f"s{n}" * 50} for n in range(5000)]}
    htui = Htui(tmp_path, host.url)

    def first_line() -> tuple[int, bytes]:
        command = [sys.executable, "-m", "htui", "list", "sessions"]
        with subprocess.Popen(command, env=htui.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            return process.wait(30), process.stderr.read()

    assert await asyncio.to_thread(first_line) == (0, b"")


@pytest.mark.parametrize(
    ("to", "said"),
    [(">/dev/full", "the output could not be written: No space left on device."), (">&-", "standard output is closed")],
)
async def test_an_output_that_takes_nothing_is_told_in_a_sentence(
    to: str, said: str, host: FakeHost, tmp_path: Path
) -> None:
    htui = Htui(tmp_path, host.url)
    command = ["sh", "-c", f"'{sys.executable}' -m htui list sessions {to}"]
    done = await asyncio.to_thread(lambda: subprocess.run(command, env=htui.env, capture_output=True, timeout=30))
    assert done.returncode == 1
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("htui: ")
    assert said in line


async def test_a_name_with_line_breaks_stays_one_line_of_the_list(host: FakeHost, tmp_path: Path) -> None:
    breaks = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\t"
    value = {
        "items": [{"workspaceId": f"w{breaks}1", "path": f"/a{breaks}b", "title": f"x{breaks}y", "sessionIds": []}]
    }
    host.streams["workspace/follow"] = items({"type": "baseline", "value": {**value, "archivedSessionIds": []}})
    row = {"sessionId": f"s{breaks}1", "cwd": f"/a{breaks}b", "projections": {"values": {"title": f"x{breaks}y"}}}
    host.unary["session/list"] = lambda args: {"items": [row]}
    for what, fields in (("workspaces", 4), ("sessions", 5)):
        code, out, _ = await Htui(tmp_path, host.url)("list", what)
        assert code == 0
        (line,) = out.splitlines()
        assert len(line.split("\t")) == fields


async def test_listing_loads_nothing_heavy(host: FakeHost, tmp_path: Path) -> None:
    code, _, err = await Htui(tmp_path, host.url).run("-c", LOADED, "list", "sessions", "--json")
    assert code == 0
    loaded = set(err.split())
    assert "htui.cli.listing" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in HEAVY}
    assert not {name for name in loaded if name.startswith("hd.") and not name.startswith("hd.protocol")} - {
        "hd.protocol"
    }
    assert not {name for name in loaded if name.startswith(("htui.mirror", "hd.protocol.projections"))}


async def test_the_version_is_that_of_the_distribution(tmp_path: Path) -> None:
    code, out, _ = await Htui(tmp_path, "http://127.0.0.1:1")("--version")
    assert code == 0
    assert out.startswith("htui ")


async def test_reset_writes_to_the_terminal_and_makes_it_sane(tmp_path: Path) -> None:
    env = Htui(tmp_path, "http://127.0.0.1:1").env

    def run() -> tuple[bytes, int]:
        process = ptyprocess.PtyProcess.spawn([sys.executable, "-m", "htui", "--reset"], env=env)
        output = b""
        try:
            while True:
                output += process.read()
        except EOFError:
            process.wait()
            return output, process.exitstatus

    output, code = await asyncio.to_thread(run)
    assert code == 0
    assert SEQUENCES.encode() in output
    for mode in (1000, 1002, 1003, 1004, 1006, 2004, 2026, 1049):
        assert f"\x1b[?{mode}l" in SEQUENCES


def test_an_interrupt_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("htui.cli.listing.run", interrupted)
    assert main(["list", "sessions"]) == 130
