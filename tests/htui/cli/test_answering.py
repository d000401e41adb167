"""One-line answers (row X10): what waits is shown whole, and only that is answered."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.protocol import events as ev
from htui.cli.answering import Unfit, answered
from htui.cli.needs import json_of, text_of
from htui.cli.waiting import Need, NothingWaits, Waiting
from htui.mirror import PendingAsk
from htui.present.approval import card
from htui.present.question import begin
from htui.present.safe import gate
from tests.support.daemon import ROOT, Daemon, is_event
from tests.support.model_process import model_url as model_url

DELETES = '[[tool delete_file {"path":"a.txt"}]]'
QUESTIONS = [
    {"id": "q1", "question": "Which?", "options": [{"label": "one"}, {"label": "two", "description": "more"}]},
    {"id": "q2", "question": "Which ones?", "multi_select": True, "options": [{"label": c} for c in "abc"]},
    {"id": "q3", "question": "Why?", "options": [{"label": "so"}, {"label": "so?"}]},
]
ASKS = f"[[tool ask_user_question {msgspec.json.encode({'questions': QUESTIONS}).decode()}]]"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, model_url: str) -> Iterator[Daemon]:
    environment = {"DEEPSEEK_API_KEY": "sk-one-line-answers", "DEEPSEEK_BASE_URL": model_url}
    with Daemon(tmp_path_factory.mktemp("home") / "h", environment=environment) as running:
        yield running


class Phone:
    """Runs `htui` as one types it over SSH."""

    def __init__(self, daemon: Daemon, folder: Path) -> None:
        keep = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        self._env = {**keep, "HD_HOME": str(daemon.home), "HTUI_AUTH_DIR": str(folder / "auth")}

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "htui", *arguments]
        ran = subprocess.run(command, cwd=ROOT, env=self._env, capture_output=True, text=True, timeout=60)
        return ran.returncode, ran.stdout, ran.stderr

    def needs(self) -> list[dict[str, Any]]:
        return list(msgspec.json.decode(self("needs", "--json")[1])["items"])


async def asked(daemon: Daemon, folder: Path, prompt: str) -> str:
    """A session that waits for an answer to this."""
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        events = await socket.open("$events")
        await daemon.prompt(session, prompt)
        await events.until(lambda item: item.get("type") == "waterfall" and item.get("agentId") == session)
    return session


async def ended(daemon: Daemon, session: str) -> list[dict[str, Any]]:
    """Its log once its turn is over."""
    async with daemon.socket() as socket:
        stream = await socket.follow(session)
        first = await stream.item()
        if not any(record["event"]["type"] == ev.TURN_END for record in first["records"]):
            await stream.until(is_event(ev.TURN_END))
    return await daemon.log(session)


async def test_x10_an_approval_is_shown_whole_and_given_from_a_phone(daemon: Daemon, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("gone soon\n")
    phone = Phone(daemon, tmp_path)
    assert await asyncio.to_thread(phone, "needs") == (0, "Nothing waits.\n", "")
    session = await asked(daemon, folder, DELETES)
    code, out, err = await asyncio.to_thread(phone, "needs")
    assert (code, err) == (3, "")
    assert "Allow delete_file?" in out
    assert "a.txt (10 bytes)" in out
    assert str(folder) in out
    (need,) = await asyncio.to_thread(phone.needs)
    assert (need["kind"], need["tool"], need["sessionId"]) == ("approval", "delete_file", session)
    assert f"→ htui allow {need['id']} · htui deny {need['id']}" in out
    assert (await asyncio.to_thread(phone, "answer", need["id"], "1"))[0] == 2
    assert (await asyncio.to_thread(phone, "allow", "zzzzz")) == (
        1,
        "",
        "htui: Nothing that waits is called zzzzz: it was answered, or is not what it was. htui needs lists it.\n",
    )
    assert await asyncio.to_thread(phone, "allow", need["id"][:4]) == (0, "Allowed: delete_file\n", "")
    await ended(daemon, session)
    assert not (folder / "a.txt").exists()
    assert (await asyncio.to_thread(phone, "deny", need["id"]))[0] == 1


@pytest.mark.long
async def test_x10_what_is_denied_is_not_done_and_questions_are_answered_as_a_set(
    daemon: Daemon, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("stays\n")
    phone = Phone(daemon, tmp_path)
    session = await asked(daemon, folder, DELETES)
    (need,) = await asyncio.to_thread(phone.needs)
    code, out, _ = await asyncio.to_thread(phone, "deny", need["id"], "--json")
    assert (code, msgspec.json.decode(out)["answered"]) == (0, True)
    await ended(daemon, session)
    assert (folder / "a.txt").exists()
    session = await asked(daemon, folder, ASKS)
    (need,) = await asyncio.to_thread(phone.needs)
    assert [question["question"] for question in need["questions"]] == ["Which?", "Which ones?", "Why?"]
    assert (await asyncio.to_thread(phone, "answer", need["id"], "2", "1,3"))[0] == 2
    assert (await asyncio.to_thread(phone, "answer", need["id"], "2", "1,3", "because"))[0] == 0
    log = await ended(daemon, session)
    (said,) = [event["data"] for event in log if event["type"] == ev.QUESTION_DECIDED]
    answers = {answer["id"]: (answer["selected"], answer.get("custom")) for answer in said["answers"]}
    assert answers == {"q1": (["two"], None), "q2": (["a", "c"], None), "q3": ([], "because")}


async def test_x10_an_ask_that_changed_or_was_answered_elsewhere_is_not_answered(
    daemon: Daemon, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("x\n")
    phone = Phone(daemon, tmp_path)
    session = await asked(daemon, folder, DELETES)
    (need,) = await asyncio.to_thread(phone.needs)
    await daemon.acall("session/cancel", request={"sessionId": session})
    await ended(daemon, session)
    session = await asked(daemon, folder, DELETES)
    (other,) = await asyncio.to_thread(phone.needs)
    assert other["id"] != need["id"]
    assert (await asyncio.to_thread(phone, "allow", need["id"]))[0] == 1
    assert (await asyncio.to_thread(phone, "deny", other["id"]))[0] == 0


def need_of(request: dict[str, Any], *, kind: str = "question") -> Need:
    ask = PendingAsk("e1", kind, "s1", request, 0)  # type: ignore[arg-type]
    shown = card(request, None) if kind == "approval" else None
    return Need("abcde", ask, None, shown, begin(request).questions if shown is None else (), 0)


@pytest.mark.parametrize(
    ("given", "selected", "custom"),
    [
        (["1", "a", "2"], (["one"], ["a"], ["so?"]), (None, None, None)),
        (["TWO", "2,3,2", "SO"], (["two"], ["b", "c"], ["so"]), (None, None, None)),
        (["neither", "none of them", "1, 2 and more"], ([], [], []), ("neither", "none of them", "1, 2 and more")),
    ],
)
def test_answers_are_numbers_labels_or_words(given: list[str], selected: Any, custom: Any) -> None:
    questions = [{**question, "multiSelect": question.get("multi_select", False)} for question in QUESTIONS]
    outcome = answered(need_of({"questions": questions}), given)
    answers = outcome["value"]["answers"]
    assert tuple(answer["selected"] for answer in answers) == selected
    assert tuple(answer.get("custom") for answer in answers) == custom


@pytest.mark.parametrize("given", [["1"], ["9", "1", "1"], ["1,2", "1", "1"], ["", "1", "1"], ["0", "1", "1"]])
def test_an_answer_that_does_not_fit_is_told_and_not_sent(given: list[str]) -> None:
    with pytest.raises(Unfit):
        answered(need_of({"questions": QUESTIONS}), given)


def test_ids_are_found_by_a_clear_beginning_only() -> None:
    needs = [Need(id, PendingAsk("e", "question", "s", {}, 0), None, None, (), 0) for id in ("abcde", "abcxy")]
    waiting = Waiting(None, "", needs, set())  # type: ignore[arg-type]
    assert waiting.find(" ABCD").id == "abcde"
    for wanted in ("abc", "ab", "", "zzz"):
        with pytest.raises(NothingWaits):
            waiting.find(wanted)


def test_j18_nothing_raw_of_an_ask_is_printed() -> None:
    request = {"toolName": "run_command\x1b[2J", "arguments": {"command": "rm -rf \u202e/\x9b31m"}, "reason": "\x07why"}
    shown = text_of(need_of(request, kind="approval"), 0)
    assert gate(shown.replace("\n", "")) == shown.replace("\n", "")
    assert "⟨202E⟩" in shown


def test_j18_nothing_raw_of_an_ask_is_printed_as_json_and_nothing_is_lost() -> None:
    label = "\x9b31m\u202e\U000e0041"
    need = need_of({"questions": [{"id": "q", "question": "Which?", "options": [{"label": label}]}]})
    printed = json_of([need])
    assert printed.isascii()
    assert printed.rstrip("\n").isprintable()
    (item,) = msgspec.json.decode(printed)["items"]
    assert item["questions"][0]["options"][0]["label"] == label
