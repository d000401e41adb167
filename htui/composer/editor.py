"""The editor of a prompt: a draft with undo, a kill ring, folds and the recall of earlier prompts. Keys move it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from htui.composer import draft as d
from htui.composer.draft import Draft
from htui.composer.folds import fold, next_mark, unfolded, without_marks
from htui.composer.kills import KillRing
from htui.composer.layout import Layout, lay_out, vertical

UNDO = 200
RECALL = 2000
UNFOLDED = 20_000
"""Characters of another client's text that are shown as they are."""


class Editor:
    """`press` takes a key by Textual's name. `cells` is the width of a line, for going up and down."""

    def __init__(self, cells: int = 78) -> None:
        self.cells = cells
        self.draft = Draft()
        self.folds: dict[str, str] = {}
        self._undo: list[Draft] = []
        self._typing = False
        self._kills = KillRing()
        self._killing = False
        self._yanked: int | None = None
        """Where the text begins that was yanked just now."""
        self._goal: int | None = None
        self._recall: list[str] = []
        self._at: int | None = None
        self._parked = Draft()

    @property
    def text(self) -> str:
        """The whole text, folds included."""
        return unfolded(self.draft.text, self.folds)

    @property
    def empty(self) -> bool:
        return not self.draft.text

    def layout(self) -> Layout:
        return lay_out(self.draft, self.folds, self.cells)

    def set(self, text: str) -> None:
        """Other text, the caret behind it; can be undone."""
        self._change(Draft(text, len(text)))
        self._at = None

    def adopt(self, text: str, caret: int) -> None:
        """Text from elsewhere with its caret; can be undone."""
        text = without_marks(text)
        if len(text) > UNFOLDED:
            mark = next_mark(self.folds)
            self.folds[mark] = text
            text, caret = mark, 1
        self._change(Draft(text, min(max(0, caret), len(text))))
        self._at = None

    def clear(self) -> None:
        self.set("")

    def take(self) -> str:
        """The whole text, which is remembered for recall; the editor is empty afterwards."""
        text = self.text
        self.remember(text)
        self.draft, self.folds = Draft(), {}
        self._undo.clear()
        self._reset()
        self._at = None
        return text

    def remember(self, text: str) -> None:
        if text.strip() and (not self._recall or self._recall[-1] != text):
            self._recall.append(text)
            del self._recall[:-RECALL]

    def set_recall(self, texts: Sequence[str]) -> None:
        """Earlier prompts, oldest first; those entered here since stay the latest, and what is shown stays."""
        known = set(texts)
        before, at = self._recall, self._at
        self._recall = [*texts, *(text for text in before if text not in known)][-RECALL:]
        if at is not None:
            places = [place for place, text in enumerate(self._recall) if text == before[at]]
            behind = len(before) - at
            self._at = min(places, key=lambda place: abs(len(self._recall) - place - behind), default=None)

    def paste(self, text: str) -> None:
        """Inserts a text as it is; a long one is folded."""
        text = self._folded(without_marks(text))
        if text:
            self._change(d.insert(self.draft, text))

    def replace(self, draft: Draft) -> None:
        """Another draft in place of this one; can be undone."""
        self._change(draft)
        self._at = None

    @property
    def on_first_line(self) -> bool:
        return self.layout().line == 0

    @property
    def at_oldest(self) -> bool:
        """True when there is no earlier prompt to recall."""
        return not self._recall if self._at is None else self._at == 0

    def _folded(self, text: str) -> str:
        """A long text with its middle as one character."""
        folded, mark, middle = fold(text, self.folds)
        if mark:
            self.folds[mark] = middle
        return folded

    def press(self, key: str, character: str | None = None) -> bool:
        """Takes a key; False when it means nothing here."""
        action = _KEYS.get(key)
        if action is not None:
            action(self)
            return True
        if key == "space":
            character = " "
        if character is not None and character.isprintable() and not key.startswith(("ctrl+", "alt+")):
            self._type(without_marks(character))
            return True
        return False

    def state(self) -> dict[str, Any]:
        """What is kept of it: text, caret and folds that are in use."""
        used = {mark: text for mark, text in self.folds.items() if mark in self.draft.text}
        return {"text": self.draft.text, "caret": self.draft.caret, "folds": used}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Takes what `state` gave, whatever became of it in between."""
        text, caret, folds = state.get("text"), state.get("caret"), state.get("folds")
        folds = folds if isinstance(folds, Mapping) else {}
        self.folds = {m: t for m, t in folds.items() if isinstance(m, str) and len(m) == 1 and isinstance(t, str)}
        text = text if isinstance(text, str) else ""
        self.draft = Draft(text, min(max(0, caret if isinstance(caret, int) else len(text)), len(text)))
        self._undo.clear()
        self._reset()
        self._at = None

    def newline(self) -> None:
        self._change(d.insert(self.draft, "\n"))

    def undo(self) -> None:
        if self._undo:
            self.draft = self._undo.pop()
            self._reset()

    def up(self) -> None:
        self._vertical(-1)

    def down(self) -> None:
        self._vertical(1)

    def recall_earlier(self) -> None:
        at = len(self._recall) if self._at is None else self._at
        if at > 0:
            if self._at is None:
                self._parked = self.draft
            self._show_recalled(at - 1)

    def recall_later(self) -> None:
        if self._at is None:
            return
        if self._at + 1 < len(self._recall):
            self._show_recalled(self._at + 1)
        else:
            self._at = None
            self.draft = self._parked
            self._reset()

    def _show_recalled(self, at: int) -> None:
        self._at = at
        text = self._folded(self._recall[at])
        self.draft = Draft(text, len(text))
        self._reset()

    def _vertical(self, by: int) -> None:
        layout = self.layout()
        goal = layout.column if self._goal is None else self._goal
        place = vertical(layout, self.draft, by, goal)
        if place is None:
            (self.recall_earlier if by < 0 else self.recall_later)()
            return
        self.draft = Draft(self.draft.text, place)
        self._reset()
        self._goal = goal

    def _type(self, text: str) -> None:
        typing = self._typing
        self._change(d.insert(self.draft, text), keep_undo=typing and not text.isspace())
        self._typing = True

    def _change(self, draft: Draft, *, keep_undo: bool = False) -> None:
        if draft.text != self.draft.text and not keep_undo:
            self._undo.append(self.draft)
            del self._undo[:-UNDO]
        self.draft = draft
        self._reset()

    def _reset(self) -> None:
        self._typing = self._killing = False
        self._goal = self._yanked = None

    def _move(self, place: int) -> None:
        self.draft = Draft(self.draft.text, place)
        self._reset()

    def _kill(self, start: int, end: int, *, forward: bool) -> None:
        """Cuts; what is cut in one go is yanked in one go."""
        if start == end:
            return
        self._kills.add(self.draft.text[start:end], forward=forward, joined=self._killing)
        self._change(d.cut(self.draft, start, end))
        self._killing = True

    def kill_to_end(self) -> None:
        end = d.line_end(self.draft)
        self._kill(
            self.draft.caret, end if end > self.draft.caret else min(end + 1, len(self.draft.text)), forward=True
        )

    def kill_to_start(self) -> None:
        self._kill(d.line_start(self.draft), self.draft.caret, forward=False)

    def kill_word(self) -> None:
        self._kill(self.draft.caret, d.word_end(self.draft), forward=True)

    def kill_word_back(self) -> None:
        self._kill(d.word_start(self.draft), self.draft.caret, forward=False)

    def kill_blank_back(self) -> None:
        self._kill(d.blank_start(self.draft), self.draft.caret, forward=False)

    def yank(self) -> None:
        self._yank(self.draft, self._kills.yank())

    def yank_earlier(self) -> None:
        """What was cut before, in place of what was yanked just now."""
        if self._yanked is not None:
            self._yank(d.cut(self.draft, self._yanked, self.draft.caret), self._kills.turn())

    def _yank(self, draft: Draft, text: str) -> None:
        if text:
            self._change(d.insert(draft, text))
            self._yanked = draft.caret

    def erase_back(self) -> None:
        self._change(d.backspace(self.draft))

    def erase(self) -> None:
        self._change(d.delete(self.draft))

    def go_left(self) -> None:
        self._move(d.left(self.draft).caret)

    def go_right(self) -> None:
        self._move(d.right(self.draft).caret)

    def go_word_left(self) -> None:
        self._move(d.word_start(self.draft))

    def go_word_right(self) -> None:
        self._move(d.word_end(self.draft))

    def go_line_start(self) -> None:
        self._move(d.line_start(self.draft))

    def go_line_end(self) -> None:
        self._move(d.line_end(self.draft))


ACTIONS: tuple[tuple[str, Callable[[Editor], None], tuple[str, ...]], ...] = (
    ("a new line", Editor.newline, ("ctrl+j", "alt+enter", "shift+enter", "ctrl+enter")),
    ("a character to the left", Editor.go_left, ("left", "ctrl+b")),
    ("a character to the right", Editor.go_right, ("right", "ctrl+f")),
    ("a word to the left", Editor.go_word_left, ("alt+b", "ctrl+left", "alt+left")),
    ("a word to the right", Editor.go_word_right, ("alt+f", "ctrl+right", "alt+right")),
    ("to the beginning of the line", Editor.go_line_start, ("ctrl+a", "home")),
    ("to the end of the line", Editor.go_line_end, ("ctrl+e", "end")),
    ("a line up, in the first one the prompt before", Editor.up, ("up",)),
    ("a line down, in the last one the prompt after", Editor.down, ("down",)),
    ("the prompt before", Editor.recall_earlier, ("ctrl+p",)),
    ("the prompt after", Editor.recall_later, ("ctrl+n",)),
    ("delete the character before", Editor.erase_back, ("backspace", "ctrl+h", "shift+backspace")),
    ("delete the character behind", Editor.erase, ("delete", "ctrl+d")),
    ("cut to the end of the line", Editor.kill_to_end, ("ctrl+k",)),
    ("cut to the beginning of the line", Editor.kill_to_start, ("ctrl+u",)),
    ("cut back to a blank", Editor.kill_blank_back, ("ctrl+w",)),
    ("cut the word before", Editor.kill_word_back, ("alt+backspace", "ctrl+backspace")),
    ("cut the word behind", Editor.kill_word, ("alt+d", "ctrl+delete")),
    ("bring back what was cut", Editor.yank, ("ctrl+y",)),
    ("what was cut before that instead", Editor.yank_earlier, ("alt+y",)),
    ("undo", Editor.undo, ("ctrl+underscore", "ctrl+slash")),
)
"""What each does, for people, and its keys by Textual's names. A character is what one takes for it: a grapheme."""

_KEYS: Mapping[str, Callable[[Editor], None]] = {key: action for _, action, keys in ACTIONS for key in keys}
