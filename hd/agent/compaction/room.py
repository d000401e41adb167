"""Whether a history must take less room before the next request: pure.

A compaction is judged by what came of it: one after which the context is not seen below the target brought nothing
(`ContextPressure.tried`). After two of these it is not tried again; the person is asked what to do.
"""

from collections.abc import Callable
from typing import Final, Literal

from hd.protocol.projections.pressure import ContextPressure, limit_of, target_of

MOST_TRIED: Final = 2
_LEAST_ANSWER: Final = 4_096

Move = Literal["go", "compact", "stop"]


def next_move(pressure: ContextPressure, window: int, possible: Callable[[], bool]) -> Move:
    """Before a request to a model with `window` tokens; `possible` says that there is something to sum up.

    A person who was told and goes on all the same gets the request sent, as long as it fits at all. So does one whose
    history could never be made smaller: it is large by its instructions and the newest prompt alone.
    """
    size = pressure.projected
    if size < limit_of(window):
        return "go"
    if pressure.tried < MOST_TRIED and possible():
        return "compact"
    return "go" if fits(pressure, window) and (pressure.told or not pressure.tried) else "stop"


def fits(pressure: ContextPressure, window: int) -> bool:
    """Whether the request as it is leaves room for an answer."""
    return pressure.projected + _LEAST_ANSWER <= window


def is_enough(pressure: ContextPressure, window: int, saved: int) -> bool:
    """Whether taking `saved` tokens (an estimate) away brings the context below the target."""
    return pressure.projected - pressure.measured(saved) < target_of(window)


def narrower(pressure: ContextPressure, window: int) -> str | None:
    """What a person is told who chose a model whose `window` tokens are few for the conversation (case G07)."""
    if pressure.projected < limit_of(window):
        return None
    return (
        f"The conversation takes {pressure.projected:,} tokens; in this model's window of {window:,} it is summed up "
        f"from {limit_of(window):,} on. That happens before the next prompt is answered."
    )


def full(pressure: ContextPressure, window: int) -> str:
    """What the person is told when nothing helps."""
    tried = (
        f"summing it up {'once' if pressure.tried == 1 else 'twice'} did not bring it below {target_of(window):,}"
        if pressure.tried
        else f"there is nothing in it to sum up; the system prompt and the tools take {pressure.fixed:,}"
    )
    return (
        f"The conversation takes {pressure.projected:,} of the {window:,} tokens of this model, and {tried}. Nothing "
        "is lost. Choose a model with a larger window (/model), say what a summary must keep (/compact TEXT), or begin "
        "anew (/new); another message is sent as it is where it still fits."
    )
