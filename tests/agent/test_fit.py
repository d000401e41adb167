"""Whatever a log holds, the provider takes what is sent of it; judged by the rules of the strict model."""

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent.compaction.ask import full, small
from hd.agent.compaction.cut import cut
from hd.agent.compaction.prune import prune
from hd.agent.fit import LOST_BEGINNING, fit, is_settled, json_object, tool_name
from hd.agent.history import HISTORY, History, messages
from hd.llm.base import Model, Request
from hd.llm.encode import encode_request
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace
from hd.protocol.forms import read
from hd.protocol.messages import text_of, told_of
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.sqlite import SqliteStore
from tests.support.conversations import SYSTEM, Conversation, conversations
from tests.support.damage import damaged
from tests.support.logs import random_logs
from tests.support.mock_strict import first_problem

MODEL = Model("m", "M", context_window=100, max_output=10)
PROMPT = {
    "role": "user",
    "content": [{"type": "text", "text": "the next prompt"}],
    "source": {"kind": "user"},
    "id": "n",
}
MANY = settings(max_examples=2_000)


def history_of(events: Iterable[Event]) -> History:
    return HISTORY.fold(events)


def body_of(history: History) -> bytes:
    """The request that begins the next turn."""
    return encode_request(Request("m", [*messages(history), PROMPT], effort="high"), MODEL)


def check_sendable(events: Sequence[Event]) -> None:
    prompted = Event(ev.USER_MESSAGE, len(events), 1, PROMPT, "append")
    history = history_of([*events, prompted])
    body = encode_request(Request("m", messages(history)), MODEL)
    assert first_problem(msgspec.json.decode(body), []) is None


def check_idempotent(events: Sequence[Event]) -> None:
    once = messages(history_of(events))
    again = fit(once)
    assert again.messages == once
    assert all(new is old for new, old in zip(again.messages, once, strict=True))
    assert not again.cured


def is_compaction(event: Event) -> bool:
    return isinstance(event.surface, Replace) or event.type == ev.COMPACTION_PRUNE


def check_prefixes(events: Sequence[Event]) -> None:
    """At every place where a request may have been built, what was sent begins what is sent later.

    That is in front of an answer, and wherever no call waits. A compaction is where it may differ, so what is sent is
    compared with the last request before the next one.
    """
    for end in [*(place for place, event in enumerate(events) if is_compaction(event)), len(events)]:
        last = messages(history_of(events[:end]))
        for place in range(end - 1, -1, -1):
            if is_compaction(events[place]):
                break
            before = history_of(events[:place])
            if events[place].type == ev.ASSISTANT_MESSAGE or is_settled([entry.message for entry in before.entries]):
                sent = messages(before)
                assert last[: len(sent)] == sent


def check_users(talk: Conversation, ranges: Sequence[Replace] = ()) -> None:
    """What a user said is in the request, or a compaction stands for it."""
    sent = [told_of(message["content"]) for message in messages(history_of(talk.events)) if message["role"] == "user"]
    for seq, text in talk.said.items():
        if not any(covered.start <= seq <= covered.end for covered in ranges):
            assert text in sent


def check_reasoning(talk: Conversation) -> None:
    """Each answer that is sent carries what was thought before it, byte for byte."""
    body = msgspec.json.decode(body_of(history_of(talk.events)))
    sent = iter([message for message in body["messages"] if message["role"] == "assistant"])
    for event in talk.events:
        if event.type != ev.ASSISTANT_MESSAGE:
            continue
        blocks = event.data["message"]["content"]
        if any(block["type"] == "tool-call" or (block["type"] == "text" and block["text"]) for block in blocks):
            kept = "".join(block["text"] for block in blocks if block["type"] == "reasoning")
            lost = "".join(text for row in event.data["stream"] for text in row["texts"])
            assert next(sent)["reasoning_content"] == kept or lost
    assert next(sent, None) is None


def check_compacted(talk: Conversation, first: int, second: int) -> None:
    """The same after a compaction up to `first`, and after another one up to `second`, wherever that cuts."""
    opening = 2
    ranges: list[Replace] = []
    for end in (first, second):
        last = len(talk.events) - 1
        covered = Replace(opening, opening + end % max(1, last - opening + 1))
        talk.compact(covered.start, covered.end)
        ranges.append(covered)
        check_sendable(talk.events)
        check_users(talk, ranges)
        sent = messages(history_of(talk.events))
        assert text_of(sent[0]["content"]) == SYSTEM
        assert told_of(sent[1]["content"]) == "Never touch X."


