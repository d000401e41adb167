"""The verdict on a call is a function of the preset and of what the call would do."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.permit.policy import Allow, Ask, Deny, decide, mode_of
from hd.permit.presets import PresetName
from hd.permit.reasons import OPTION_UNKNOWN
from hd.protocol.projections.sandbox import Hold
from hd.tools.base import Access, Plan

READ_ONLY: PresetName = "read-only"
WORKSPACE: PresetName = "workspace-write"
FULL: PresetName = "danger-full-access"
HERE = Path("/home/me/site")


@pytest.mark.parametrize(
    "preset, access, asks",
    [
        (READ_ONLY, Access.READ, False),
        (READ_ONLY, Access.TALK, False),
        (READ_ONLY, Access.WRITE, True),
        (READ_ONLY, Access.DELETE, True),
        (READ_ONLY, Access.EXECUTE, True),
        (WORKSPACE, Access.READ, False),
        (WORKSPACE, Access.TALK, False),
        (WORKSPACE, Access.WRITE, False),
        (WORKSPACE, Access.DELETE, True),
        (WORKSPACE, Access.EXECUTE, False),
        (READ_ONLY, Access.TERMINAL, True),
        (WORKSPACE, Access.TERMINAL, True),
        *((FULL, access, False) for access in Access),
    ],
)
def test_presets(preset: PresetName, access: Access, asks: bool) -> None:
    verdict = decide(preset, Plan(access, "a summary", detail="ls", paths=("a.py",)), HERE)
    assert isinstance(verdict, Ask if asks else Allow)


@pytest.mark.parametrize("path", ["/etc/hosts", "../other/a.py", "a/../../b", "/"])
def test_writing_outside_the_workspace_asks(path: str) -> None:
    plan = Plan(Access.WRITE, "write", paths=("inside.py", path))
    assert isinstance(decide(WORKSPACE, plan, HERE), Ask)
    assert decide(FULL, plan, HERE) == Allow()


@pytest.mark.parametrize("path", ["a.py", "/home/me/site/a.py", "src/../a.py", "../site/a.py", "~/a.py"])
def test_a_place_in_the_workspace_is_known_by_any_of_its_names(path: str) -> None:
    assert decide(WORKSPACE, Plan(Access.WRITE, "write", paths=(path,)), HERE) == Allow()


@pytest.mark.parametrize("preset", [READ_ONLY, WORKSPACE, FULL])
def test_plan_mode_denies_all_but_reading(preset: PresetName) -> None:
    for access in Access:
        verdict = decide(preset, Plan(access, "a summary", detail="ls"), HERE, planning=True)
        assert isinstance(verdict, Allow if access in (Access.READ, Access.TALK) else Deny)


def test_a_command_may_name_its_workspace_in_full() -> None:
    assert decide(WORKSPACE, Plan(Access.EXECUTE, "run", detail="touch /home/me/site/a"), HERE) == Allow()
    assert isinstance(decide(WORKSPACE, Plan(Access.EXECUTE, "run", detail="touch /home/me/a"), HERE), Ask)


@pytest.mark.parametrize(
    "command", ["cat a.py > b.py", "ls; rm x", "find . -delete", "git status", "echo '; ls' | tee x"]
)
def test_d09_in_read_only_a_command_that_nobody_proved_asks(command: str) -> None:
    assert isinstance(decide(READ_ONLY, Plan(Access.EXECUTE, "run", detail=command), HERE), Ask)


@pytest.mark.parametrize("preset", [READ_ONLY, WORKSPACE, FULL])
def test_d09_what_is_proven_to_read_runs_in_plan_mode_and_read_only(preset: PresetName) -> None:
    plan = Plan(Access.EXECUTE, "run", detail="ls")
    assert decide(preset, plan, HERE, planning=True, doubt=lambda command: None) == Allow()
    assert decide(preset, plan, HERE, doubt=lambda command: None) == Allow()
    denied = decide(preset, plan, HERE, planning=True, doubt=lambda command: OPTION_UNKNOWN)
    assert isinstance(denied, Deny)
    assert denied.reason.en.startswith(OPTION_UNKNOWN.en)
    assert "plan mode" in denied.reason.en


def test_a_proof_counts_for_commands_alone() -> None:
    for access in (Access.WRITE, Access.DELETE):
        assert isinstance(decide(READ_ONLY, Plan(access, "x"), HERE, doubt=lambda command: None), Ask)
        assert isinstance(decide(FULL, Plan(access, "x"), HERE, planning=True, doubt=lambda command: None), Deny)


def test_reaching_beyond_the_workspace_asks_with_its_reason() -> None:
    verdict = decide(WORKSPACE, Plan(Access.EXECUTE, "run ls", detail="ls\n\n\n\nsudo rm x"), HERE)
    assert isinstance(verdict, Ask)
    assert "another user" in verdict.reason.en
    assert verdict.reason.zh


@given(st.text(), st.sampled_from(Access))
def test_every_command_gets_a_verdict(command: str, access: Access) -> None:
    for preset in (READ_ONLY, WORKSPACE, FULL):
        assert isinstance(decide(preset, Plan(access, command, detail=command, paths=(command,)), HERE), Allow | Ask)


@pytest.mark.parametrize("preset", [READ_ONLY, WORKSPACE, FULL])
@pytest.mark.parametrize("access", list(Access))
def test_plan_mode_lets_through_what_reads_or_talks_and_nothing_else(preset: PresetName, access: Access) -> None:
    verdict = decide(preset, Plan(access, "a summary", detail="ls", paths=("a.py",)), HERE, planning=True)
    assert isinstance(verdict, Allow if access in (Access.READ, Access.TALK) else Deny)


@pytest.mark.parametrize("preset", [READ_ONLY, WORKSPACE, FULL])
def test_while_a_plan_is_made_a_command_is_held_to_reading(preset: PresetName) -> None:
    plan = Plan(Access.EXECUTE, "run", detail="ls")
    assert mode_of(preset, plan, HERE, allowed=False, planning=True) == READ_ONLY
    assert mode_of(preset, plan, HERE, allowed=False) == preset


@pytest.mark.parametrize(
    ("preset", "hold", "most"),
    [
        (FULL, Hold("workspace-write"), WORKSPACE),
        (FULL, Hold(), FULL),
        (WORKSPACE, Hold("read-only"), READ_ONLY),
        (WORKSPACE, Hold("off"), WORKSPACE),
        (READ_ONLY, Hold("workspace-write"), READ_ONLY),
    ],
)
def test_what_a_person_holds_is_the_most_that_is_unasked_and_what_they_allowed_is_more(
    preset: PresetName, hold: Hold, most: PresetName
) -> None:
    runs, reaches = (Plan(Access.EXECUTE, "run", detail=command) for command in ("make", "touch /etc/x"))
    assert mode_of(preset, runs, HERE, allowed=False, hold=hold) == most
    assert mode_of(preset, runs, HERE, allowed=True, hold=hold) == WORKSPACE
    assert mode_of(preset, reaches, HERE, allowed=True, hold=hold) == FULL
    assert mode_of(preset, runs, HERE, allowed=False, planning=True, hold=hold) == READ_ONLY
