"""The terminal of a command: what it shows and what is typed into it, pure (`process/screen`, `process/input`)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from htui.present.cells import width
from htui.present.lines import EMPTY, Line, Span, slice_spans
from htui.present.safe import safe

_ATTRIBUTES = ("bold", "dim", "italic", "underline", "reverse", "strike")
_MOST_TEXT = 1000
_MOST_KEYS = 50

LEAVE = "ctrl+right_square_bracket"
"""The one key that a program in a terminal never gets: telnet's."""

_KEYS: Mapping[str, str] = {
    "pageup": "page-up",
    "pagedown": "page-down",
    "shift+tab": "back-tab",
    **{key: key for key in ("enter", "tab", "escape", "backspace", "up", "down", "left", "right", "home", "end")},
    **{key: key for key in ("insert", "delete", *(f"f{number}" for number in range(1, 13)))},
}
_CONTROLS: Mapping[str, str] = {
    "ctrl+@": "\0",
    "ctrl+space": "\0",
    "ctrl+backslash": "\x1c",
    "ctrl+circumflex_accent": "\x1e",
    "ctrl+underscore": "\x1f",
    "ctrl+slash": "\x1f",
}


class Stroke(NamedTuple):
    """A text that is typed, or the name of a key as the host has it."""

    kind: Literal["text", "key"]
    value: str


def stroke(key: str, character: str | None) -> Stroke | None:
    """What a key means to a terminal; None for one that has no meaning there."""
    if key in _KEYS:
        return Stroke("key", _KEYS[key])
    if character is not None and character.isprintable() and not key.startswith(("ctrl+", "alt+")):
        return Stroke("text", character)
    if key in _CONTROLS:
        return Stroke("text", _CONTROLS[key])
    name = key.removeprefix("ctrl+").removeprefix("alt+")
    if len(name) == 1 and name.isascii() and name.isalnum():
        if key.startswith("ctrl+") and name.isalpha():
            return Stroke("text", chr(ord(name.lower()) & 0x1F))
        if key.startswith("alt+"):
            return Stroke("text", f"\x1b{name}")
    return None


def pasted(text: str) -> Stroke:
    """A paste as it is typed: line ends as Enter, and nothing else that a terminal would act on."""
    kept = "".join(char for char in text if char in "\n\t" or char.isprintable())
    return Stroke("text", kept.replace("\n", "\r"))


def batch(strokes: Sequence[Stroke]) -> tuple[str, list[str], list[Stroke]]:
    """The text and the keys behind it that one call can type in the order of the strokes, and what is left."""
    text = ""
    place = 0
    while place < len(strokes) and strokes[place].kind == "text" and len(text) < _MOST_TEXT:
        room = _MOST_TEXT - len(text)
        value = strokes[place].value
        text += value[:room]
        if len(value) > room:
            return text, [], [Stroke("text", value[room:]), *strokes[place + 1 :]]
        place += 1
    keys: list[str] = []
    while place < len(strokes) and strokes[place].kind == "key" and len(keys) < _MOST_KEYS:
        keys.append(strokes[place].value)
        place += 1
    return text, keys, list(strokes[place:])


class Glass:
    """The screen of a terminal as the host told it last."""

    def __init__(self) -> None:
        self.columns = 0
        self.rows = 0
        self.cursor: tuple[int, int] | None = None
        self.alternate = False
        self.lines: list[Line] = []

    def take(self, item: Mapping[str, Any]) -> None:
        """Takes a `screen` item: the whole of it, or the lines that changed."""
        self.columns, self.rows = _whole(item.get("columns")), _whole(item.get("rows"))
        self.alternate = item.get("alternate") is True
        if item.get("whole") is True:
            self.lines = []
        self.lines = [*self.lines, *[EMPTY] * (self.rows - len(self.lines))][: self.rows]
        for row in _items(item.get("lines")):
            place = row.get("line")
            if isinstance(place, int) and 0 <= place < len(self.lines):
                self.lines[place] = tuple(_span(span) for span in _items(row.get("spans")))
        cursor = item.get("cursor")
        self.cursor = (cursor[0], cursor[1]) if isinstance(cursor, list) and _is_point(cursor) else None

    def view(self, columns: int, rows: int) -> tuple[list[Line], tuple[int, int] | None]:
        """The part for which there is room, around the cursor, and where the cursor stands in it."""
        x, y = self.cursor or (0, self._content() - 1)
        top, left = max(0, y - rows + 1), max(0, x - columns + 1)
        shown = [_right_of(line, left) for line in self.lines[top : top + rows]]
        return shown, None if self.cursor is None else (x - left, y - top)

    def _content(self) -> int:
        """Lines up to the last one that holds anything."""
        return next((place for place in range(len(self.lines), 0, -1) if self.lines[place - 1]), 1)


def _right_of(line: Line, left: int) -> Line:
    """A line without its first cells."""
    if not left:
        return line
    text = "".join(span.text for span in line)
    start = 0
    while start < len(text) and width(text[:start]) < left:
        start += 1
    return slice_spans(line, [(start, len(text))])[0] if start < len(text) else EMPTY


def _span(row: Mapping[str, Any]) -> Span:
    roles = [name for name in _ATTRIBUTES if row.get(name) is True]
    roles += [f"{key}{row[key]}" for key in ("fg", "bg") if isinstance(row.get(key), int) and 0 <= row[key] < 256]
    return Span(safe(str(row.get("text") or "")).replace("\n", " "), " ".join(roles))


def _is_point(cursor: list[Any]) -> bool:
    return len(cursor) == 2 and all(isinstance(value, int) and value >= 0 for value in cursor)


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TEXT else 0
