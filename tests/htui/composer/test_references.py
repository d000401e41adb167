"""`@path` in a prompt (row T23)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.composer.draft import Draft
from htui.composer.references import Mention, Reference, chosen, mention_at, references


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("@", Mention(0, "")),
        ("see @src/ma", Mention(4, "src/ma")),
        ("看@主", Mention(1, "主")),
        ("(@a", Mention(1, "a")),
        ("line\n@a", Mention(5, "a")),
        ("me@home", None),
        ("@a b", None),
        ("plain", None),
        ("@" + "x" * 300, None),
    ],
)
def test_a_name_is_typed_behind_an_at_that_begins_a_word(text: str, mention: Mention | None) -> None:
    assert mention_at(Draft(text, len(text))) == mention


def test_what_was_typed_becomes_the_path() -> None:
    draft = Draft("see @ma now", 7)
    mention = Mention(4, "ma")
    assert chosen(draft, mention, Reference("src/main.py")) == Draft("see @src/main.py now", 17)
    assert chosen(draft, mention, Reference("src", True)) == Draft("see @src/ now", 9)
    assert chosen(draft, mention, Reference("a b.txt")) == Draft('see @"a b.txt" now', 15)


def test_an_answer_of_a_host_is_read_leniently() -> None:
    rows = [{"path": "a/b", "kind": "directory"}, {"path": "c"}, {"path": 5}, 7, {"path": "bad\x1b[2J"}, {"path": ""}]
    assert references(rows) == (Reference("a/b", True), Reference("c"))
    assert references(rows)[0].shown == "a/b/"
    assert references({"no": "list"}) == ()


@given(st.text("@ab /\n你"), st.data())
def test_a_choice_never_touches_what_stands_around(text: str, data: st.DataObject) -> None:
    draft = Draft(text, data.draw(st.integers(0, len(text))))
    mention = mention_at(draft)
    if mention is not None:
        after = chosen(draft, mention, Reference("p"))
        assert after.text[: mention.start] == text[: mention.start]
        assert after.text[after.caret :].strip() == text[draft.caret :].strip()
        assert after.text[mention.start : after.caret].strip() == "@p"
