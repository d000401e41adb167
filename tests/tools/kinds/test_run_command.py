"""run_command: what the model is told about a run, and what a person is shown before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from hd.process.run import Ran, Runner
from hd.process.survivors import Survivor
from hd.tools.base import Access, InvalidArguments, Outcome, ToolContext, ToolError
from hd.tools.bounds import DISTILLED, LIMIT
from hd.tools.kinds.run_command import RunCommand, report

TOOL = RunCommand()


@dataclass(frozen=True)
class Free:
    """Runs commands that nothing holds."""

    runner: Runner

    async def run(self, command: str, *, cwd: Path, run_id: str, mode: str, timeout_s: float = 60) -> Ran:
        return await self.runner.run(command, cwd=cwd, run_id=run_id, timeout_s=timeout_s)


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    runner = Runner(mark="home", spills=tmp_path / "spills", parent={"PATH": "/usr/local/bin:/usr/bin:/bin"})

    async def ask(questions: Any) -> Mapping[str, Any]:
        raise AssertionError("a command asks nobody")

    return ToolContext(workspace, cast(Any, None), Free(runner), ask, "call_1")


async def run(context: ToolContext, command: str, **more: Any) -> Outcome:
    return await TOOL.run({"command": command, **more}, context)


def ran(output: str = "", exit_code: int | None = 0, **more: Any) -> Ran:
    fields: dict[str, Any] = {
        "truncated": False,
        "timed_out": False,
        "survivors": (),
        "duration_ms": 1,
        "length": len(output),
    }
    return Ran(exit_code, output, **(fields | more))


@pytest.mark.parametrize(
    "command, text",
    [
        ("echo hi", "hi"),
        ("printf hi", "hi"),
        ("echo; echo hi; echo", "\nhi"),
        ("true", "(no output)"),
        ("exit 3", "(no output)\n[exit code: 3]"),
        ("echo out; exit 1", "out\n[exit code: 1]"),
        ("pwd | xargs basename", "workspace"),
    ],
)
async def test_d04_output_and_exit_code(context: ToolContext, command: str, text: str) -> None:
    assert (await run(context, command)).text == text


async def test_the_meta_is_for_clients(context: ToolContext) -> None:
    outcome = await run(context, "exit 2")
    assert outcome.meta is not None
    assert outcome.meta["durationMs"] >= 0
    assert {**outcome.meta, "durationMs": 0} == {
        "cwd": str(context.workspace),
        "command": "exit 2",
        "exitCode": 2,
        "durationMs": 0,
    }
    assert outcome.events == ()


async def test_a_time_limit_is_told(context: ToolContext) -> None:
    outcome = await run(context, "echo begun; sleep 99", timeout_s=1)
    assert outcome.text.startswith("begun\n[timed out after 1 s")
    assert outcome.meta is not None
    assert outcome.meta["exitCode"] is None


async def test_d01_what_was_left_running_is_told(context: ToolContext) -> None:
    text = (await run(context, "sleep 300 & echo done")).text
    assert text.startswith("done\n[1 background process ended: ")
    assert text.endswith(" sleep 300]")


def test_d01_what_runs_on_is_told_with_its_ports() -> None:
    survivors = (Survivor(7, "npm run dev", (5173, 5174)), Survivor(8, "sleep 9"))
    told = "runs on until the turn ends: 7 npm run dev (port 5173, 5174)"
    assert report(ran("ok\n", survivors=survivors[:1], left=True), 60) == f"ok\n[1 background process {told}]"
    told = "run on until the turn ends: 7 npm run dev (port 5173, 5174); 8 sleep 9"
    assert report(ran("ok\n", survivors=survivors, left=True), 60) == f"ok\n[2 background processes {told}]"


def test_many_survivors_are_counted() -> None:
    survivors = tuple(Survivor(pid, "x\ny" * 200) for pid in range(1, 21))
    text = report(ran("ok\n", survivors=survivors), 120)
    assert "[20 background processes ended: 1 x (+" in text
    assert text.endswith("; 15 more]")
    assert len(text) < 1500


async def test_d05_a_long_output_is_cut_and_says_how_to_see_more(context: ToolContext) -> None:
    text = (await run(context, "seq 400000; exit 1")).text
    assert len(text) <= LIMIT
    lines = text.splitlines()
    assert lines[0] == "1"
    assert lines[-3] == "400000"
    assert lines[-2].startswith("[output cut: 2,688,895 characters in all; ")
    assert "| grep" in lines[-2]
    assert lines[-1] == "[exit code: 1]"


def test_d05_an_output_that_only_the_model_gets_shortened_is_cut_too(tmp_path: Path) -> None:
    """And no file is named that no tool would read."""
    text = report(ran("x" * 100_000, spill=tmp_path / "run.log", spill_whole=True, number=7), 120)
    assert "`read_command_output` with cmd_id 7" in text
    assert text.endswith("[cmd #7]")
    assert len(text) <= DISTILLED + 500
    assert "[output cut: 100,000 characters in all; " in text
    assert str(tmp_path) not in text
    capped = report(ran("x" * 100_000, length=99_000_000, truncated=True), 120)
    assert "[output cut: 99,000,000 characters in all; " in capped


def test_h18_of_a_long_output_that_can_be_read_by_its_number_the_telling_lines_are_shown(tmp_path: Path) -> None:
    lines = [f"checking item {number} of the list" for number in range(5_000)]
    lines[2_000] = "src/app.py:12: error: it is None"
    text = report(ran("\n".join(lines), spill=tmp_path / "run.log", spill_whole=True, number=7), 120)
    assert "src/app.py:12: error: it is None" in text
    assert len(text) <= DISTILLED + 500
    # Where it is not kept, nothing may be left out that the model could not get back.
    assert len(report(ran("\n".join(lines)), 120)) > 50_000


def test_e03_the_plan_is_the_command_itself(context: ToolContext) -> None:
    plan = TOOL.plan({"command": "rm -rf build"}, context)
    assert (plan.access, plan.summary, plan.detail) == (Access.EXECUTE, "run rm -rf build", "rm -rf build")


def test_e01_a_summary_says_that_there_is_more(context: ToolContext) -> None:
    command = "ls" + "\n" * 200 + "curl x|sh"
    plan = TOOL.plan({"command": command}, context)
    assert plan.summary == "run ls (+200 more lines)"
    assert plan.detail == command
    assert len(TOOL.plan({"command": "x" * 8000}, context).summary) < 200


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"command": ""},
        {"command": "  \n"},
        {"command": 1.5e300, "x": 1},
        {"command": "a\0b"},
        {"command": "ls", "timeout_s": 0},
        {"command": "ls", "timeout_s": 1e9},
        {"command": "ls", "description": "list files"},
    ],
)
async def test_arguments_that_do_not_fit_are_refused(context: ToolContext, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments):
        TOOL.plan(arguments, context)
    with pytest.raises(InvalidArguments):
        await TOOL.run(arguments, context)


@pytest.mark.parametrize("command", [": " + "x" * 3_000_000, "echo \udcff\ud800"])
async def test_a_command_that_cannot_be_started_is_an_error(context: ToolContext, command: str) -> None:
    with pytest.raises(ToolError) as caught:
        await run(context, command)
    assert caught.value.code == "COMMAND_NOT_STARTED"
    assert len(caught.value.message) < 500


async def test_a_workspace_that_is_gone_is_named(context: ToolContext) -> None:
    context.workspace.rmdir()
    with pytest.raises(ToolError) as caught:
        await run(context, "ls")
    assert caught.value.message == (
        f"The workspace {context.workspace} is gone, so the command could not be started. Nothing was run."
    )


def test_the_schema_names_what_may_be_left_out() -> None:
    parameters = TOOL.spec.parameters
    assert parameters["required"] == ["command"]
    assert set(parameters["properties"]) == {"command", "timeout_s"}
    assert TOOL.spec.description


def test_what_the_sandbox_kept_it_from_is_told() -> None:
    blocked = ran("sh: /etc/x: Permission denied\n", 2, blocked="writing outside the workspace is blocked")
    assert report(blocked, 60).splitlines()[1:] == [
        "[exit code: 2]",
        "[sandbox: writing outside the workspace is blocked]",
    ]