def check_talk(talk: Conversation, first: int, second: int) -> None:
    check_sendable(talk.events)
    check_users(talk)
    check_reasoning(talk)
    check_idempotent(talk.events)
    check_prefixes(talk.events)
    check_compacted(talk, first, second)
    check_idempotent(talk.events)


@settings(max_examples=50)
@given(conversations(), st.integers(0, 99), st.integers(0, 99))
def test_g01_whatever_became_of_calls_and_wherever_it_is_compacted_nothing_is_unpaired(
    talk: Conversation, first: int, second: int
) -> None:
    check_talk(talk, first, second)


@given(conversations())
@settings(max_examples=20)
def test_g01_every_cut_leaves_what_can_be_sent(talk: Conversation) -> None:
    whole = list(talk.events)
    for end in range(2, len(whole)):
        talk.events = list(whole)
        talk.compact(2, end)
        check_sendable(talk.events)
        found = cut(history_of(talk.events))
        if found is not None:
            talk.compact(found.range.start, found.range.end)
            check_sendable(talk.events)


@given(random_logs())
def test_a_log_that_no_daemon_would_write_is_fit_as_well(events: list[Event]) -> None:
    check_sendable(events)
    check_idempotent(events)
    check_prefixes(events)


def check_damaged(events: Sequence[Event], chance: Random) -> None:
    """What is left of a log with faults in it can be sent: as the next turn, and as a wish for a summary."""
    wires = msgspec.json.decode(msgspec.json.encode(damaged(events, chance)))
    read_back = [read(wire) for wire in wires]
    check_sendable(read_back)
    check_idempotent(read_back)
    history = history_of(read_back)
    prune(history)
    if (found := cut(history)) is not None:
        for request in (full(history, "Sum it up."), small(history, found, "Sum it up.", 500)):
            assert first_problem(msgspec.json.decode(encode_request(request, MODEL)), []) is None


DAMAGED = (st.one_of(random_logs(), conversations().map(lambda talk: talk.events)), st.integers(0, 2**32))


@given(*DAMAGED)
def test_a_log_with_damaged_fields_is_fit_as_well(events: list[Event], seed: int) -> None:
    check_damaged(events, Random(seed))


@pytest.mark.long
@MANY
@given(*DAMAGED)
def test_two_thousand_damaged_logs(events: list[Event], seed: int) -> None:
    check_damaged(events, Random(seed))


@pytest.mark.long
@MANY
@given(conversations(), st.integers(0, 99), st.integers(0, 99))
def test_g01_two_thousand_conversations(talk: Conversation, first: int, second: int) -> None:
    check_talk(talk, first, second)


@pytest.mark.long
@MANY
@given(random_logs())
def test_two_thousand_logs(events: list[Event]) -> None:
    check_sendable(events)
    check_idempotent(events)
    check_prefixes(events)


async def reloaded(path: Path, logs: Sequence[Sequence[Event]]) -> list[list[Event]]:
    """The logs as they come back from a database that was closed and opened again."""
    store = await SqliteStore.open(path)
    for number, events in enumerate(logs):
        await store.create_session(SessionRow(f"s{number}", 1))
        store.append(f"s{number}", [StoredEvent.of(event) for event in events])
    await store.close()
    store = await SqliteStore.open(path)
    try:
        bodies = [[body async for page in store.pages(f"s{number}") for body in page] for number in range(len(logs))]
    finally:
        await store.close()
    return [[read(msgspec.json.decode(body)) for body in log] for log in bodies]


