"""What a compaction sums up and what it leaves alone, as a pure function of the history."""

from typing import Any

from hypothesis import given

from hd.agent.compaction.cut import KEPT_TOKENS, Cut, cut
from hd.agent.compaction.prune import prune
from hd.agent.history import COMPACTED, HISTORY, History, messages
from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.messages import text_of, tool_message
from hd.protocol.tokens import tokens_of
from tests.agent.test_history import check_pairs
from tests.support.logs import random_logs


class Log:
    """A session's log, written by hand."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: str, data: dict[str, Any]) -> None:
        self.events.append(Event(kind, len(self.events), 1, data, "append"))

    def user(self, text: str, kind: str = "user") -> None:
        content = [{"type": "text", "text": text}]
        self.add(ev.USER_MESSAGE, {"role": "user", "content": content, "source": {"kind": kind}, "id": "m"})

    def turn(self, text: str, *, size: int = 4) -> None:
        self.user(text)
        call = {"type": "tool-call", "id": f"c{len(self.events)}", "name": "grep", "arguments": "{}"}
        self.add(ev.ASSISTANT_MESSAGE, {"message": {"role": "assistant", "content": [call]}})
        self.add(ev.TOOL_RESULT, {"message": tool_message(call["id"], "x" * size, is_error=False)})
        said = {"role": "assistant", "content": [{"type": "text", "text": f"done {text}"}]}
        self.add(ev.ASSISTANT_MESSAGE, {"message": said})

    def opening(self) -> None:
        system = {"role": "system", "content": [{"type": "text", "text": "be good"}]}
        self.add(ev.SYSTEM_MESSAGE, {"message": system})
        self.user("the rules", "instructions")

    def history(self) -> History:
        return HISTORY.fold(self.events)

    def compact(self) -> Cut:
        found = cut(self.history())
        assert found is not None
        summary = {"role": "user", "content": [{"type": "text", "text": "sum"}], "source": {"kind": COMPACTED}}
        self.events.append(Event(ev.USER_MESSAGE, len(self.events), 1, summary, found.range))
        return found


def texts(history: History) -> list[str]:
    return [text_of(message["content"]) for message in messages(history) if message["role"] != "tool"]


def begun() -> Log:
    log = Log()
    log.opening()
    return log


def test_there_is_nothing_to_sum_up_before_the_second_prompt() -> None:
    log = begun()
    assert cut(log.history()) is None
    log.turn("one")
    assert cut(log.history()) is None


def test_the_opening_and_the_newest_turn_stay() -> None:
    log = begun()
    for text in ("one", "two", "three"):
        log.turn(text, size=4000)
    found = log.compact()
    assert found.tokens > 2000
    assert texts(log.history()) == ["be good", "the rules", "sum", "three", "", "done three"]


def test_small_newest_turns_stay_together() -> None:
    log = begun()
    log.turn("large", size=100_000)
    for text in ("one", "two"):
        log.turn(text)
    log.compact()
    assert texts(log.history())[2:4] == ["sum", "one"]


def test_a_second_compaction_takes_the_first_summary_along() -> None:
    log = begun()
    for text in ("one", "two", "three"):
        log.turn(text, size=4000)
    first = log.compact()
    # What is newer than the first cut and older than its summary can only be summed up together with both.
    assert cut(log.history()) is None
    log.turn("four", size=4000)
    second = log.compact()
    assert len(log.events) - 6 in second.seqs
    assert set(first.seqs).isdisjoint(second.seqs)
    assert texts(log.history()) == ["be good", "the rules", "sum", "four", "", "done four"]


def test_a_summary_alone_is_not_summed_up_again() -> None:
    log = begun()
    log.user("what there was", COMPACTED)
    log.turn("one", size=4000)
    assert cut(log.history()) is None
    log.turn("two", size=4000)
    assert cut(log.history()) is not None


def test_a_newest_turn_that_is_large_is_cut_between_its_steps() -> None:
    log = begun()
    log.user("a long piece of work")
    for number in range(12):
        call = {"type": "tool-call", "id": f"c{number}", "name": "grep", "arguments": "{}"}
        log.add(ev.ASSISTANT_MESSAGE, {"message": {"role": "assistant", "content": [call]}})
        log.add(ev.TOOL_RESULT, {"message": tool_message(call["id"], "word " * 4_000, is_error=False)})
    found = log.compact()
    assert found.prompts == 0
    left = messages(log.history())
    assert [message["role"] for message in left[:4]] == ["system", "user", "user", "assistant"]
    assert 0 < sum(tokens_of(message) for message in left[3:]) <= KEPT_TOKENS
    check_pairs(left)


def test_no_call_is_parted_from_a_result_that_is_still_to_come() -> None:
    log = begun()
    log.user("one")
    for number in range(8):
        calls = [{"type": "tool-call", "id": f"c{number}{n}", "name": "grep", "arguments": "{}"} for n in range(2)]
        log.add(ev.ASSISTANT_MESSAGE, {"message": {"role": "assistant", "content": calls}})
        for call in calls:
            log.add(ev.TOOL_RESULT, {"message": tool_message(call["id"], "word " * 3_000, is_error=False)})
            log.user("steering", "user")
    found = log.compact()
    assert found.seqs
    check_pairs(messages(log.history()))


def test_what_stays_in_the_middle_is_a_border() -> None:
    log = begun()
    log.turn("one", size=4000)
    log.opening()
    for text in ("two", "three"):
        log.turn(text, size=4000)
    log.compact()
    assert texts(log.history()) == [
        *("be good", "the rules", "one", "", "done one"),
        *("be good", "the rules", "sum", "three", "", "done three"),
    ]


@given(random_logs())
def test_whatever_is_summed_up_leaves_a_history_that_can_be_sent(events: list[Event]) -> None:
    history = HISTORY.fold(events)
    found = cut(history)
    if found is None:
        return
    kept = [entry for entry in history.entries if entry.seq not in found.seqs]
    summary = {"role": "user", "content": [], "source": {"kind": COMPACTED}, "id": "s"}
    after = HISTORY.fold([Event(ev.USER_MESSAGE, len(events), 1, summary, found.range)], history)
    left = [entry for entry in after.entries if entry.message is not summary]
    assert left == kept
    check_pairs(messages(after))


def test_h18_old_results_are_made_short_where_they_stand_and_new_ones_are_not() -> None:
    log = begun()
    for text in ("one", "two", "three"):
        log.turn(text, size=60_000)
    assert prune(begun().history()) is None
    pruned = prune(log.history())
    assert pruned is not None
    before = messages(log.history())
    log.events.append(Event(ev.COMPACTION_PRUNE, len(log.events), 1, {"compactionId": "c", **pruned.to_wire()}))
    after = messages(log.history())
    assert [message["role"] for message in after] == [message["role"] for message in before]
    sizes = [len(text_of(message["content"])) for message in after if message["role"] == "tool"]
    assert sizes[0] < 2_000
    assert sizes[-1] == 60_000
    saved = sum(map(tokens_of, before)) - sum(map(tokens_of, after))
    assert saved == pruned.tokens
    again = prune(log.history())
    assert again is None or not dict(again.results).keys() & dict(pruned.results).keys()
    check_pairs(after)


def test_h18_what_the_model_has_not_seen_yet_is_left_alone() -> None:
    log = begun()
    log.user("read all of it")
    calls = [{"type": "tool-call", "id": f"c{n}", "name": "grep", "arguments": "{}"} for n in range(5)]
    log.add(ev.ASSISTANT_MESSAGE, {"message": {"role": "assistant", "content": calls}})
    for call in calls:
        log.add(ev.TOOL_RESULT, {"message": tool_message(str(call["id"]), "word " * 9_000, is_error=False)})
    assert prune(log.history()) is None
