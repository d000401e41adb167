"""Random conversations as a daemon logs them, with all that can happen to their calls, and compactions of them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from hypothesis import strategies as st

from hd.agent.history import COMPACTED
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace, Surface
from hd.protocol.messages import tool_message

Fate = Literal["done", "denied", "cancelled", "twice", "late", "never"]
FATES: tuple[Fate, ...] = ("done", "done", "done", "denied", "cancelled", "twice", "late", "never")
ARGUMENTS = (
    "{}",
    '{"path": "a"}',
    "",
    "null",
    "[]",
    '"str"',
    '{"a":1}{"a":1}',
    '{"a',
    '{"a":"\x01"}',
    '{"a":"\\ud800"}',
)
NAMES = ("grep", "run_command", "", "functions.grep", "a b", "лс", "x" * 70)
SYSTEM = "You are a test."


@dataclass
class Conversation:
    """A log in the making. `said` are the texts of the user by seq, `fates` what became of calls (in words)."""

    events: list[Event] = field(default_factory=list)
    said: dict[int, str] = field(default_factory=dict)

    def add(self, kind: str, data: dict[str, Any], surface: Surface | None = "append") -> int:
        self.events.append(Event(kind, len(self.events), 1_000 + len(self.events), data, surface))
        return self.events[-1].seq

    def open(self) -> None:
        system = {"role": "system", "content": [{"type": "text", "text": SYSTEM}], "id": "s"}
        self.add(ev.SYSTEM_MESSAGE, {"turn": 1, "step": 1, "message": system})
        self.user("Never touch X.", "instructions")

    def user(self, text: str, kind: str = "user", surface: Surface = "append") -> int:
        content = [{"type": "text", "text": text}]
        seq = self.add(
            ev.USER_MESSAGE, {"role": "user", "content": content, "source": {"kind": kind}, "id": "u"}, surface
        )
        self.said[seq] = text
        return seq

    def answer(self, blocks: list[dict[str, Any]], stream: list[dict[str, Any]]) -> None:
        message = {"role": "assistant", "content": blocks, "source": {"kind": "model"}, "id": "a"}
        self.add(ev.ASSISTANT_MESSAGE, {"turn": 1, "step": 1, "message": message, "stream": stream})

    def result(self, call_id: str, text: str, *, is_error: bool) -> None:
        self.add(ev.TOOL_RESULT, {"turn": 1, "step": 1, "message": tool_message(call_id, text, is_error=is_error)})

    def compact(self, start: int, end: int) -> None:
        self.user("The older part in short.", COMPACTED, Replace(start, end))


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """One to four turns of one to three steps, each with text, reasoning and up to three calls at once."""
    talk = Conversation()
    talk.open()
    for turn in range(draw(st.integers(1, 4))):
        talk.user(f"prompt {turn}: {draw(st.text(max_size=8))}")
        late: list[str] = []
        for step in range(draw(st.integers(1, 3))):
            _step(draw, talk, f"{turn}.{step}", late)
            if draw(st.integers(0, 5)) == 0:
                talk.user(f"steer {turn}.{step}")
        if draw(st.booleans()):
            talk.answer([{"type": "text", "text": f"Done {turn}."}], [])
        for call_id in late:
            talk.result(call_id, "too late", is_error=False)
    return talk


def _step(draw: st.DrawFn, talk: Conversation, name: str, late: list[str]) -> None:
    blocks: list[dict[str, Any]] = []
    stream: list[dict[str, Any]] = []
    thought = draw(st.sampled_from(["", "", f"thought {name}\u2028 \n", "lost"]))
    if thought == "lost":
        stream.append({"type": "reasoning-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["lost ", name]})
    elif thought:
        blocks.append({"type": "reasoning", "text": thought})
    if draw(st.booleans()):
        blocks.append({"type": "text", "text": draw(st.sampled_from(["", f"text {name}"]))})
    results: list[tuple[str, Fate]] = []
    for place in range(draw(st.integers(0, 3))):
        call_id = draw(st.sampled_from([f"c{name}.{place}", "again", ""]))
        arguments, tool = draw(st.sampled_from(ARGUMENTS)), draw(st.sampled_from(NAMES))
        blocks.append({"type": "tool-call", "id": call_id, "name": tool, "arguments": arguments})
        results.append((call_id, draw(st.sampled_from(FATES))))
    talk.answer(blocks, stream)
    for call_id, fate in draw(st.permutations(results)):
        if fate == "late":
            late.append(call_id)
        elif fate != "never":
            for _ in range(2 if fate == "twice" else 1):
                talk.result(call_id, f"{fate} {call_id}", is_error=fate != "done")
