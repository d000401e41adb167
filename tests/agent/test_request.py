"""What is recorded in front of a request: the tools that the model goes on with."""

from dataclasses import replace
from typing import Any

from hd.agent.history import HISTORY, History
from hd.agent.request import header_drafts, settled_tools
from hd.llm.models import DEFAULT
from hd.protocol.events import Event
from hd.protocol.tools import ToolSpec


def spec(name: str, description: str = "Does it.", **parameters: Any) -> ToolSpec:
    return ToolSpec(name, description, {"type": "object", "properties": parameters})


GREP, LS = spec("grep", pattern={"type": "string"}), spec("ls")


def told(*tools: ToolSpec) -> History:
    """A history whose last request had these tools."""
    selection = {"provider": "p", "model": DEFAULT.id}
    drafts = header_drafts(History(), selection, DEFAULT, tools, 0)
    return HISTORY.fold(Event(draft.type, seq, 1, draft.data) for seq, draft in enumerate(drafts))


def test_g05_new_tools_and_descriptions_wait_until_the_cache_is_lost_anyway() -> None:
    now = [replace(GREP, description="Does it better."), LS, spec("new")]
    assert settled_tools(told(GREP, LS), now, goes_on=True) == [GREP, LS]
    assert settled_tools(told(GREP, LS), now, goes_on=False) == now
    assert settled_tools(History(), now, goes_on=True) == now


def test_a_tool_that_is_gone_or_takes_other_arguments_cannot_wait() -> None:
    for now in ([GREP], [spec("grep", path={"type": "string"}), LS]):
        assert settled_tools(told(GREP, LS), now, goes_on=True) == now
