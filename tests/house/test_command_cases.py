"""Cases D in a whole house: what a command can learn of its daemon, and what it can do to it."""

from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.house.test_command_outputs import command, turn
from tests.house.test_jobs import begin
from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import MockModel, Reply

SECRETS = {
    "DEEPSEEK_API_KEY": "sk-house-test-key-q1w2e3",
    "GH_TOKEN": "ghp_q1w2e3r4t5q1w2e3r4t5",
    "AWS_SESSION_TOKEN": "q1w2e3-session",
    "DATABASE_URL": "postgres://u:q1w2e3-password@h/x",
    "HD_TOKEN": "q1w2e3-token",
}


@pytest.mark.parametrize("line", ["env; export -p", "cat /proc/$PPID/environ | tr '\\0' '\\n'"])
async def test_d07_no_command_learns_what_the_daemon_was_started_with(
    mock: MockModel, tmp_path: Path, folder: Path, line: str
) -> None:
    environment = {**SECRETS, "DEEPSEEK_BASE_URL": mock.base_url, "LANG": "C.UTF-8"}
    with Daemon(tmp_path / "home", environment=environment) as daemon:
        session = await daemon.new_session(folder)
        (said,) = await turn(daemon, mock, session, command(f"({line}) 2>/dev/null | grep -a -e q1w2e3 -e LANG; true"))
        assert "q1w2e3" not in said
        # The names are not there either, so it is not the mask alone that keeps the values.
        assert not [name for name in SECRETS if f"{name}=" in said]


async def test_d05_a_flood_leaves_the_daemon_small_and_answering_and_can_be_stopped(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    session = await daemon.new_session(folder)
    await turn(daemon, mock, session, command("true"))
    process = psutil.Process(daemon.pid)
    before = process.memory_info().rss
    mock.add(command("yes"), Reply(text="never asked"))
    async with daemon.socket() as socket:
        follow, job = await begin(daemon, socket, session)
        output = await socket.open("job/follow", request={"jobId": job})
        await output.until(lambda item: item["type"] == "output" and item["next"] > 20_000_000)
        assert (await daemon.acall("process/tail", request={"sessionId": session, "number": 2, "lines": 2}))[
            "text"
        ] == "y\ny"
        await daemon.acall("session/cancel", request={"sessionId": session})
        await follow.until(ENDED)
    assert process.memory_info().rss - before < 96 << 20
    assert of(await daemon.log(session), "turn/end")[-1]["reason"]["kind"] == "aborted"
    kept = sum(entry.stat().st_size for entry in (daemon.home / "spill").iterdir())
    assert kept < 17 << 20
