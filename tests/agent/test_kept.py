"""What stays word for word beside a summary: pure."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hd.agent.compaction.kept import MOST_TOKENS, kept_text, words
from hd.agent.history import Entry
from hd.protocol.messages import text_block, user_message
from hd.protocol.tokens import tokens_in

STORY = "and then they went to the next town and looked around " * 20


def said(*texts: str) -> list[Entry]:
    return [Entry(seq, user_message([text_block(text)], {"kind": "user"})) for seq, text in enumerate(texts)]


def test_everything_stays_where_there_is_room() -> None:
    text, count = words(said("first", "never touch x.txt", "last"))
    assert count == 3
    assert text == "\n".join(f"<prompt>\n{one}\n</prompt>" for one in ("first", "never touch x.txt", "last"))


def test_g04_what_reads_like_a_rule_stays_first_then_the_first_prompt_then_the_newest() -> None:
    prompts = said(
        STORY, "never touch x.txt", *[f"{number} {STORY}" for number in range(10)], "不要修改迁移文件", "last"
    )
    text, count = words(prompts, room=tokens_in(STORY) * 3)
    assert "never touch x.txt" in text
    assert "不要修改迁移文件" in text
    assert text.startswith(f"<prompt>\n{STORY.strip()}")
    assert f"9 {STORY}".strip() in text
    assert f"0 {STORY}".strip() not in text
    assert count < len(prompts)


def test_g04_a_rule_in_the_middle_of_a_very_long_prompt_stays() -> None:
    rule = "You must never write to the table `users`."
    text, count = words(said(f"{STORY * 20}\n{rule}\n{STORY * 20}"))
    assert count == 1
    assert rule in text
    assert len(text) < 6_000


@given(st.lists(st.text("ab \n", max_size=300), max_size=12), st.integers(0, 300))
def test_the_prompts_stay_whole_in_their_order_and_within_the_bound(texts: list[str], room: int) -> None:
    text, count = words(said(*texts), room)
    kept = re.findall(r"<prompt>\n(.*?)\n</prompt>", text, re.DOTALL)
    assert len(kept) == count
    assert sum(map(tokens_in, kept)) <= room
    all_of_them = iter(one.strip() for one in texts)
    assert all(any(one == part for one in all_of_them) for part in kept)


def test_goal_and_open_todos_are_named() -> None:
    todos = [{"content": "done one", "status": "completed"}, {"content": "open one", "status": "in_progress"}]
    text = kept_text(said("hello"), "ship it", todos)
    assert "<goal>\nship it\n</goal>" in text
    assert "- [in_progress] open one" in text
    assert "done one" not in text
    assert kept_text([], None, []) == ""


def test_prompts_for_which_there_is_no_room_are_counted() -> None:
    many = said(*[f"{number} {STORY}" for number in range(200)])
    text = kept_text(many, None, [])
    assert "more are in the summary only" in text
    assert tokens_in(text) < MOST_TOKENS + 200
