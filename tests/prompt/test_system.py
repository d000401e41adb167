import re

from hd.prompt.system import system_prompt
from hd.tools.table import default_tools

TOLD_ELSEWHERE = {"exit_plan_mode", "update_goal"}
"""The mode and the goal that they belong to explain them when they begin."""


def test_it_names_every_tool_and_no_other() -> None:
    named = set(re.findall(r"`([a-z_]+)`", system_prompt()))
    assert named == {spec.name for spec in default_tools().specs()} - TOLD_ELSEWHERE


def test_g05_it_is_the_same_text_every_time_and_holds_nothing_that_changes() -> None:
    text = system_prompt()
    assert text == system_prompt()
    assert not re.search(r"\b20\d\d\b|(?<![`\w])/[a-z]+/|workspace-write|read-only", text)
    assert len(text) < 8_000
