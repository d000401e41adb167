"""The demo: real tool calls, and reports of what the tools really returned."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.base import Chunk, Provider, Request
from hd.llm.demo import Demo
from hd.llm.demo_plan import next_step
from hd.llm.demo_text import entries, file_in_words, quoted, unnumbered, worth_reading
from hd.protocol.messages import Message, context_message, system_message, tool_message
from hd.protocol.tools import ToolSpec
from tests.llm.ask import answered, check_order, ended, human

Tool = Callable[[Mapping[str, Any]], str]

FILES = {
    "README.md": "# Shop\n\n## Use\nRun it.\n",
    "shop.py": "import os\nfrom json import dumps\n\nclass Till:\n    def total(self):\n        return 'price'\n",
}


class Refused(Exception):
    pass


def read_file(arguments: Mapping[str, Any]) -> str:
    if arguments["path"] not in FILES:
        raise Refused(f"Error: there is no file {arguments['path']}")
    lines = FILES[arguments["path"]].splitlines()
    heading = f"[{arguments['path']}: CRLF line endings, which stay as they are: send plain newlines]"
    return "\n".join([heading, *(f"{number}: {line}" for number, line in enumerate(lines, 1))])


def grep(arguments: Mapping[str, Any]) -> str:
    pattern = arguments["pattern"]
    hits = [
        f"{path}:{number}: {line}"
        for path, text in FILES.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern in line
    ]
    return "\n".join(hits) or "No line matches (2 files searched; ignored folders are not)."


TOOLS: dict[str, Tool] = {
    "list_files": lambda _: "./\n  .git/  (ignored)\n  src/\n  README.md  30 bytes\n  shop.py  1,024 bytes",
    "read_file": read_file,
    "grep": grep,
    "edit_file": lambda arguments: f"Changed {arguments['path']}.",
    "write_file": lambda arguments: f"Wrote {len(arguments['content'])} characters.",
    "run_command": lambda arguments: f"$ {arguments['command']}\nhello\n[exit 0]",
    "ask_user_question": lambda _: "choice: Tea",
    "write_todos": lambda arguments: f"{len(arguments['todos'])} items.",
}


@dataclass
class Session:
    """A conversation with the demo, its tools played by functions."""

    tools: Mapping[str, Tool] = field(default_factory=lambda: TOOLS)
    provider: Provider = field(default_factory=lambda: Demo(pace_s=0))
    messages: list[Message] = field(default_factory=lambda: [system_message("You are a demo.")])
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    async def turn(self, prompt: str, effort: str | None = None) -> str:
        """Plays a turn to its end and gives the last text."""
        self.messages += [human(prompt), context_message("runtime-context", "It is Monday.")]
        for _ in range(10):
            specs = [ToolSpec(name, "", {"type": "object"}) for name in self.tools]
            request = Request("demo", self.messages, specs, effort=effort)
            chunks = [chunk async for batch in self.provider.stream(request) for chunk in batch]
            check_order(chunks)
            self.chunks += chunks
            blocks = ended(chunks)
            self.messages.append(answered(*blocks))
            calls = [block for block in blocks if block["type"] == "tool-call"]
            assert chunks[-1]["reason"]["kind"] == ("tool-calls" if calls else "stop")
            if not calls:
                return "".join(block["text"] for block in blocks if block["type"] == "text")
            for call in calls:
                self._run(call)
        raise AssertionError("the turn does not end")

    def _run(self, call: Mapping[str, Any]) -> None:
        arguments = json.loads(call["arguments"])
        self.calls.append((call["name"], arguments))
        try:
            text, failed = self.tools[call["name"]](arguments), False
        except Refused as problem:
            text, failed = str(problem), True
        self.messages.append(tool_message(call["id"], text, is_error=failed))


async def test_it_says_once_that_it_is_a_script() -> None:
    session = Session()
    await session.turn("run `echo hello`")
    notices = sum("no model is called" in str(message) for message in session.messages)
    await session.turn("tour")
    assert notices == sum("no model is called" in str(message) for message in session.messages) == 1


async def test_what_it_does_not_understand_gets_its_abilities_and_a_tour() -> None:
    session = Session()
    text = await session.turn("Please rewrite everything in a better way!")
    assert [name for name, _ in session.calls] == ["list_files", "read_file"]
    assert session.calls[1][1]["path"] == "README.md"
    assert "4 entries" in text
    assert "`Shop`" in text
    assert "explain FILE" in str(session.messages[3])


@pytest.mark.parametrize("prompt", ["tour", "Give me a TOUR", "What is here?"])
async def test_a_tour(prompt: str) -> None:
    session = Session()
    await session.turn(prompt)
    assert [name for name, _ in session.calls] == ["list_files", "read_file"]
    assert "I only understand" not in str(session.messages)


@pytest.mark.parametrize("prompt", ["find total", "Find `total`", "please search for 'total'", 'grep "total"'])
async def test_find(prompt: str) -> None:
    session = Session()
    text = await session.turn(prompt)
    assert session.calls == [("grep", {"pattern": "total"})]
    assert "1 line(s)" in text
    assert "shop.py:5" in text


async def test_find_escapes_and_takes_a_place() -> None:
    session = Session()
    text = await session.turn("find a.b(c) in src")
    assert session.calls == [("grep", {"pattern": r"a\.b\(c\)", "path": "src"})]
    assert "found no line" in text


@pytest.mark.parametrize("prompt", ["explain shop.py", "Explain the file `shop.py`.", "describe shop.py?"])
async def test_explain(prompt: str) -> None:
    session = Session()
    text = await session.turn(prompt)
    assert session.calls == [("read_file", {"path": "shop.py"})]
    for fact in ("6 lines", "5 of them", "`Till`", "`total`", "`os`", "`json`"):
        assert fact in text


async def test_an_error_of_a_tool_is_told_and_ends_the_script() -> None:
    session = Session()
    text = await session.turn("replace a with b in nowhere.txt")
    assert [name for name, _ in session.calls] == ["read_file"]
    assert "answered with an error" in text
    assert "there is no file nowhere.txt" in text


@pytest.mark.parametrize("prompt", ["replace 'price' with 'cost' in shop.py", "Change price to cost in `shop.py`."])
async def test_replace(prompt: str) -> None:
    session = Session()
    text = await session.turn(prompt)
    edit = {"path": "shop.py", "old_string": "price", "new_string": "cost", "replace_all": True}
    assert session.calls == [
        ("read_file", {"path": "shop.py"}),
        ("edit_file", edit),
        ("grep", {"pattern": "cost", "path": "shop.py"}),
    ]
    assert "Changed shop.py." in text
    assert "finds 0 line(s)" in text  # What the search returned, not what the edit promised.


async def test_replace_changes_nothing_where_there_is_nothing() -> None:
    session = Session()
    assert "I change nothing" in await session.turn("replace zebra with horse in shop.py")
    assert [name for name, _ in session.calls] == ["read_file"]


async def test_run() -> None:
    session = Session()
    text = await session.turn('run `echo "a" && ls`')
    assert session.calls == [("run_command", {"command": 'echo "a" && ls'})]
    assert "[exit 0]" in text


async def test_ask_repeats_the_choice() -> None:
    session = Session()
    text = await session.turn("Ask me to choose between Tea, Coffee or Water")
    (question,) = session.calls[0][1]["questions"]
    assert [option["label"] for option in question["options"]] == ["Tea", "Coffee", "Water"]
    assert "choice: Tea" in text


async def test_think_streams_a_long_reasoning_unless_thinking_is_off() -> None:
    session = Session()
    await session.turn("think aloud about caching")
    reasoning = next(block["text"] for block in ended(session.chunks) if block["type"] == "reasoning")
    assert len(reasoning.split()) > 150
    assert "caching" in reasoning
    quiet = Session()
    await quiet.turn("think about caching", effort="off")
    assert all(block["type"] != "reasoning" for block in ended(quiet.chunks))


async def test_todo_writes_three_items() -> None:
    session = Session()
    await session.turn("todo buy milk, feed cat")
    rows = session.calls[0][1]["todos"]
    assert [row["text"] for row in rows] == ["buy milk", "feed cat", "Check the result"]
    assert [row["status"] for row in rows] == ["in_progress", "pending", "pending"]


async def test_write() -> None:
    session = Session()
    await session.turn("write notes/a.md: Hello\n\nworld")
    assert session.calls == [("write_file", {"path": "notes/a.md", "content": "Hello\n\nworld\n"})]


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    session = Session(tools={})
    assert "does not offer that tool" in await session.turn("run ls")


async def test_several_turns_and_unique_ids() -> None:
    session = Session()
    for prompt in ("tour", "find total", "tour"):
        await session.turn(prompt)
    ids = [block["id"] for block in ended(session.chunks) if block["type"] == "tool-call"]
    assert len(ids) == len(set(ids)) == 5


async def test_usage_is_an_estimate_that_knows_the_prefix() -> None:
    session = Session()
    await session.turn("tour")
    usages = [chunk["usage"] for chunk in session.chunks if chunk["type"] == "usage"]
    assert usages[0]["cacheReadTokens"] == 0
    assert all(usage["cacheReadTokens"] > usage["inputTokens"] for usage in usages[2:])
    for usage in usages:
        assert usage["inputTokens"] + usage["outputTokens"] + usage["cacheReadTokens"] == usage["totalTokens"]


async def test_a_pace_sends_word_by_word() -> None:
    request = Request("demo", [system_message(""), human("run ls")])
    batches = [batch async for batch in Demo(pace_s=1e-9).stream(request)]
    assert all(len(batch) == 1 for batch in batches)
    assert len(batches) > 10


async def test_the_catalogue() -> None:
    demo = Demo()
    (model,) = (await demo.catalogue()).models
    assert model == demo.model(demo.default_model)
    assert demo.model("other").id == "other"


def test_a_summary_and_a_title_come_from_the_prompts() -> None:
    messages = [human("Please look at the price of tea in here"), answered({"type": "text", "text": "Yes."})]
    title = next_step([*messages, context_message("session-title", "Name it")], ()).text
    assert title == "Please look at the price of"
    assert "- Please look" in next_step([*messages, context_message("compact", "Summarise")], ()).text


@given(st.text(max_size=60))
def test_any_prompt_gets_an_answer_with_valid_calls(prompt: str) -> None:
    step = next_step([system_message(""), human(prompt)], set(TOOLS))
    assert step.text
    assert len(step.calls) <= 1


def test_line_numbers_are_told_from_content() -> None:
    assert unnumbered("  1\tone\n  2\ttwo\n(2 lines)") == "one\ntwo"
    assert unnumbered("one\n2: two\nthree") == "one\n2: two\nthree"


def test_listings_of_several_forms() -> None:
    assert entries("├── src/\n│   └── a.py  (2 kB)\n- b.md (1 kB)\nThere are 3:") == ["src/", "a.py", "b.md"]
    assert worth_reading(["src/", "a.py", "docs/ReadMe.md"]) == "docs/ReadMe.md"
    assert worth_reading(["a.bin", "b.toml"]) == "b.toml"
    assert worth_reading(["a.bin"]) is None


def test_a_quotation_cannot_be_ended_by_its_content() -> None:
    assert quoted("a\n```\nb").startswith("````\n")
    assert quoted("\n".join("abcdef"), 2).splitlines() == ["```", "a", "b", "… 4 more lines", "```"]


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert "It is empty" in file_in_words("a.txt", "")
