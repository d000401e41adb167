"""Tool rows: a command that failed is seen to have failed."""

from hd.protocol.projections.transcript import Row
from htui.present.tool_row import tool_lines


def test_a_command_that_failed_does_not_look_green() -> None:
    row = Row("k", "tool", 1, 1, 1, name="run_command", arguments='{"command":"false"}', meta={"exitCode": 1})
    text = "".join(span.text for span in tool_lines(row, 80)[0])
    assert text == "✗ run_command · exit 1 · false"
