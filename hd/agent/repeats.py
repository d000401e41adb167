"""An agent that makes the same call again and again: told at first, then its person is asked (case F17).

Two calls are the same when tool and arguments are, and nothing that could have changed the answer was called between
them: tests that run again after an edit are no repetition. All of it begins anew with a turn and with a person's word.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection
from hd.tools.base import ToolError

TOLD: Final = 3
"""From this one on the model is told with each result."""

ASKED: Final = 6
"""Before this one, and before each that is a multiple of it, the person is asked."""

GO_ON: Final = "Go on"
STOP: Final = "Stop the turn"

_LOOKING: Final = frozenset({"read_file", "list_files", "search_files", "grep", "read_command_output", "write_todos"})
"""Tools whose calls change no answer of another call."""


class Stopped(ToolError):
    """The person did not want a repeated call to be made once more."""

    def __init__(self) -> None:
        super().__init__(
            "The person stopped the turn, because the same call was made again and again.",
            name="RepetitionError",
            code="REPEATED_CALL",
        )


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often each call was made; `last` is the number of the latest call among its like."""

    counts: Mapping[bytes, int] = field(default_factory=dict)
    last: int = 0


_NONE: Final = Repeats()


def _called(state: Repeats, event: Event) -> Repeats:
    name = str(event.data.get("name", ""))
    key = hashlib.sha256(f"{name}\0{event.data.get('arguments', '')}".encode(errors="surrogatepass")).digest()[:16]
    number = state.counts.get(key, 0) + 1
    others = state.counts if name in _LOOKING else {}
    return Repeats({**others, key: number}, number)


def _anew(state: Repeats, event: Event) -> Repeats:
    return state if state == _NONE else _NONE


def _said(state: Repeats, event: Event) -> Repeats:
    return _anew(state, event) if (event.data.get("source") or {}).get("kind") == "user" else state


REPEATS: Final = Projection("repeats", _NONE, {ev.TURN_START: _anew, ev.USER_MESSAGE: _said, ev.TOOL_CALL: _called})


def note(number: int) -> str:
    """What is added to the result of a call made for the `number`th time; empty while that is nothing to speak of."""
    if number < TOLD:
        return ""
    return (
        f"\n[This same call was made {number} times, and nothing was changed in between. Do something else: read what "
        "it returned, change the approach, or say what stands in the way.]"
    )


def must_ask(number: int) -> bool:
    return number % ASKED == 0 and number > 0


def question(name: str, number: int, summary: str) -> dict[str, Any]:
    """What the person is asked; `summary` is the call in one line."""
    return {
        "id": "repeated-call",
        "header": "Repeated call",
        "question": f"The agent makes the same call for the {number}th time in this turn. Shall it go on?",
        "detail": f"{name}: {summary}",
        "options": [
            {"label": STOP, "description": "The turn ends here; what was done so far is kept."},
            {"label": GO_ON, "description": f"The call is made; you are asked again after {ASKED} more."},
        ],
    }
