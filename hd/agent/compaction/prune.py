"""Old tool results made short where they stand, so that nothing has to be summed up: pure.

What a tool said is mostly needed once. The log keeps all of it, and so does the transcript; the model is shown the
lines that tell most, and can call the tool again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hd.agent.compaction.cut import KEPT_TOKENS, body_of
from hd.agent.history import Entry, History
from hd.protocol.messages import tool_result_of
from hd.protocol.tokens import tokens_in, tokens_of
from hd.tools.distil import distil

_LONG: Final = 3_000
_SHORT: Final = 1_200
_NOTE: Final = "\n[Shortened later to make room. Call the tool again, or `read_command_output`, for the whole of it.]"


@dataclass(frozen=True, slots=True)
class Pruned:
    """`results` are (seq, new text) of tool results; `tokens` is what that saves."""

    results: tuple[tuple[int, str], ...]
    tokens: int

    def to_wire(self) -> dict[str, Any]:
        """The part of a `compaction/prune` that says what was done."""
        return {
            "shadowedSeqs": [seq for seq, _ in self.results],
            "shadowedTokenCount": self.tokens,
            "results": [{"seq": seq, "text": text} for seq, text in self.results],
        }


def prune(history: History) -> Pruned | None:
    """All long results but those in the newest part and those that the model has not seen yet; None for none."""
    found: list[tuple[int, str]] = []
    spared = saved = 0
    seen = False
    for entry in reversed(body_of(history)):
        spared += tokens_of(entry.message)
        seen = seen or entry.message.get("role") == "assistant"
        short = _shortened(entry) if seen and spared > KEPT_TOKENS else None
        if short is not None:
            found.append((entry.seq, short))
            saved += tokens_of(entry.message) - tokens_in(short)
    return Pruned(tuple(reversed(found)), saved) if saved > 0 else None


def _shortened(entry: Entry) -> str | None:
    message: Mapping[str, Any] = entry.message
    result = tool_result_of(message) if message.get("role") in ("tool", "user") else None
    if result is None or len(result[1]) <= _LONG:
        return None
    return distil(result[1], _SHORT) + _NOTE
