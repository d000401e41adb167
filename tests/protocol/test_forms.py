"""Events are read by their forms: what is sound stays as it is, and nothing that is not can stop a reader."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.agent.history import HISTORY
from hd.agent.repeats import REPEATS
from hd.billing.cost import COST
from hd.ledger.cache import cache_projection
from hd.ledger.caps import BUDGET
from hd.prompt.guidance import GUIDANCE
from hd.prompt.tree import TREE
from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.forms import FORMS, read
from hd.protocol.projections import CLIENT, DAEMON, State
from hd.protocol.projections.transcript import TRANSCRIPT
from hd.protocol.sound import UNSOUND, sound
from hd.session.repair import repair
from htui.mirror import SessionMirror
from tests.support.damage import damaged
from tests.support.logs import random_logs
from tests.support.recordings import Recording, every_recording

SEEDS = st.integers(0, 2**32)
EVERYTHING = (*DAEMON, HISTORY, REPEATS, GUIDANCE, TREE, COST, cache_projection(), BUDGET, TRANSCRIPT)


@given(random_logs())
def test_what_has_its_form_is_read_as_it_is(events: list[Event]) -> None:
    assert [read(event.to_wire()) for event in events] == events


READ_WITH_CARE = {
    *(ev.PLAN_MODE, ev.PROBLEMS_READ, ev.TASK_COMPLETE, ev.BUDGET_SET, ev.SANDBOX_HOLD, ev.SESSION_END_SEED),
    *(ev.LLM_WAITING, ev.SUMMARY_WRITE, ev.LATER_HELD, ev.LATER_TAKEN),
}
"""Kinds of events of which a fold checks the few fields that it reads."""


def test_every_event_that_a_fold_reads_has_a_form() -> None:
    folded = {kind for projection in (*EVERYTHING, *CLIENT) for kind in projection.handlers}
    assert folded - FORMS.keys() <= READ_WITH_CARE


@pytest.mark.parametrize(("version", "name"), every_recording())
def test_every_recorded_event_has_its_form(version: str, name: str) -> None:
    for stream in Recording.load(version, name).follows():
        records = [record for item in stream.items for record in item.get("records", [item])]
        wires = [record["event"] for record in records if record.get("type") == "event"]
        assert [wire for wire in wires if read(wire).damaged] == []


HELLO = {"type": "text", "text": "hello"}
LEFT_OUT: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (ev.TURN_START, {"turn": "one"}, {}),
    (ev.TURN_START, {"turn": 2**60, "more": 1}, {"more": 1}),
    (ev.USER_MESSAGE, {"content": "hello", "id": 5}, {"content": [HELLO]}),
    (
        ev.USER_MESSAGE,
        {"content": [HELLO, 7, {"text": "b"}, {"type": "text", "text": None}]},
        {"content": [HELLO, {"type": "text"}]},
    ),
    (ev.ASSISTANT_MESSAGE, {"message": {"content": "hello"}}, {"message": {"content": [HELLO]}}),
    (
        ev.ASSISTANT_MESSAGE,
        {"message": [], "usage": {"inputTokens": -4, "outputTokens": 2}},
        {"usage": {"outputTokens": 2}},
    ),
    (
        ev.REQUEST_HEADER,
        {"header": {"config": {"model": "m"}, "tools": [{"name": "a b"}, {"name": "ls"}]}},
        {"header": {"tools": []}},
    ),
    (ev.MODEL_SELECTION, {"provider": "p"}, {}),
]


@pytest.mark.parametrize(("kind", "data", "kept"), LEFT_OUT)
def test_what_has_not_is_left_out_and_the_rest_stays(kind: str, data: dict[str, Any], kept: dict[str, Any]) -> None:
    event = read({"type": kind, "seq": 4, "time": 1, "data": data})
    assert event.damaged
    assert event.data == kept


def test_a_value_of_which_nothing_fits_is_unsound() -> None:
    assert sound(7, FORMS[ev.USER_MESSAGE]) is UNSOUND
    assert sound([1, "a"], list[str]) == ["a"]


def check_damaged(events: list[Event], chance: Random) -> None:
    wires = damaged(events, chance)
    read_back = [read(wire) for wire in msgspec.json.decode(msgspec.json.encode(wires))]
    state = State.initial(EVERYTHING).fold(read_back)
    msgspec.json.encode(state.views())
    repair(state, chance.choice((None, 7, [], {"turn": 1, "step": 1, "stream": [{"type": "text-chunks"}]})), "p", "m")
    records = [{"type": "event", "event": wire} for wire in wires]
    cut = chance.randint(0, len(records))
    mirror = SessionMirror("s")
    block = {"asOfSeq": cut - 1, "values": State.initial(EVERYTHING).fold(read_back[:cut]).views()}
    snapshot = {"type": "snapshot", "header": {"id": "s"}, "cursor": cut - 1, "hasMore": False, "projections": block}
    mirror.fold([{**snapshot, "records": records[:cut]}, *records[cut:]])
    assert mirror.cursor == len(events) - 1
    assert mirror.queue is not None
    told = sum(row.text.startswith("An event that cannot be read whole") for row in mirror.rows)
    assert told == sum(event.damaged for event in read_back)


@given(random_logs(), SEEDS)
def test_no_damage_of_any_field_stops_a_fold_a_client_or_the_closing(events: list[Event], seed: int) -> None:
    check_damaged(events, Random(seed))


@pytest.mark.long
@settings(max_examples=2_000)
@given(random_logs(), SEEDS)
def test_no_damage_stops_anything_in_two_thousand_logs(events: list[Event], seed: int) -> None:
    check_damaged(events, Random(seed))
