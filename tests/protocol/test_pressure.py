"""How full the context is: the provider's figures where there are any, estimates for what came since."""

from typing import Any

from hd.protocol import events as ev
from hd.protocol.events import Event, Surface
from hd.protocol.messages import assistant_message, system_message, text_block, tool_message, user_message
from hd.protocol.projections.pressure import CONTEXT_FULL, CONTEXT_PRESSURE, ContextPressure, limit_of, target_of
from hd.protocol.tokens import tokens_in

TEXT = "what was said in so many words " * 100
SIZE = tokens_in(TEXT)


class Story:
    """A log, written by hand."""

    def __init__(self, window: int = 100_000) -> None:
        self.events: list[Event] = []
        self.add(ev.SYSTEM_MESSAGE, {"message": system_message("Be good.")}, "append")
        self.add(ev.REQUEST_CONTEXT, {"contextWindow": window})

    def add(self, kind: str, data: dict[str, Any], surface: Surface | None = None) -> None:
        self.events.append(Event(kind, len(self.events), 1, data, surface))

    def prompt(self) -> None:
        self.add(ev.USER_MESSAGE, user_message([text_block(TEXT)], {"kind": "user"}), "append")

    def answer(self, sent: int | None) -> None:
        usage = {} if sent is None else {"usage": {"inputTokens": sent, "outputTokens": 10}}
        self.add(
            ev.ASSISTANT_MESSAGE, {"message": assistant_message([text_block("Yes.")], "p", "m"), **usage}, "append"
        )

    def compaction(self, **end: Any) -> None:
        self.add(ev.COMPACTION_START, {"compactionId": "c"})
        self.add(ev.COMPACTION_END, {"compactionId": "c", "turn": 1, **end})

    @property
    def now(self) -> ContextPressure:
        return CONTEXT_PRESSURE.fold(self.events)

    @property
    def shown(self) -> Any:
        return CONTEXT_PRESSURE.view(self.now) if CONTEXT_PRESSURE.view else None


def test_there_is_an_estimate_before_the_first_answer_and_clients_are_not_shown_it() -> None:
    story = Story()
    story.prompt()
    assert story.now.projected == SIZE + tokens_in("Be good.")
    assert story.shown == {"contextWindow": 100_000}


def test_the_figure_of_the_provider_counts_and_what_comes_after_it_is_added() -> None:
    story = Story()
    story.prompt()
    story.answer(SIZE)
    assert story.now.projected == SIZE + 10
    story.add(ev.TOOL_RESULT, {"message": tool_message("c", TEXT, is_error=False)}, "append")
    assert abs(story.now.projected - (2 * SIZE + 10)) <= SIZE // 50
    assert story.shown["pressureTokens"] == SIZE


def test_an_estimate_is_corrected_by_what_the_provider_counts_for_the_same() -> None:
    story = Story()
    story.prompt()
    story.answer(SIZE * 3 // 2)
    story.prompt()
    assert abs(story.now.projected - 3 * SIZE) < SIZE // 10
    # Where the two have nothing to do with each other, the estimate is believed within a factor of two.
    story.answer(50 * SIZE)
    story.prompt()
    assert abs(story.now.projected - 52 * SIZE) < SIZE // 10


def test_without_any_usage_the_estimate_stands_in() -> None:
    story = Story()
    story.prompt()
    story.answer(None)
    assert story.now.projected >= SIZE
    assert story.shown == {"projectedTokens": story.now.projected, "contextWindow": 100_000}


def test_what_a_summary_stands_for_is_gone() -> None:
    story = Story()
    for _ in range(10):
        story.prompt()
    story.answer(10 * SIZE)
    before = story.now.projected
    story.add(ev.COMPACTION_SUMMARY, {"shadowedTokenCount": 8 * SIZE})
    assert abs(before - 8 * SIZE - story.now.projected) < SIZE // 10


def test_the_limit_leaves_room_for_an_answer_and_the_target_lies_below_it() -> None:
    assert (limit_of(1_000_000), limit_of(128_000)) == (800_000, 102_400)
    assert limit_of(16_000) == 16_000 - 6_144
    assert all(window // 2 <= limit_of(window) < window for window in (8_192, 20_000, 64_000))
    assert target_of(128_000) == 76_800


def test_compactions_are_counted_until_the_context_is_seen_below_the_target() -> None:
    story = Story(window=100_000)
    story.answer(90_000)
    story.compaction()
    story.compaction(error={"message": "no", "code": "SUMMARY_UNUSABLE"}, again=True)
    story.compaction(error={"message": "no", "code": "SUMMARY_UNUSABLE"})
    story.compaction(error={"message": "no", "code": "TRANSPORT"})
    assert story.now.tried == 2
    story.answer(target_of(100_000) + 1)
    assert story.now.tried == 2
    story.answer(10_000)
    assert story.now.tried == 0


def test_what_a_person_does_gives_compactions_another_chance() -> None:
    for kind, data in (
        (ev.COMPACTION_END, {"compactionId": "c", "sourceCommandId": "cmd", "turn": None}),
        (ev.REQUEST_CONTEXT, {"contextWindow": 200_000}),
    ):
        story = Story()
        story.answer(90_000)
        story.compaction()
        story.add(ev.TURN_END, {"turn": 1, "reason": {"kind": "error", "error": {"code": CONTEXT_FULL}}})
        assert (story.now.tried, story.now.told) == (1, True)
        story.add(kind, data)
        assert (story.now.tried, story.now.told) == (0, False)