def check_reload(logs: Sequence[Sequence[Event]], cut_at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        back = asyncio.run(reloaded(Path(folder) / "hd.db", logs))
    for before, after in zip(logs, back, strict=True):
        sent = body_of(history_of(before))
        place = cut_at % (len(after) + 1)
        assert body_of(history_of(after)) == sent
        assert body_of(HISTORY.fold(after[place:], HISTORY.fold(after[:place]))) == sent


LOGS = st.lists(st.one_of(random_logs(), conversations().map(lambda talk: talk.events)), min_size=10, max_size=10)


@given(LOGS, st.integers(0, 99))
@settings(max_examples=3)
def test_a_reload_from_the_disk_gives_the_same_request(logs: list[list[Event]], cut_at: int) -> None:
    check_reload(logs, cut_at)


@pytest.mark.long
@given(LOGS, st.integers(0, 99))
@settings(max_examples=200)
def test_two_thousand_reloads_give_the_same_requests(logs: list[list[Event]], cut_at: int) -> None:
    check_reload(logs, cut_at)


def test_what_is_known_only_later_changes_nothing_but_the_answer_that_is_awaited() -> None:
    """The one exception to the prefix, and where it ends: in front of the next answer."""
    talk = Conversation()
    talk.open()
    talk.user("go")
    call = {"type": "tool-call", "id": "x", "name": "grep", "arguments": "{}"}
    talk.answer([call, {**call, "id": "y"}], [])
    talk.result("y", "found", is_error=False)
    talk.user("steer")
    logged = [entry.message for entry in history_of(talk.events).entries]
    assert not is_settled(logged)
    awaited = messages(history_of(talk.events))
    assert [message["role"] for message in awaited] == ["system", "user", "user", "assistant", "tool", "tool", "user"]
    talk.result("x", "late", is_error=False)
    sent = messages(history_of(talk.events))
    assert sent[:5] == awaited[:5]
    assert [text_of(message["content"]) for message in sent[5:]] == ["late", "steer"]
    assert is_settled([entry.message for entry in history_of(talk.events).entries])


def message(role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks), "id": role, **more}


TEXT = {"type": "text", "text": "hello"}


def test_what_was_cured_is_counted_by_its_kind() -> None:
    call = {"type": "tool-call", "id": "x", "name": "a b", "arguments": "["}
    fitted = fit(
        [
            message("tool", TEXT, toolCallId="ghost"),
            message("assistant", call, call),
            message("system", TEXT),
            message("narrator", TEXT),
            message("assistant", {"type": "reasoning", "text": "hm"}),
            message("user"),
        ]
    )
    assert dict(fitted.cured) == {
        "results without a call": 1,
        "lost beginnings": 1,
        "answers without a question": 1,
        "calls without an id of their own": 1,
        "calls with a name that no tool can have": 2,
        "calls whose arguments are no JSON object": 2,
        "calls without a result": 2,
        "system messages behind the first message": 1,
        "messages of an unknown role": 1,
        "empty messages": 1,
    }
    assert text_of(fitted.messages[0]["content"]) == LOST_BEGINNING
    assert [sent["role"] for sent in fitted.messages] == [
        *("system", "user", "assistant", "tool", "tool", "user", "user", "user")
    ]


def test_names_are_those_that_tools_can_have() -> None:
    assert [tool_name(name) for name in ("read_file", "", "a.b c", "x" * 70, "лс\n")] == [
        *("read_file", "unnamed", "a_b_c", "x" * 64, "___")
    ]


def test_f02_half_a_surrogate_pair_in_arguments_is_no_object() -> None:
    assert json_object('{"a":"\\ud800"}') == "{}"
    assert json_object('{"a":"\ud800"}') == "{}"
    assert json_object('{"a":"\\ud83d\\ude00"}') == '{"a":"\\ud83d\\ude00"}'


def test_a_range_that_covers_nothing_covers_nothing() -> None:
    talk = Conversation()
    talk.open()
    for text in ("one", "two", "three"):
        talk.user(text)
    for start, end in ((4, 3), (70, 99), (-5, -1), (0, 0)):
        talk.compact(start, end)
    sent = [told_of(one["content"]) for one in messages(history_of(talk.events))]
    assert sent == [SYSTEM, "Never touch X.", "one", "two", "three", *["The older part in short."] * 4]


def test_a_summary_stands_in_the_place_of_what_it_sums_up_also_behind_an_earlier_one() -> None:
    talk = Conversation()
    talk.open()
    for text in ("one", "two", "three", "four"):
        talk.user(text)
    talk.user("first summary", surface=Replace(2, 3))
    talk.user("second summary", surface=Replace(4, 4))
    sent = [told_of(one["content"]) for one in messages(history_of(talk.events))[2:]]
    assert sent == ["first summary", "second summary", "four"]
