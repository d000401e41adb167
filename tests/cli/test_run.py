"""`hd run` in scripts (M01): exit codes, JSON lines and nothing else, and every way to be stopped."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.cli.oneshot import STATUS
from hd.errors import BUDGET, DENIED, DONE, FAILED, NEEDS_PERSON, PROVIDER
from hd.permit.presets import PRESETS
from hd.session.store.sqlite import SqliteStore
from tests.cli.command import Ran, environment, finish, hd, interrupt, loaded, start
from tests.cli.conftest import KEY

QUESTION = {"questions": [{"id": "q", "question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]}
ASKS = f"[[tool ask_user_question {msgspec.json.encode(QUESTION).decode()}]]"
DELETES = '[[tool delete_file {"path":"a.txt"}]]'
RESULT = {"type", "status", "exitCode", "sessionId", "text", "usage", "cost"}


def run(home: Path, folder: Path, model: dict[str, str], prompt: str, *more: str) -> Ran:
    return loaded("run", "--json", "--workspace", str(folder), *more, prompt, home=home, more=model)


def checked(ran: Ran) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The events, dense from the first on, and the result behind them."""
    *events, result = ran.lines()
    assert all(set(line) == {"type", "event"} and line["type"] == "event" for line in events)
    assert [line["event"]["seq"] for line in events] == list(range(len(events)))
    assert set(result) == RESULT
    assert (result["type"], result["exitCode"]) == ("result", ran.code)
    return [line["event"] for line in events], result


@pytest.mark.parametrize(
    ("prompt", "code", "status", "reason"),
    [
        ("[[say hello]]", DONE, "completed", "completed"),
        ("[[shell echo hi]]", DONE, "completed", "completed"),
        ("[[len]]", FAILED, "failed", "max-tokens"),
        (ASKS, NEEDS_PERSON, "needs-person", "aborted"),
        (DELETES, DENIED, "denied", "completed"),
        ("[[err 401]]", PROVIDER, "provider-failed", "error"),
        ("[[err 402]]", PROVIDER, "provider-failed", "error"),
        ("[[err 400]]", PROVIDER, "provider-failed", "error"),
    ],
)
def test_m01_every_end_has_its_code_and_its_lines(
    home: Path, folder: Path, model: dict[str, str], prompt: str, code: int, status: str, reason: str
) -> None:
    (folder / "a.txt").write_text("precious")
    ran = run(home, folder, model, prompt)
    assert (ran.code, ran.err) == (code, "")
    events, result = checked(ran)
    assert result["status"] == status
    assert events[-1]["type"] == "turn/end"
    assert events[-1]["data"]["reason"]["kind"] == reason
    assert (folder / "a.txt").exists()
    if code == DONE:
        assert result["text"]
    assert KEY not in ran.out


def test_what_is_allowed_beforehand_is_not_denied(home: Path, folder: Path, model: dict[str, str]) -> None:
    (folder / "a.txt").write_text("not so precious")
    ran = run(home, folder, model, DELETES, "--permission", "danger-full-access")
    assert ran.code == DONE
    assert not (folder / "a.txt").exists()


@pytest.mark.parametrize(
    "argv",
    [
        [],
        [""],
        [" \n"],
        ["--permission", "all", "hello"],
        ["--workspace", "{folder}/missing", "hello"],
        ["--workspace", "/dev/null", "hello"],
        ["--workspace", "", "--model", "", "hello"],
        ["--model", " ", "hello"],
        ["--nonsense", "hello"],
        ["one", "two"],
        ["hello \udcff"],
        ["--model", "\udcff", "hello"],
    ],
)
def test_a_command_line_that_is_none_starts_nothing(home: Path, folder: Path, argv: list[str]) -> None:
    ran = hd("run", "--demo", "--json", *(word.format(folder=folder) for word in argv), home=home)
    assert ran.code == 2
    ran.sentence()
    assert not home.exists()


