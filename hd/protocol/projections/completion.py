"""What is known of the end of the present turn's work: its summary, the errors last found, and whether it is done."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class Completion(Struct, frozen=True):
    """`problems` is what the last check found (`{errors, command}`); all of it begins anew with each turn."""

    summary: str | None = None
    problems: Mapping[str, Any] | None = None
    complete: bool = False


_NOTHING = Completion()


def _begun(state: Completion, event: Event) -> Completion:
    return state if state == _NOTHING else _NOTHING


def _summed_up(state: Completion, event: Event) -> Completion:
    return replace(state, summary=str(event.data.get("summary", "")))


def _checked(state: Completion, event: Event) -> Completion:
    return replace(state, problems=event.data)


def _completed(state: Completion, event: Event) -> Completion:
    return replace(state, complete=True)


COMPLETION = Projection(
    "completion",
    _NOTHING,
    {
        ev.TURN_START: _begun,
        ev.SUMMARY_WRITE: _summed_up,
        ev.PROBLEMS_READ: _checked,
        ev.TASK_COMPLETE: _completed,
    },
    lambda state: {
        "summary": state.summary,
        "problems": None if state.problems is None else dict(state.problems),
        "complete": state.complete,
    },
)
