"""The verdict on a call is a function of the preset and of what the call would do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.permit.policy import Allow, Ask, decide
from hd.permit.presets import PresetName
from hd.tools.base import Access, Plan

READ_ONLY: PresetName = "read-only"
WORKSPACE: PresetName = "workspace-write"
FULL: PresetName = "danger-full-access"


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
        *((FULL, access, False) for access in Access),
    ],
)
def test_presets(preset: PresetName, access: Access, asks: bool) -> None:
    verdict = decide(preset, Plan(access, "a summary", detail="ls", paths=("a.py",)))
    assert isinstance(verdict, Ask if asks else Allow)


@pytest.mark.parametrize("path", ["/etc/hosts", "../other/a.py", "a/../../b", "/"])
def test_writing_outside_the_workspace_asks(path: str) -> None:
    plan = Plan(Access.WRITE, "write", paths=("inside.py", path))
    assert isinstance(decide(WORKSPACE, plan), Ask)
    assert decide(FULL, plan) == Allow()


@pytest.mark.parametrize(
    "command", ["cat a.py > b.py", "ls; rm x", "find . -delete", "git status", "echo '; ls' | tee x"]
)
def test_d09_in_read_only_every_command_asks(command: str) -> None:
    assert isinstance(decide(READ_ONLY, Plan(Access.EXECUTE, "run", detail=command)), Ask)


def test_reaching_beyond_the_workspace_asks_with_its_reason() -> None:
    verdict = decide(WORKSPACE, Plan(Access.EXECUTE, "run ls", detail="ls\n\n\n\nsudo rm x"))
    assert isinstance(verdict, Ask)
    assert "another user" in verdict.reason.en
    assert verdict.reason.zh


@given(st.text(), st.sampled_from(Access))
def test_every_command_gets_a_verdict(command: str, access: Access) -> None:
    for preset in (READ_ONLY, WORKSPACE, FULL):
        assert isinstance(decide(preset, Plan(access, command, detail=command, paths=(command,))), Allow | Ask)
