"""What people do every day goes on as ever in a workspace that may be written: each test is a real program."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hd.process.sandbox.plan import Mode
from tests.process.sandbox.conftest import CAGED, Run

GIT = "git -c user.name=Ada -c user.email=ada@example.org"


def git(folder: Path, *words: str) -> str:
    command = [*GIT.split(), "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(workspace: Path) -> Path:
    git(workspace, "init", "-q", "-b", "main")
    (workspace / "a.txt").write_text("one\n")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "first")
    return workspace


async def test_git_commits_branches_stashes_and_cleans_up(run: Run, repository: Path) -> None:
    ran = await run(
        f"echo two >> a.txt && {GIT} commit -qam second && git switch -qc topic && echo three >> a.txt && "
        f"{GIT} stash -q && git stash pop -q && git gc -q && git status --short"
    )
    assert (ran.exit_code, ran.output) == (0, " M a.txt\n")
    assert git(repository, "log", "--format=%s").split() == ["second", "first"]


async def test_git_looks_in_a_read_only_session(run: Run, repository: Path) -> None:
    (repository / "a.txt").write_text("changed\n")
    ran = await run("git status --short && git log --format=%s && git diff --stat | tail -1", "read-only")
    assert ran.exit_code == 0
    assert ran.output.startswith(" M a.txt\nfirst\n 1 file changed")
    assert ran.blocked is None


async def test_git_commits_in_a_worktree_and_in_a_folder_of_a_repository(
    run: Run, tmp_path: Path, workspace: Path
) -> None:
    workspace.rmdir()
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", "-b", "main")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", "-b", "topic", str(workspace))
    ran = await run(f"echo x > b && git add b && {GIT} commit -qm second && git status --short; echo y > {main}/y")
    assert git(main, "log", "--format=%s", "topic").split() == ["second", "first"]
    assert not (main / "y").exists()
    assert ran.exit_code == 1


async def test_git_clones_by_path(run: Run, repository: Path) -> None:
    ran = await run("git clone -q . copy && git -C copy log --format=%s")
    assert (ran.exit_code, ran.output) == (0, "first\n")


@pytest.mark.long
async def test_pytest_with_temporary_folders_and_worker_processes(run: Run, workspace: Path) -> None:
    (workspace / "test_it.py").write_text(
        "import multiprocessing, pathlib, sqlite3\n\n"
        "def test_files(tmp_path: pathlib.Path) -> None:\n"
        "    sqlite3.connect(tmp_path / 'x.db').execute('create table t (a)')\n\n"
        "def test_pool() -> None:\n"
        "    with multiprocessing.Pool(2) as pool:\n"
        "        assert pool.map(abs, [-1, 2]) == [1, 2]\n"
    )
    ran = await run(f"{sys.executable} -m pytest -q -p no:cacheprovider -p no:xdist test_it.py")
    assert "2 passed" in ran.output, ran.output
    assert ran.exit_code == 0


@pytest.mark.long
async def test_a_virtual_environment_is_made_and_installed_into(run: Run, workspace: Path) -> None:
    wheel = workspace / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("tiny.py", "WORD = 'installed'\n")
        made.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        made.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr("tiny-1.0.dist-info/RECORD", "")
    ran = await run(
        f"{sys.executable} -m venv --without-pip env && "
        f"{sys.executable} -m pip -q --python env/bin/python install --no-index ./{wheel.name} && "
        "env/bin/python -c 'import tiny; print(tiny.WORD)'"
    )
    assert ran.output.splitlines()[-1:] == ["installed"], ran.output
    assert ran.exit_code == 0


@pytest.mark.long
async def test_npm_installs_and_runs_a_script(run: Run, workspace: Path) -> None:
    if shutil.which("npm", path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip("NOT TESTED HERE: npm is not installed")
    (workspace / "dependency").mkdir()
    (workspace / "dependency" / "package.json").write_text('{"name": "dependency", "version": "1.0.0"}')
    (workspace / "package.json").write_text('{"name": "it", "version": "1.0.0", "scripts": {"hello": "echo hello"}}')
    ran = await run("npm install --offline ./dependency && npm run -s hello")
    assert ran.output.splitlines()[-1:] == ["hello"], ran.output


async def test_programs_in_a_terminal_of_their_own(run: Run) -> None:
    program = "import pty, sys; sys.exit(pty.spawn(['sh', '-c', 'test -t 1 && echo on a terminal']) >> 8)"
    ran = await run(f'{sys.executable} -c "{program}"')
    assert (ran.exit_code, ran.output.strip()) == (0, "on a terminal")


@pytest.mark.parametrize("mode", CAGED)
async def test_what_shells_do_all_the_time(run: Run, mode: Mode) -> None:
    ran = await run(
        "set -e -o pipefail; cat <<X | tr a b\naaa\nX\n"
        "diff <(echo 1) <(echo 2) > /dev/null || echo differs; echo err > /dev/stderr; head -c 4 /dev/urandom | wc -c; "
        "cat /proc/self/comm; sort <<< $'b\\na' | wc -l; t=$(mktemp); echo x > $t; rm $t; ls / > /dev/null",
        mode,
    )
    assert ran.output.split() == ["bbb", "differs", "err", "4", "cat", "2"], ran.output
    assert ran.exit_code == 0
    assert ran.blocked is None


async def test_files_are_moved_between_folders_and_linked(run: Run, workspace: Path) -> None:
    ran = await run(
        "mkdir -p a b && echo x > a/f && mv a/f b/f && ln b/f a/hard && ln -s ../b/f a/soft && cat a/hard a/soft && "
        "mv b c && rm -r a && mkfifo p && chmod 700 c && truncate -s 0 c/f && touch -d 2020-01-01 c/f && find . | wc -l"
    )
    assert ran.output.split() == ["x", "x", "4"], ran.output


async def test_a_server_of_the_command_is_reached_by_it(run: Run) -> None:
    program = (
        "import http.server, threading, urllib.request as u; s = http.server.HTTPServer(('127.0.0.1', 0), "
        "http.server.SimpleHTTPRequestHandler); threading.Thread(target=s.serve_forever, daemon=True).start(); "
        "print(u.urlopen('http://127.0.0.1:%d/' % s.server_port).status)"
    )
    ran = await run(f'{sys.executable} -c "{program}" 2> /dev/null')
    assert ran.output == "200\n"


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("cc") is None, reason="no compiler here")
async def test_a_program_is_built_and_run(run: Run, workspace: Path) -> None:
    (workspace / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n')
    ran = await run("make -s hello && ./hello")
    assert (ran.exit_code, ran.output) == (0, "built\n"), ran.output
