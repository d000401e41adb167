"""read_command_output in a whole house: numbers, pages, filters, restarts and secrets."""

from pathlib import Path
from typing import Any

from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply


def command(line: str) -> Reply:
    return Reply(calls=[Call("run_command", {"command": line})])


def reading(number: int, **more: Any) -> Reply:
    return Reply(calls=[Call("read_command_output", {"cmd_id": number, **more})])


async def turn(daemon: Daemon, mock: MockModel, session: str, *calls: Reply) -> list[str]:
    """The results of a turn in which the model makes these calls, one a step."""
    before = len(of(await daemon.log(session), "tool/result"))
    mock.add(*calls, Reply(text="seen"))
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "do it")
        await follow.until(ENDED)
    results = of(await daemon.log(session), "tool/result")[before:]
    return [result["message"]["content"][0]["text"] for result in results]


async def test_d05_a_long_output_is_read_by_its_number(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    short, long, found, paged, unknown = await turn(
        daemon,
        mock,
        session,
        command("echo hello"),
        command("seq 400000; exit 3"),
        reading(2, filter="^3999(8|9)[0-4]$", limit=4),
        reading(2, offset=200_000, limit=2),
        reading(9),
    )
    assert short == "hello\n[cmd #1]"
    assert "cmd_id 2 reads the rest" in long
    assert long.endswith("[exit code: 3]\n[cmd #2]")
    assert found.splitlines() == [
        "[cmd #2 `seq 400000; exit 3`: exit code: 3; 4 matching lines; there are more; go on with offset 399984]",
        *(f"{number}: {number}" for number in range(399_980, 399_984)),
    ]
    assert paged.splitlines() == [
        "[cmd #2 `seq 400000; exit 3`: exit code: 3; lines 200000–200001 of 400,000 lines; go on with offset 200002]",
        "200000: 200000",
        "200001: 200001",
    ]
    assert unknown == "Error: There is no command #9 in this session; they are numbered #1 to #2."


async def test_after_a_restart_it_says_what_is_still_there(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    await turn(daemon, mock, session, command("echo first"), command("true"), command("echo third"))
    daemon.kill()
    (third,) = [path for path in (daemon.home / "spill").iterdir() if path.read_text() == "third\n"]
    third.unlink()
    daemon.start()
    first, second, gone, more = await turn(
        daemon, mock, session, reading(1), reading(2), reading(3), command("echo fourth")
    )
    assert first == "[cmd #1 `echo first`: exit code: 0; lines 1–1 of 1 line]\n1: first"
    assert second == "[cmd #2 `true`: exit code: 0; no output]"
    assert gone.startswith("Error: The output of command #3 is not kept any more")
    assert more.endswith("[cmd #4]")


async def test_c04_neither_pages_nor_filters_tell_a_secret(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    value = "q8-Zp0-secret-value"
    (folder / ".env").write_text(f"API_SECRET={value}\n")
    session = await daemon.new_session(folder)
    results = await turn(
        daemon,
        mock,
        session,
        command("yes filling | head -n 3; cat .e*"),
        reading(1, offset=4),
        reading(1, filter="API"),
        reading(1, filter="^API_SECRET=q"),
    )
    assert "4: API_SECRET=<hidden:API_SECRET/.env>" in results[1]
    assert "4: API_SECRET=<hidden:API_SECRET/.env>" in results[2]
    assert "0 matching lines" in results[3]
    assert value not in str(await daemon.log(session))


async def test_a_fork_reads_what_its_parent_ran(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    session = await daemon.new_session(folder)
    await turn(daemon, mock, session, command("echo before the fork"))
    forked = await daemon.acall("session/fork", request={"sessionId": session})
    (text,) = await turn(daemon, mock, forked["sessionId"], reading(1))
    assert text.endswith("1: before the fork")
