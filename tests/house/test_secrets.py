"""A secret value that a command prints reaches neither the model, nor the log, nor a client."""

from pathlib import Path

from tests.house.test_turns import ENDED, of
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

VALUE = "q8-Zp0-secret-value"


def command(line: str) -> Reply:
    return Reply(calls=[Call("run_command", {"command": line})])


LINES = (
    "grep . .env",
    "od -c < /dev/null; cat .e*",
    'cat ".en"v',
    "set -a; . ./.env; env",
    "python3 -c \"print(open('.env').read())\"",
    "cp .env x && cat x",
    "printf 'SECRET_TOKEN=%s%s' q8-Zp0 -secret-value > .env.new; cat .env.new",
)


async def test_c04_a_shell_reads_what_no_tool_may_and_the_value_is_hidden(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    (folder / ".env").write_text(f"API_SECRET={VALUE}\nNODE_ENV=development\n")
    async with daemon.socket() as socket:
        for line in LINES:
            mock.add(command(line), Reply(text="read"))
            session = await daemon.new_session(folder)
            follow = await socket.follow(session)
            await daemon.prompt(session, "look")
            await follow.until(ENDED)
            log = await daemon.log(session)
            (result,) = of(log, "tool/result")
            assert "<hidden:" in str(result), line
            assert VALUE not in str(log), line
            assert VALUE.encode() not in mock.requests[-1].body, line


async def test_c04_a_mark_is_not_written_over_the_value(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    (folder / ".env").write_text(f"API_SECRET={VALUE}\n")
    text = f"url = 'x'\nkey = '{VALUE}'\n"
    (folder / "settings.py").write_text(text)
    shown = "key = '<hidden:API_SECRET/.env>'\n"
    mock.add(
        Reply(calls=[Call("read_file", {"path": "settings.py"})]),
        Reply(calls=[Call("write_file", {"path": "settings.py", "content": f"url = 'y'\n{shown}"})]),
        command("echo '<hidden:API_SECRET/.env>' > settings.py"),
        Reply(calls=[Call("edit_file", {"path": "settings.py", "old_string": "'x'", "new_string": "'y'"})]),
        Reply(text="done"),
    )
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "change the url")
        await follow.until(ENDED)
    read, written, echoed, edited = of(await daemon.log(session), "tool/result")
    assert shown.strip() in str(read)
    assert written["error"]["code"] == echoed["error"]["code"] == "MASKED"
    assert "error" not in edited
    assert (folder / "settings.py").read_text() == text.replace("'x'", "'y'")
    assert VALUE not in str(edited)
