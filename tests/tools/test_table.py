"""The table of tools: fixed order, one tool a name, the same text in every process."""

import msgspec
import pytest

from hd.tools.kinds.run_command import RunCommand
from hd.tools.kinds.write_todos import WriteTodos
from hd.tools.table import ToolTable, default_tools

NAMES = [
    "ask_user_question",
    "create_directory",
    "delete_file",
    "edit_file",
    "exit_plan_mode",
    "grep",
    "kill_terminal",
    "list_files",
    "present",
    "read_command_output",
    "read_file",
    "read_problems",
    "rename_file",
    "run_command",
    "run_in_terminal",
    "search_files",
    "task_complete",
    "update_goal",
    "write_file",
    "write_summary",
    "write_todos",
]


def test_tools_are_sorted_and_found_by_name() -> None:
    todos, command = WriteTodos(), RunCommand()
    table = ToolTable([todos, command])
    assert [spec.name for spec in table.specs()] == ["run_command", "write_todos"]
    assert table.get("write_todos") is todos
    assert table.get("nothing") is None


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError):
        ToolTable([RunCommand(), RunCommand()])


def test_g05_the_standard_tools_are_the_same_bytes_every_time() -> None:
    specs = default_tools().specs()
    assert [spec.name for spec in specs] == NAMES
    assert msgspec.json.encode([spec.to_wire() for spec in specs]) == msgspec.json.encode(
        [spec.to_wire() for spec in default_tools().specs()]
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_explains_itself(name: str) -> None:
    tool = default_tools().get(name)
    assert tool is not None
    assert len(tool.spec.description) > 40
    assert tool.spec.parameters["type"] == "object"
    assert "$ref" not in msgspec.json.encode(tool.spec.parameters).decode()
