"""Which guidance is told, when, and once."""

from typing import Any

import pytest
from hypothesis import given, settings

from hd.prompt.guidance import ENOUGH, GUIDANCE, GUIDANCE_KIND, Guidance, chunks, due, parse, render
from hd.prompt.heard import Table, heard_in
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace, Surface
from hd.protocol.messages import assistant_message, text_block, tool_call_block, user_message
from hd.tools.table import default_tools
from tests.support.logs import random_logs

TOOLS = {spec.name for spec in default_tools().specs()}
BROWSER = {"browser_navigate", "browser_screenshot"}


def said(text: str, kind: str = "user") -> dict[str, Any]:
    return user_message([text_block(text)], {"kind": kind})


def log(*facts: tuple[str, dict[str, Any]]) -> list[Event]:
    return [Event(kind, seq, 1, data, "append") for seq, (kind, data) in enumerate(facts)]


def called(name: str, arguments: str = "{}") -> tuple[str, dict[str, Any]]:
    return ev.ASSISTANT_MESSAGE, {"message": assistant_message([tool_call_block("c", name, arguments)], "p", "m")}


def told(*names: str, seq: int, surface: Surface = "append") -> Event:
    return Event(ev.USER_MESSAGE, seq, 1, user_message([], {"kind": GUIDANCE_KIND, "chunks": list(names)}), surface)


def due_after(*facts: tuple[str, dict[str, Any]], tools: set[str] = TOOLS) -> list[str]:
    return [chunk.name for chunk in due(GUIDANCE.fold(log(*facts)), tools)]


def asked(text: str) -> list[str]:
    return due_after((ev.USER_MESSAGE, said(text)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is 2 + 2?", []),
        ("run it with pytest", []),
        ("run src/app.py with pytest", ["lang_python"]),
        ("the *.py and *.pyi files", ["lang_python"]),
        ("用python写一个flask的接口", ["lang_python"]),
        ("修复构建错误", ["build_fix"]),
        ("Fix the build error.", ["build_fix"]),
        ("fixture builder terrors", []),
        ("read build/error/fix.txt", []),
        ("Google the cargo cult of rusty reactors", []),
        ("why does `go build` fail, see go.mod", ["lang_go"]),
        ("go and make it so", []),
        ("npm  run\ndev says EADDRINUSE", ["server_startup"]),
        ("Makefile and src/main.c", ["lang_c"]),
        ("Is the CMakeLists.txt for C++ right?", ["lang_c"]),
        ("web\\package.json, web\\src\\App.TSX", ["lang_js"]),
        ("pytest pytest pytest", []),
    ],
)
def test_two_different_triggers_call_for_it_and_words_are_whole(text: str, names: list[str]) -> None:
    assert asked(text) == names


def test_calls_and_the_kind_of_the_project_are_listened_to() -> None:
    read, edited = called("read_file", '{"path":"pkg/x.go"}'), called("edit_file", '{"path":"go.mod"}')
    assert due_after(read, edited) == ["lang_go"]
    assert due_after(called("run_command", '{"command":"cargo test -p serde"}')) == ["diagnostics", "lang_rust"]
    assert due_after(called("read_file", "[broken"), called("read_file", '{"path":7}')) == []
    source = {"kind": "runtime-context", "sections": [{"name": "Project", "text": "Python (pyproject.toml)"}]}
    assert due_after((ev.USER_MESSAGE, user_message([], source))) == ["lang_python"]


def test_what_files_hold_and_the_model_says_calls_for_nothing() -> None:
    words = "python pytest app.py"
    answer = assistant_message([text_block(words)], "p", "m")
    result = {"message": {"role": "tool", "toolCallId": "c", "content": [text_block(words)]}}
    written = called("write_file", '{"path":"notes.txt","content":"python pytest app.py"}')
    assert due_after((ev.ASSISTANT_MESSAGE, {"message": answer}), (ev.TOOL_RESULT, result), written) == []
    assert due_after((ev.USER_MESSAGE, said(words, "instructions"))) == []


def test_what_needs_a_tool_is_not_told_without_it() -> None:
    fact = (ev.USER_MESSAGE, said("open the page in the browser and click"))
    assert due_after(fact) == []
    assert due_after(fact, tools=TOOLS | BROWSER) == ["browser"]


def test_g05_it_is_told_once_and_again_only_when_a_compaction_took_it_away() -> None:
    state = GUIDANCE.fold(log((ev.USER_MESSAGE, said("pytest app.py"))))
    assert [chunk.name for chunk in due(state, TOOLS)] == ["lang_python"]
    state = GUIDANCE.apply(state, told("lang_python", seq=1))
    assert due(state, TOOLS) == []
    later = GUIDANCE.apply(state, Event(ev.USER_MESSAGE, 2, 1, said("python again, x.py"), "append"))
    assert due(later, TOOLS) == []
    for span, again in ((Replace(0, 1), ["lang_python"]), (Replace(2, 2), [])):
        summary = Event(ev.USER_MESSAGE, 3, 1, said("A summary.", "compact-checkpoint"), span)
        assert [chunk.name for chunk in due(GUIDANCE.apply(later, summary), TOOLS)] == again


def test_the_files_of_the_chunks_are_sound() -> None:
    found = {chunk.name: chunk for chunk in chunks()}
    assert set(found) == {
        *("browser", "build_fix", "diagnostics", "server_startup"),
        *("lang_c", "lang_go", "lang_java", "lang_js", "lang_php", "lang_python", "lang_ruby", "lang_rust"),
        "lang_shell",
    }
    for chunk in found.values():
        assert len(chunk.triggers) > ENOUGH
        assert len(chunk.text) < 1_700, "short enough to be carried through a whole session"
        words = [trigger.partition(":")[2] for trigger in chunk.triggers if not trigger.startswith("tool:")]
        heard = heard_in(" , ".join(words), Table.of(chunk.triggers))
        assert heard == {trigger for trigger in chunk.triggers if not trigger.startswith("tool:")}
    assert render([found["lang_go"], found["lang_rust"]]).count("\n\n") == 1


@pytest.mark.parametrize("content", ["no head", "---\nwords: a\n---\n", "---\nverbs: a\n---\ntext", "x---\n---\ntext"])
def test_a_chunk_without_a_head_or_a_text_is_a_defect(content: str) -> None:
    with pytest.raises(ValueError):
        parse("x", content)


@settings(max_examples=50)
@given(random_logs())
def test_law_4_what_is_not_its_own_gives_the_same_object_back(events: list[Event]) -> None:
    state = Guidance()
    for event in events:
        before, state = state, GUIDANCE.apply(state, event)
        assert (state is before) == (state == before)
    assert GUIDANCE.fold(events) == state
