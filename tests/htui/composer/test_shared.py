"""Two states of one draft (case J16)."""

import pytest

from htui.composer.shared import HostDraft, host_draft, meet, unfolded_caret, with_aside


@pytest.mark.parametrize(
    ("local", "host", "agreed", "editing", "met"),
    [
        ("a", ("a", 5), None, True, "same"),
        ("", ("from elsewhere", 5), 0, False, "take"),
        ("sent meanwhile", ("", 0), 5, False, "take"),
        ("older", ("newer", 6), 5, False, "take"),
        ("typed offline", ("newer", 6), None, False, "keep"),
        ("typed just now", ("newer", 6), 5, True, "keep"),
        ("what a host lost with its power", ("what", 4), 5, False, "keep"),
    ],
)
def test_who_typed_last_wins_but_never_over_what_is_being_typed(
    local: str, host: tuple[str, int], agreed: int | None, editing: bool, met: str
) -> None:
    assert meet(local, HostDraft(host[0], 0, host[1], "x"), agreed=agreed, editing=editing) == met


@pytest.mark.parametrize("item", [None, [], {}, {"text": 1, "revision": 1}, {"text": "a", "revision": "b"}])
def test_an_item_that_is_no_draft_is_none(item: object) -> None:
    assert host_draft(item) is None


def test_states_of_one_text_are_kept_once_and_the_oldest_go_first() -> None:
    texts: tuple[str, ...] = ()
    for text in ("fix", "fix the par", "fix the parser", "fix", " ", "other", "third"):
        texts = with_aside(texts, text, 2)
    assert texts == ("other", "third")
    assert with_aside(("fix the parser",), "the par", 2) == ("fix the parser",)


def test_the_caret_counts_what_is_folded() -> None:
    assert unfolded_caret({"text": "aXb", "caret": 2, "folds": {"X": "12345"}}) == 6
    assert unfolded_caret({}) == 0
