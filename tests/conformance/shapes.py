"""What a JSON value may look like, learnt from many examples (pure).

A shape says which JSON types were seen at a place and which keys an object always had. Objects that carry a tag
(`type`, `kind`, …) have a shape for each tag; objects whose keys are ids have one for all their members.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.conformance.names import UUID

TAGS: Final = ("type", "kind", "op", "role")
OPAQUE: Final = frozenset({"parameters", "schema", "adapterDefaults", "shadowedRange"})
"""Places that hold a JSON schema, what a provider likes, or places in a log: any object is right."""

Found = Iterator[tuple[str, str]]
"""(place, what is wrong there)."""


def type_of(value: object) -> str:
    """The JSON type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
        case _:
            return "object"


def tag_of(value: Mapping[str, Any]) -> str:
    return next((value[name] for name in TAGS if isinstance(value.get(name), str)), "")


def members(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of an object; the key of one that is named by an id is `<id>`."""
    for key, member in value.items():
        yield ("<id>" if UUID.search(key) else key), member


@dataclass
class Shape:
    """`seen` counts the objects of a tag, `present` how many of them had a key."""

    types: set[str] = field(default_factory=set)
    seen: dict[str, int] = field(default_factory=dict)
    keys: dict[tuple[str, str], "Shape"] = field(default_factory=dict)
    present: dict[tuple[str, str], int] = field(default_factory=dict)
    element: "Shape | None" = None

    def learn(self, value: Any) -> None:
        self.types.add(type_of(value))
        if isinstance(value, dict):
            tag = tag_of(value)
            self.seen[tag] = self.seen.get(tag, 0) + 1
            for key in dict(members(value)):
                self.present[tag, key] = self.present.get((tag, key), 0) + 1
            for key, member in members(value):
                if key not in OPAQUE:
                    self.keys.setdefault((tag, key), Shape()).learn(member)
        elif isinstance(value, list):
            self.element = self.element or Shape()
            for member in value:
                self.element.learn(member)

    def wrong(self, value: Any, place: str = "") -> Found:
        """Where `value` is not as all examples were."""
        if not self.types:
            return
        if type_of(value) not in self.types:
            yield place, f"{type_of(value)} instead of {' or '.join(sorted(self.types))}"
        elif isinstance(value, dict):
            yield from self._wrong_object(value, place)
        elif isinstance(value, list) and self.element is not None:
            for member in value:
                yield from self.element.wrong(member, f"{place}[]")

    def _wrong_object(self, value: Mapping[str, Any], place: str) -> Found:
        tag = tag_of(value)
        if tag not in self.seen:
            if tag:
                yield place, f"{tag!r} was never seen here"
            return
        where = f"{place}<{tag}>" if tag else place
        for key, member in members(value):
            if (tag, key) not in self.present:
                yield f"{where}.{key}", "besides"
            elif (tag, key) in self.keys:
                yield from self.keys[tag, key].wrong(member, f"{where}.{key}")
        for (kind, key), count in self.present.items():
            if kind == tag and count == self.seen[tag] and key not in dict(members(value)) and key != "<id>":
                yield f"{where}.{key}", "missing"


EXACT: Final = frozenset(
    {
        "accepted", "activation", "agentAvailable", "blank", "blockType", "code", "created", "currentValue", "deleted",
        "event", "eventType", "formatStatus", "hasMore", "interrupted", "isError", "isSeeded", "kind", "mode", "op",
        "ok", "outcome", "phase", "placement", "policy", "preset", "removedCount", "role", "running", "start", "status",
        "step", "surfaceOp", "target", "turn", "type",
    }
)  # fmt: skip
"""Keys whose scalar values are words or counts of the dialect, so that they must be the very same."""


def unlike(recorded: Any, live: Any, place: str = "") -> Found:
    """Where `live` has not the keys of `recorded`, or another word of the dialect; types are the shapes' business."""
    if isinstance(recorded, dict) and isinstance(live, dict):
        tag = tag_of(recorded)
        where = f"{place}<{tag}>" if tag else place
        ours, theirs = dict(members(live)), dict(members(recorded))
        for key, member in theirs.items():
            if key in OPAQUE:
                continue
            if key not in ours:
                if key != "<id>":
                    yield f"{where}.{key}", "missing"
            elif key in EXACT and not isinstance(member, dict | list):
                if ours[key] != member:
                    yield f"{where}.{key}", f"{ours[key]!r} instead of {member!r}"
            else:
                yield from unlike(member, ours[key], f"{where}.{key}")
    elif isinstance(recorded, list) and isinstance(live, list) and len(recorded) == len(live):
        for one, other in zip(recorded, live, strict=True):
            yield from unlike(one, other, f"{place}[]")