def test_a_folder_that_is_gone_under_our_feet(home: Path, folder: Path, model: dict[str, str]) -> None:
    gone = f"cd {folder} && rmdir {folder} && exec {sys.executable} -P -m hd run '[[fast]]'"
    more = {**environment(home, model), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(gone, shell=True, env=more, capture_output=True, text=True)
    Ran(done.returncode, done.stdout, done.stderr).sentence()


def test_the_presets_of_the_help_are_those_that_there_are(home: Path) -> None:
    text = hd("run", "--help", home=home).out
    assert all(name in text for name in PRESETS)


@pytest.mark.parametrize("typed", ["[[say from a pipe]]", "[[say 你好 🎉]]\n", "[[say a\udcffb]]"])
def test_a_prompt_may_come_by_a_pipe(home: Path, folder: Path, model: dict[str, str], typed: str) -> None:
    arguments = ["run", "--json", "--workspace", str(folder), "-"]
    process = start(*arguments, home=home, more=model, stdin=subprocess.PIPE, errors="surrogateescape")
    ran = finish(process, typed)
    assert ran.code == DONE
    _, result = checked(ran)
    assert result["text"] == typed.strip().removeprefix("[[say ").removesuffix("]]").replace("\udcff", "\ufffd")


def test_an_empty_pipe_is_no_prompt(home: Path) -> None:
    assert hd("run", "-", home=home).code == 2
    assert hd("run", "-", home=home, typed="\n").code == 2
    assert not home.exists()


# Stopped.


@pytest.fixture
def stalled(home: Path, folder: Path, model: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A run in the middle of its turn."""
    process = start("run", "--json", "--workspace", str(folder), "[[stall]]", home=home, more=model)
    assert process.stdout is not None
    while "request/context" not in process.stdout.readline():
        pass
    yield process
    process.kill()
    finish(process)


@pytest.mark.parametrize("number", [2, 15, 1])
def test_m01_an_interrupted_run_ends_its_turn_and_says_130(stalled: "subprocess.Popen[str]", number: int) -> None:
    stalled.send_signal(number)
    ran = finish(stalled)
    assert (ran.code, ran.err) == (130, "")
    lines = ran.lines()
    assert lines[-2]["event"]["data"]["reason"]["kind"] == "aborted"
    assert (lines[-1]["status"], lines[-1]["exitCode"]) == ("cancelled", 130)


def test_a_run_may_be_interrupted_while_it_waits_for_the_next_attempt(
    home: Path, folder: Path, model: dict[str, str]
) -> None:
    process = start("run", "--json", "--workspace", str(folder), "[[err 503]]", home=home, more=model)
    assert process.stdout is not None
    while "llm/retry" not in process.stdout.readline():
        pass
    ran = interrupt(process)
    assert (ran.code, ran.err) == (130, "")


@pytest.mark.parametrize("more", [["--json"], []])
async def test_j22_a_reader_that_leaves_ends_the_run_quietly(
    home: Path, folder: Path, model: dict[str, str], more: list[str]
) -> None:
    process = start("run", *more, "--workspace", str(folder), "[[slow 5000 2]]", home=home, more=model)
    assert process.stdout is not None
    line = ""
    while "❯ [[slow" not in line and "user/message" not in line:
        line = process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    ran = finish(process)
    assert (ran.code, ran.err) == (FAILED, "")
    assert await last_reason(home) == "aborted"
    assert "Traceback" not in log_text(home)


def test_output_that_cannot_be_written_is_told(home: Path, folder: Path, model: dict[str, str]) -> None:
    with open("/dev/full", "w") as full:
        process = start("run", "--json", "--workspace", str(folder), "[[fast]]", home=home, more=model, stdout=full)
        ran = finish(process)
    assert ran.code == FAILED
    assert "No space left" in ran.sentence()


async def last_reason(home: Path) -> str:
    """How the one turn in this home ended."""
    store = await SqliteStore.open(home / "store" / "hd.db")
    (row,) = await store.sessions()
    (body,) = await store.events(row.id, from_seq=row.head)
    await store.close()
    return str(msgspec.json.decode(body)["data"]["reason"]["kind"])


def log_text(home: Path) -> str:
    """What the run logged; there is no file where it had nothing to say."""
    path = home / "logs" / "hd.log"
    return path.read_text() if path.exists() else ""


# The provider.


def test_m01_a_provider_that_fails_to_the_end_is_told_after_all_attempts(
    home: Path, folder: Path, model: dict[str, str]
) -> None:
    ran = run(home, folder, model, "[[err 503 0.05]]")
    assert (ran.code, ran.err) == (PROVIDER, "")
    events, result = checked(ran)
    assert result["status"] == "provider-failed"
    assert sum(event["type"] == "llm/retry" for event in events) == 5


def test_a_provider_that_is_down_is_told_at_once_and_tried_again(home: Path, folder: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
    down = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{port}"}
    process = start("run", "--workspace", str(folder), "hello", home=home, more=down)
    assert process.stdout is not None
    line = ""
    while not line.startswith("…"):
        line = process.stdout.readline()
    assert "connection" in line
    assert "Trying again" in line
    ran = interrupt(process)
    assert (ran.code, ran.err) == (130, "")
    assert KEY not in log_text(home) + ran.out


def test_a_key_that_cannot_be_used_is_told_and_no_demo_plays(home: Path, model: dict[str, str]) -> None:
    for command in (["run", "[[fast]]"], ["web", "--port", "0"]):
        ran = hd(*command, home=home, more={**model, "DEEPSEEK_API_KEY": "two words"})
        assert (ran.code, "DEEPSEEK_API_KEY" in ran.sentence()) == (2, True)
        assert "two words" not in ran.err + log_text(home)


def test_without_a_key_the_demo_says_that_it_is_one(home: Path, folder: Path) -> None:
    ran = hd("run", "--json", "--workspace", str(folder), "hello", home=home)
    assert (ran.code, ran.err.count("\n")) == (DONE, 1)
    assert "demo" in ran.err
    checked(ran)


# A budget.

UNPRICED = "of-no-known-price"


@pytest.mark.parametrize(("budget", "code", "requests"), [("0", BUDGET, 0), ("100", DONE, 2)])
def test_m01_a_budget_is_never_passed_by_a_request_that_could_have_waited(
    home: Path, folder: Path, model: dict[str, str], budget: str, code: int, requests: int
) -> None:
    ran = run(home, folder, model, "[[shell echo hi]]", "--budget", budget)
    assert (ran.code, ran.err) == (code, "")
    events, result = checked(ran)
    assert result["status"] == STATUS[code]
    assert (Decimal(result["cost"]["amount"]) > 0) == (requests > 0)
    assert sum(event["type"] == "assistant/message" for event in events) == requests
    if code == BUDGET:
        assert events[-1]["data"]["reason"]["error"]["code"] == "BUDGET"


def test_m01_an_answer_that_cost_more_than_was_expected_is_told(
    home: Path, folder: Path, model: dict[str, str]
) -> None:
    own_price(home, input="0", cacheRead="0", cacheWrite="0", output="1000000")
    ran = run(home, folder, model, f"[[say {'word ' * 1_000}]]", "--budget", "600", "--model", UNPRICED)
    assert ran.code == DONE
    spent = Decimal(checked(ran)[1]["cost"]["amount"])
    assert spent > 600
    assert ran.err == f"hd: The last answer cost more than was expected of it: {spent} of 600 CNY are spent.\n"


@pytest.mark.parametrize("budget", ["", "x", "-1", "nan", "inf", "1,5"])
def test_a_budget_that_is_none(home: Path, budget: str) -> None:
    ran = loaded("run", "--demo", f"--budget={budget}", "hello", home=home)
    assert (ran.code, "--budget" in ran.sentence()) == (2, True)
    assert not home.exists()


def test_a_budget_for_what_has_no_price_is_told_not_to_hold(home: Path, folder: Path, model: dict[str, str]) -> None:
    ran = run(home, folder, model, "[[fast]]", "--budget", "0", "--model", UNPRICED)
    assert ran.code == DONE
    assert ran.err == "hd: 1 of 1 requests have no known price, so the budget did not hold for them.\n"


def own_price(home: Path, **rates: str) -> None:
    entry = {
        "id": "mine",
        "provider": "deepseek-official",
        "model": UNPRICED,
        "from": "2020-01-01",
        "currency": "CNY",
        "source": "a contract",
        "timezone": "Asia/Shanghai",
        "weekdays": [],
        "windows": [],
        "peak": rates,
        "offPeak": rates,
    }
    home.mkdir(mode=0o700)
    (home / "prices.json").write_text(json.dumps([entry]))


def test_a_run_is_priced_by_the_homes_own_table(home: Path, folder: Path, model: dict[str, str]) -> None:
    own_price(home, **dict.fromkeys(("input", "cacheRead", "cacheWrite", "output"), "1000000"))
    ran = run(home, folder, model, "[[fast]]", "--budget", "100000", "--model", UNPRICED)
    assert (ran.code, ran.err) == (DONE, "")
    _, result = checked(ran)
    usage = result["usage"]
    used = usage["uncachedInputTokens"] + usage["cacheReadTokens"] + usage["outputTokens"]
    assert (result["cost"]["amount"], result["cost"]["exact"]) == (str(used), True)


# For people.


def test_the_question_that_ended_a_run_is_shown(home: Path, folder: Path, model: dict[str, str]) -> None:
    ran = hd("run", "--workspace", str(folder), ASKS, home=home, more=model)
    assert (ran.code, ran.err) == (NEEDS_PERSON, "")
    lines = ran.out.splitlines()
    asked = lines.index("? Which?")
    assert lines[asked + 1 : asked + 3] == ["    - a", "    - b"]
    assert re.search(r"^A person has to answer that\. .*`htui session-[0-9a-f-]+`\.$", ran.out, re.MULTILINE)
    assert lines[-1].startswith("— needs-person")


def test_what_people_read(home: Path, folder: Path, model: dict[str, str]) -> None:
    ran = hd("run", "--workspace", str(folder), "[[shell printf 'a\\033]0;x\\007b']]", home=home, more=model)
    assert (ran.code, ran.err) == (DONE, "")
    assert "run_command" in ran.out
    assert ran.out.splitlines()[-1].startswith("— completed")
    assert not [c for c in ran.out if ord(c) < 32 and c not in "\n\t"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_knows_few_letters_is_no_reason_to_fail(
    home: Path, folder: Path, model: dict[str, str], encoding: str
) -> None:
    more = {**model, "PYTHONIOENCODING": encoding}
    process = start("run", "--workspace", str(folder), "[[say 你好 🎉]]", home=home, more=more, errors="replace")
    ran = finish(process)
    assert (ran.code, ran.err) == (DONE, "")
    ran = hd("run", "--json", "--workspace", str(folder), "[[say 你好 🎉]]", home=home, more=more)
    assert checked(ran)[1]["text"] == "你好 🎉"
