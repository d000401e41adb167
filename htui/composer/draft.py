"""A text with a caret, and what editing does to it: pure. The caret never stands inside a grapheme."""

from dataclasses import dataclass

from htui.present.cells import grapheme_after, grapheme_before


@dataclass(frozen=True, slots=True)
class Draft:
    """`caret` is in characters from the beginning."""

    text: str = ""
    caret: int = 0


def insert(draft: Draft, text: str) -> Draft:
    return Draft(draft.text[: draft.caret] + text + draft.text[draft.caret :], draft.caret + len(text))


def cut(draft: Draft, start: int, end: int) -> Draft:
    """Without the characters from `start` to `end`, the caret where they were."""
    return Draft(draft.text[:start] + draft.text[end:], start)


def left(draft: Draft) -> Draft:
    return Draft(draft.text, grapheme_before(draft.text, draft.caret))


def right(draft: Draft) -> Draft:
    return Draft(draft.text, grapheme_after(draft.text, draft.caret))


def backspace(draft: Draft) -> Draft:
    return cut(draft, grapheme_before(draft.text, draft.caret), draft.caret)


def delete(draft: Draft) -> Draft:
    return cut(draft, draft.caret, grapheme_after(draft.text, draft.caret))


def line_start(draft: Draft) -> int:
    return draft.text.rfind("\n", 0, draft.caret) + 1


def line_end(draft: Draft) -> int:
    end = draft.text.find("\n", draft.caret)
    return len(draft.text) if end < 0 else end


def word_start(draft: Draft) -> int:
    """Where the word before the caret begins: letters and digits are a word, wide letters each for themselves."""
    place, text = draft.caret, draft.text
    while place and not text[place - 1].isalnum():
        place -= 1
    while place and text[place - 1].isalnum():
        place -= 1
    return place


def word_end(draft: Draft) -> int:
    place, text = draft.caret, draft.text
    while place < len(text) and not text[place].isalnum():
        place += 1
    while place < len(text) and text[place].isalnum():
        place += 1
    return place


def blank_start(draft: Draft) -> int:
    """Where the run of anything but blanks before the caret begins (what Ctrl+W removes)."""
    place, text = draft.caret, draft.text
    while place and text[place - 1].isspace():
        place -= 1
    while place and not text[place - 1].isspace():
        place -= 1
    return place
