import re

from hd.prompt.system import system_prompt

TOOLS = {
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "search_files",
    "grep",
    "create_directory",
    "rename_file",
    "delete_file",
    "run_command",
    "write_todos",
    "ask_user_question",
    "present",
}


def test_it_names_every_tool_and_no_other() -> None:
    named = set(re.findall(r"`([a-z_]+)`", system_prompt()))
    assert named == TOOLS


def test_g05_it_is_the_same_text_every_time_and_holds_nothing_that_changes() -> None:
    text = system_prompt()
    assert text == system_prompt()
    assert not re.search(r"\b20\d\d\b|(?<![`\w])/[a-z]+/|workspace-write|read-only", text)
    assert len(text) < 8_000
