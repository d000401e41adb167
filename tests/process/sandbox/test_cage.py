"""What a command in a cage can and cannot do, with real commands."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hd.files.rules import OwnRules
from hd.process.run import Runner
from hd.process.sandbox.base import Mechanism
from hd.process.sandbox.landlock import Landlock
from hd.process.sandbox.plan import Mode
from tests.files.trees import plant
from tests.process.sandbox.conftest import CAGED, Run, running


async def test_the_workspace_can_be_written_and_nothing_beside_it(run: Run, workspace: Path, home: Path) -> None:
    ran = await run(f"echo in > a && mkdir -p b && mv a b/a && cat b/a; echo out > {home}/out")
    assert ran.output.startswith("in\n")
    assert (workspace / "b" / "a").read_text() == "in\n"
    assert not (home / "out").exists()
    assert ran.exit_code == 1
    assert ran.blocked is not None
    assert ran.blocked.startswith("writing outside the workspace is blocked")
    assert ran.blocked.endswith(f"{home}/out")


async def test_a_read_only_session_writes_nothing_but_its_temporary_folder(run: Run, workspace: Path) -> None:
    (workspace / "a").write_text("kept\n")
    ran = await run("cat a; cat <<X > $TMPDIR/t && cat $TMPDIR/t && echo $TMPDIR\nt\nX\necho x > a", "read-only")
    kept, written, temporary = ran.output.splitlines()[:3]
    assert (kept, written) == ("kept", "t")
    assert (workspace / "a").read_text() == "kept\n"
    assert not Path(temporary).exists()
    assert ran.blocked is not None
    assert "read-only" in ran.blocked


@pytest.mark.parametrize("mode", CAGED)
@pytest.mark.parametrize(
    "command",
    ["rm {0}", "mv {0} here", "truncate -s 0 {0}", "chmod 600 {1}/x; ln {0} here && echo x > here", "rmdir {1}/empty"],
)
async def test_what_lies_outside_stays_as_it_is(run: Run, mode: Mode, home: Path, command: str) -> None:
    (home / "empty").mkdir()
    file = home / "notes.txt"
    assert (await run(command.format(file, home), mode)).exit_code != 0
    assert file.read_text() == "notes\n"
    assert (home / "empty").is_dir()


@pytest.mark.parametrize("mode", CAGED)
async def test_the_daemons_home_and_secrets_cannot_be_read(run: Run, mode: Mode, home: Path, own: Path) -> None:
    ran = await run(f"cat {home}/notes.txt {own}/key {home}/.ssh/id_ed25519; ls {home} | wc -l", mode)
    assert "notes\n" in ran.output
    assert "KEY" not in ran.output
    assert "PRIVATE" not in ran.output
    assert ran.output.splitlines()[-1].strip() == "1", "the names beside the hidden ones can be listed"


async def test_a_hidden_place_that_is_a_link_is_hidden_where_it_leads(
    run: Run, home: Path, own: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "dotfiles"
    elsewhere.mkdir()
    (elsewhere / "credentials").write_text("CLOUD\n")
    (home / ".aws").symlink_to(elsewhere)
    ran = await run(f"cat {home}/.aws/credentials {elsewhere}/credentials")
    assert ran.exit_code == 1
    assert "CLOUD" not in ran.output


async def test_a_link_out_of_the_workspace_leads_nowhere(run: Run, workspace: Path, home: Path) -> None:
    (workspace / "out").symlink_to(home)
    await run("echo x > out/new; echo y >> out/notes.txt")
    assert not (home / "new").exists()
    assert (home / "notes.txt").read_text() == "notes\n"


async def test_what_a_command_starts_is_held_too_and_ended_as_ever(run: Run, home: Path) -> None:
    tries = f"echo x > {home}/late; echo > tried; exec sleep 300"
    ran = await run(f"setsid sh -c '{tries}' & until [ -e tried ]; do :; done; exit 7")
    assert ran.exit_code == 7
    assert [one.command for one in ran.survivors if "sleep 300" in one.command]
    assert not (home / "late").exists()


async def test_the_way_round_by_the_files_of_another_process_is_closed(run: Run, home: Path) -> None:
    await run(f"echo x > /proc/{os.getpid()}/root{home}/way; echo x > /proc/{os.getppid()}/root{home}/way")
    assert not (home / "way").exists()


async def test_without_network_nothing_is_reached(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f'{sys.executable} -c \'import socket; socket.create_connection(("127.0.0.1", {port})); print("in")\''
        assert (await run(command)).output == "in\n"
        cut = await run(command, network=False)
    assert cut.exit_code == 1
    if "refused" not in cut.output:  # another machine's loopback refuses, and says so in its own words
        assert cut.blocked == "the network is cut for this session's permissions"


async def test_a_process_outside_cannot_be_ended(
    landlock: Landlock, runner: Runner, workspace: Path, home: Path, own: Path
) -> None:
    if landlock.version < 6:
        pytest.skip(f"NOT TESTED HERE: the kernel's Landlock is version {landlock.version}, signals are held since 6")
    run = running(landlock, runner, workspace, home, own)
    victim = subprocess.Popen(["sleep", "300"])
    try:
        ran = await run(f"kill -9 {victim.pid}; sleep 300 & kill $! && wait $!; echo own: $?")
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()
    assert "own: 143" in ran.output
    assert ran.blocked == "ending processes that the command did not start is blocked"


async def test_the_daemon_itself_is_not_held_by_the_cage_of_a_command(run: Run, runner: Runner, home: Path) -> None:
    await run("true", "read-only")
    (home / "after").write_text("free\n")
    ran = await runner.run(f"cat {home}/.ssh/id_ed25519; echo x > {home}/free", cwd=home, run_id="r")
    assert ran.output == "PRIVATE\n"
    assert (home / "free").exists()


async def test_a_command_that_cannot_be_started_is_told_as_ever(run: Run, workspace: Path) -> None:
    workspace.rmdir()
    with pytest.raises(OSError):
        await run("true")


@pytest.mark.parametrize("mode", CAGED)
async def test_c04_what_own_rules_close_is_hidden_where_the_mechanism_can_take_it_away(
    mechanism: Mechanism, runner: Runner, workspace: Path, home: Path, own: Path, mode: Mode
) -> None:
    """Landlock cannot in a folder that may be written, and says so among its gaps."""
    plant(workspace, {"plans/next": "PLAN\n", "x.sqlite": "BASE\n", "src/open": "OPEN\n"})
    run = running(mechanism, runner, workspace, home, own, OwnRules(["plans/**", "*.sqlite"]))
    output = (await run("cat plans/next; cat x.sqlite; cat src/open", mode)).output
    can = mode == "read-only" or mechanism.hides_within
    assert "OPEN" in output
    assert ("PLAN" in output, "BASE" in output) == (not can, not can)
    told = "files that your own rules close can be read where the workspace may be written"
    assert (told in mechanism.gaps) is not mechanism.hides_within
