"""What the agent does next, case by case."""

from typing import Any

import pytest

from hd.agent import inbox as box
from hd.agent.decide import (
    MAX_CUT_CALLS,
    MAX_STEPS,
    Claim,
    EndTurn,
    Rest,
    RunStep,
    StartTurn,
    StepEnd,
    between_turns,
    resumption,
    within_turn,
)
from hd.errors import QueueItemNotFound, SteerUnavailable
from hd.protocol.events import Event
from hd.protocol.projections.inbox import INBOX, Inbox


def item(name: str) -> dict[str, Any]:
    return {"id": name, "content": [{"type": "text", "text": name}], "source": {"kind": "user", "rpcId": f"r-{name}"}}


QUEUED = Inbox(next_turn=(item("a"), item("b")))
STEERED = Inbox(next_turn=(item("a"),), next_step=(item("s"), item("t")))


def test_an_empty_inbox_rests() -> None:
    assert between_turns(Inbox()) == Rest()


def test_one_queued_prompt_starts_a_turn_alone() -> None:
    assert between_turns(QUEUED) == StartTurn(Claim("next-turn", 1))


def test_all_waiting_steering_starts_a_turn_before_the_queue() -> None:
    assert between_turns(STEERED) == StartTurn(Claim("next-step", 2))


@pytest.mark.parametrize(
    ("inbox", "step", "end", "cuts", "move"),
    [
        (QUEUED, 1, StepEnd("called"), 0, RunStep(None)),
        (QUEUED, 1, StepEnd("finished"), 0, EndTurn({"kind": "completed"})),
        (STEERED, 1, StepEnd("finished"), 0, RunStep(Claim("next-step", 2))),
        (STEERED, 1, StepEnd("called"), 0, RunStep(Claim("next-step", 2))),
        (QUEUED, 1, StepEnd("cut-text"), 0, EndTurn({"kind": "max-tokens"})),
        (STEERED, 1, StepEnd("cut-text"), 0, RunStep(Claim("next-step", 2))),
        (QUEUED, 1, StepEnd("cut-calls"), 1, RunStep(None)),
        (QUEUED, 1, StepEnd("cut-calls"), MAX_CUT_CALLS + 1, EndTurn({"kind": "max-tokens"})),
        (STEERED, 1, StepEnd("failed", {"code": "AUTH"}), 0, EndTurn({"kind": "error", "error": {"code": "AUTH"}})),
    ],
)
def test_after_a_step(inbox: Inbox, step: int, end: StepEnd, cuts: int, move: object) -> None:
    assert within_turn(inbox, step, end, cuts) == move


def test_a_turn_without_end_is_ended() -> None:
    move = within_turn(Inbox(), MAX_STEPS, StepEnd("called"), 0)
    assert isinstance(move, EndTurn)
    assert move.reason["error"]["code"] == "STEP_LIMIT"


@pytest.mark.parametrize(
    ("kind", "goes_on"), [("completed", True), ("max-tokens", True), ("aborted", False), ("error", False)]
)
def test_a_cancel_or_a_failure_parks_the_queue(kind: str, goes_on: bool) -> None:
    assert resumption({"kind": kind}) is goes_on


def applied(inbox: Inbox, drafts: list[Any]) -> Inbox:
    for draft in drafts:
        inbox = INBOX.apply(inbox, Event(draft.type, 0, 0, draft.data))
    return inbox


def ids(items: Any) -> list[str]:
    return [message["id"] for message in items]


def test_j23_deleting_the_middle_of_three_keeps_the_order() -> None:
    inbox = Inbox(next_turn=(item("a"), item("b"), item("c")))
    assert ids(applied(inbox, box.remove(inbox, "b")).next_turn) == ["a", "c"]
    with pytest.raises(QueueItemNotFound):
        box.remove(inbox, "gone")


def test_an_edit_keeps_id_and_place() -> None:
    changed = applied(QUEUED, box.edit(QUEUED, "a", [{"type": "text", "text": "new"}]))
    assert ids(changed.next_turn) == ["a", "b"]
    assert changed.next_turn[0]["content"][0]["text"] == "new"


def test_steering_a_queued_message_moves_it() -> None:
    changed = applied(QUEUED, box.steer(QUEUED, "b", running=True))
    assert (ids(changed.next_turn), ids(changed.next_step)) == (["a"], ["b"])
    with pytest.raises(SteerUnavailable):
        box.steer(QUEUED, "b", running=False)
    with pytest.raises(SteerUnavailable):
        box.steer(STEERED, "s", running=True)


def test_a_claim_takes_from_the_front() -> None:
    messages, draft = box.claim(STEERED, Claim("next-step", 2))
    assert ids(messages) == ["s", "t"]
    assert applied(STEERED, [draft]).next_step == ()


def test_a_prompt_that_waits_is_known_by_its_request() -> None:
    assert box.knows(STEERED, "r-t")
    assert not box.knows(STEERED, "r-z")
