"""What a recording must not hold, and how it is taken out. Pure.

Keys and other secret values become marks, the home of the user becomes `~`. A stream says a text in many deltas, so a
value may stand in no single one of them: the texts of a field are put together over all events, and what is hidden is
taken out of the events that it runs through, the mark standing where it began. Pieces keep their boundaries; one
within an event that had to be written anew moves to the end of that event.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hd.llm.tape.form import Piece
from hd.secrets import forms
from hd.secrets.mask import mark

LEFT_OUT: Final = "<left out>"
HOME: Final = "~"

_DATA_LINE: Final = re.compile(rb"^data: ?(.*)$", re.MULTILINE)
_KEY_MARK: Final = mark("key")

Path = tuple[str | int, ...]
Edit = tuple[int, int, bytes]
"""Bytes from the first index to the second one, and what stands there instead."""


class Veil:
    """`named` gives each secret value and what it is called, `home` is the home of the user."""

    def __init__(self, named: Mapping[str, str], home: str) -> None:
        marks = {variant: mark(name) for value, name in named.items() for variant in _variants(value)}
        homes = _variants(home) if len(home) > 1 else ()
        self._marks = marks | dict.fromkeys(homes, HOME)
        # The longest first: of a value that holds another nothing may be left over.
        known = [re.escape(text) for text in sorted(marks, key=len, reverse=True)]
        below = [rf"{re.escape(text)}(?![\w.\-])" for text in homes]
        pattern = "|".join((*known, *below, f"(?i:{forms.KEY.pattern})"))
        self._pattern = re.compile(pattern, re.VERBOSE)
        self._in_utf8 = re.compile(pattern.encode(), re.VERBOSE)

    def text(self, text: str) -> str:
        return self._pattern.sub(lambda found: self._mark(found[0]), text)

    def value(self, value: Any) -> Any:
        """The same for all texts of a JSON value, names included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(item) for name, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def request(self, body: Mapping[str, Any], *, contents: bool) -> dict[str, Any]:
        """A request; without `contents`, what tools found is left out."""
        veiled: dict[str, Any] = self.value(body)
        if not contents:
            for message in veiled.get("messages") or ():
                if message.get("role") == "tool":
                    message["content"] = LEFT_OUT
        return veiled

    def pieces(self, pieces: Sequence[tuple[int, bytes]]) -> tuple[Piece, ...]:
        """A body as it arrived, each piece with its time."""
        data = b"".join(part for _, part in pieces)
        ends, place = [], 0
        for _, part in pieces:
            place += len(part)
            ends.append(place)
        for edits in (self._in_events, self._in_bytes):
            data, ends = _edited(data, ends, edits(data))
        starts = [0, *ends][: len(ends)]
        return tuple(Piece.of(at, data[start:end]) for (at, _), start, end in zip(pieces, starts, ends, strict=True))

    def _mark(self, found: str) -> str:
        return self._marks.get(found, _KEY_MARK)

    def _in_bytes(self, data: bytes) -> list[Edit]:
        return [
            (found.start(), found.end(), self._mark(found[0].decode("utf-8", "replace")).encode())
            for found in self._in_utf8.finditer(data)
        ]

    def _in_events(self, data: bytes) -> list[Edit]:
        """What has to change in the events of a stream so that no field says a hidden text over several of them."""
        events = [(found.start(1), found.end(1), _decoded(found[1])) for found in _DATA_LINE.finditer(data)]
        fields: dict[Path, list[tuple[int, Callable[[str], None], str]]] = {}
        for number, (_, _, event) in enumerate(events):
            for path, put, text in _texts(event):
                fields.setdefault(path, []).append((number, put, text))
        changed: set[int] = set()
        for parts in fields.values():
            whole = "".join(text for _, _, text in parts)
            spans = [(found.start(), found.end(), self._mark(found[0])) for found in self._pattern.finditer(whole)]
            if not spans:
                continue
            place = 0
            for number, put, text in parts:
                left = _cut(text, place, spans)
                place += len(text)
                if left != text:
                    put(left)
                    changed.add(number)
        return [
            (start, end, msgspec.json.encode(event))
            for number, (start, end, event) in enumerate(events)
            if number in changed
        ]


def _variants(value: str) -> tuple[str, ...]:
    """A value as it may stand in a text: plainly, in JSON, and in JSON within JSON (the arguments of a call)."""
    found = [value]
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        found += [once, json.dumps(once, ensure_ascii=ascii_only)[1:-1]]
    return tuple(dict.fromkeys(text for text in found if text))


def _decoded(payload: bytes) -> Any:
    try:
        return msgspec.json.decode(payload)
    except ValueError:
        return None


def _texts(event: Any) -> Iterator[tuple[Path, Callable[[str], None], str]]:
    """The texts of an event that go on from event to event: of each its place, how it is set, and itself."""
    choices = event.get("choices") if isinstance(event, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            yield from _within((int(choice.get("index") or 0),), choice.get("delta"))


def _within(path: Path, value: Any) -> Iterator[tuple[Path, Callable[[str], None], str]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in list(items):
        if isinstance(item, str):
            yield (*path, name), _setter(value, name), item
        else:
            # Entries of a list say themselves which one they go on with.
            own = item.get("index") if isinstance(item, dict) and isinstance(value, list) else None
            yield from _within((*path, own if isinstance(own, int) else name), item)


def _setter(holder: Any, name: str | int) -> Callable[[str], None]:
    return lambda text: holder.__setitem__(name, text)


def _cut(text: str, place: int, spans: Sequence[tuple[int, int, str]]) -> str:
    """What is left of the text at `place` of a whole: of each span, the mark where it begins."""
    kept, done = [], 0
    for start, end, instead in spans:
        first, last = max(start - place, 0), min(end - place, len(text))
        if first >= last:
            continue
        kept.append(text[done:first])
        if start >= place:
            kept.append(instead)
        done = last
    return "".join((*kept, text[done:]))


def _edited(data: bytes, ends: Sequence[int], edits: Sequence[Edit]) -> tuple[bytes, list[int]]:
    """The bytes after all edits, and where boundaries are then; one within an edit is at its end."""
    parts, done, size = [], 0, 0
    moved, left = [], list(ends)
    for start, end, instead in edits:
        while left and left[0] <= start:
            moved.append(size + left.pop(0) - done)
        parts += [data[done:start], instead]
        size += start - done + len(instead)
        done = end
        while left and left[0] < end:
            left.pop(0)
            moved.append(size)
    moved += [size + one - done for one in left]
    return b"".join((*parts, data[done:])), moved
