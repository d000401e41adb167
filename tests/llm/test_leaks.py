"""Calls written as text are known, and texts that speak of them are not taken for calls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.leaks import has_leaked_call

TOOLS = ("read_file", "run_command")
XML = '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>'


@pytest.mark.parametrize(
    "text",
    [
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{}\n```<｜tool▁call▁end｜>",
        'Now:\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">',
        "I look.<｜tool▁sep｜>",
        "<|tool_calls_begin|>read_file",
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        '<tool_call>read_file\n{"path": "a"}',
        f"I look.\n  {XML}",
        f"`cat a` shows it.\n{XML}",
        "<function=run_command>\n<parameter=command>ls</parameter>",
        '[TOOL_CALLS][{"name": "run_command", "arguments": {}}]',
    ],
)
def test_a_call_as_text_is_known(text: str) -> None:
    assert has_leaked_call(text, TOOLS)
    assert not has_leaked_call(text, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing of the kind.",
        "The mark `<｜tool▁calls▁begin｜>` begins the calls.",
        f"It looks so:\n```xml\n{XML}\n```\nThat is all.",
        f"It looks so:\n~~~\n{XML}",
        "Use the <tool_call> tag for read_file.",
        '<invoke name="delete_world">\nis what another agent has.',
        "In F#, `List.iter` takes f <| tool_call and so on.",
        "a < tool_calls and b > read_file",
        "<details>\nread_file\n</details>",
        "[1] read_file",
    ],
)
def test_a_text_about_calls_is_a_text(text: str) -> None:
    assert not has_leaked_call(text, TOOLS)


@given(st.text("<>｜|`~\n▁_ atol[]=\"'/", max_size=60))
def test_no_text_breaks_it_and_code_hides_all(text: str) -> None:
    assert has_leaked_call(text, TOOLS) in (True, False)
    assert not has_leaked_call("````\n" + text.replace("````", "") + "\n````", TOOLS)
