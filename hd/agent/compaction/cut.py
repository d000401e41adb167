"""Which part of a history a compaction sums up: a pure function of the history.

The system prompt, the instruction files and the newest part stay as they are, and no call is parted from its result.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from hd.agent.history import COMPACTED, Entry, History
from hd.protocol.events import Replace
from hd.protocol.messages import tool_calls_of, tool_result_of
from hd.protocol.tokens import tokens_of

KEPT_TOKENS: Final = 20_000
"""At most so much of the newest part stays, and at most a quarter of all; a newest turn up to this size always does."""


@dataclass(frozen=True, slots=True)
class Cut:
    """`seqs` are those of the messages to be summed up, in the order of the history; `tokens` is their size.

    `prompts` is how many prompts stay behind them with all that followed, 0 where the cut lies within the newest turn.
    """

    seqs: tuple[int, ...]
    tokens: int
    prompts: int

    @property
    def range(self) -> Replace:
        return Replace(min(self.seqs), max(self.seqs))


def cut(history: History) -> Cut | None:
    """What a compaction would sum up now; None where that would be nothing, or nothing but an earlier summary."""
    body = body_of(history)
    sizes = [tokens_of(entry.message) for entry in body]
    behind = [0, *accumulate(reversed(sizes))][::-1]
    prompts = [place for place in _places(body) if _is_prompt(body[place])]
    room = min(KEPT_TOKENS, behind[0] // 4)
    place = next((place for place in prompts if behind[place] <= room), prompts[-1] if prompts else None)
    if behind[0 if place is None else place] > KEPT_TOKENS:
        # The newest turn alone is large: what stays begins with one of its answers.
        within = [border for border in _places(body) if place is None or border > place]
        place = next((border for border in within if behind[border] <= room), within[-1] if within else place)
    if place is None:
        return None
    older = body[:place]
    if len(older) == 1 and source_of(older[0]) == COMPACTED:
        return None
    kept = sum(_is_prompt(entry) for entry in body[place:])
    return Cut(tuple(entry.seq for entry in older), behind[0] - behind[place], kept)


def body_of(history: History) -> list[Entry]:
    """The part that is no opening: behind the last system prompt or instruction file."""
    entries = list(history.entries)
    opening = max((place for place, entry in enumerate(entries) if _stays(entry)), default=-1)
    return entries[opening + 1 :]


def source_of(entry: Entry) -> str:
    return str((entry.message.get("source") or {}).get("kind"))


def _stays(entry: Entry) -> bool:
    return entry.message.get("role") == "system" or source_of(entry) == "instructions"


def _is_prompt(entry: Entry) -> bool:
    return source_of(entry) in ("user", "goal")


def _places(body: list[Entry]) -> Iterator[int]:
    """Where the newest part may begin: at a prompt or an answer, in front of which every call has its result.

    An earlier summary stands in front of messages with smaller seqs; a place that its range would reach over is none.
    """
    least = [entry.seq for entry in body]
    for place in range(len(body) - 2, -1, -1):
        least[place] = min(least[place], least[place + 1])
    most, open_calls = -1, set[str]()
    for place, entry in enumerate(body):
        begins = _is_prompt(entry) or entry.message.get("role") == "assistant"
        if place and begins and not open_calls and most < least[place]:
            yield place
        most = max(most, entry.seq)
        _follow(open_calls, entry)


def _follow(open_calls: set[str], entry: Entry) -> None:
    """The calls without a result behind one more message."""
    if entry.message.get("role") == "assistant":
        open_calls.clear()  # a result that comes later than the next answer is none for the model either
        open_calls.update(str(call.get("id")) for call in tool_calls_of(entry.message.get("content") or ()))
    elif open_calls and (result := tool_result_of(entry.message)) is not None:
        open_calls.discard(result[0])
