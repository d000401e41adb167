"""Takes apart what crossed the wire: events, projection values and chunks are compared as what they are (pure).

The shape of each is learnt from all recordings of a version together, so that an answer is not held against the one
example that happens to stand beside it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from tests.conformance.recorded import every_row, frame_of, is_call
from tests.conformance.shapes import Shape
from tests.conformance.tokens import PEOPLE

Part = tuple[str, Any]
"""(what it is, the value)."""

TAKEN: Final = "·"
"""Stands where a part was taken out."""


def split(name: str, value: Any) -> Iterator[Part]:
    """The value without its parts, and the parts: events, projection values and chunks, each under its own name."""
    found: list[Part] = []
    yield name, _taken(value, found)
    yield from found


def _taken(value: Any, found: list[Part]) -> Any:
    if isinstance(value, list):
        return [_taken(member, found) for member in value]
    if not isinstance(value, dict):
        return value
    if {"type", "seq", "time", "data"} <= value.keys():
        found.append((_event_name(value), {**value, "data": _taken(value["data"], found)}))
        return TAKEN
    if "asOfSeq" in value and isinstance(value.get("values"), dict):
        found += [(f"projection {key}", member) for key, member in value["values"].items()]
        found.append(("projections", dict.fromkeys(value["values"], TAKEN)))
        return {**value, "values": TAKEN}
    if isinstance(value.get("chunk"), dict):
        found.append((f"chunk {value['chunk'].get('type')}", value["chunk"]))
        return {**value, "chunk": TAKEN}
    return {key: _taken(member, found) for key, member in value.items()}


def _event_name(event: Mapping[str, Any]) -> str:
    """`event` and its type; what a host tells its model is apart from what people say."""
    source = event["data"].get("source") if event["type"] == "user/message" else None
    told = isinstance(source, dict) and source.get("kind") not in PEOPLE
    return f"event {event['type']}{' of the host' if told else ''}"


def of_result(method: str, result: Any) -> Iterator[Part]:
    """The parts of the answer to a call."""
    if not isinstance(result, dict):
        yield f"result {method}", result
    elif result.get("ok"):
        yield from split(f"result {method}", result.get("value", TAKEN))
    else:
        error = result.get("error") or {}
        yield f"error {error.get('code')}", {**error, "details": _details(error.get("details"))}


def _details(details: Any) -> Any:
    """The validation issues are those of a library; that they are a list is enough."""
    return {**details, "issues": []} if isinstance(details, dict) and "issues" in details else details


def of_frame(endpoint: str, frame: Mapping[str, Any]) -> Iterator[Part]:
    """The parts of a frame of a stream."""
    if frame["type"] == "error":
        error = frame["error"]
        yield f"error {error.get('code')}", error
        return
    if frame["type"] != "item":
        yield f"frame {frame['type']}", frame
        return
    value = frame["value"]
    kind = value.get("type")
    if kind == "projection":
        yield "item session/control projection", {**value, "value": TAKEN}
        yield f"projection {value['key']}", value["value"]
    elif kind == "emit":
        yield f"emit {value['event']}", {**value, "args": []}
        for argument in value["args"]:
            yield from split(f"emit {value['event']} argument", argument)
    elif kind == "waterfall":
        yield f"waterfall {value['event']}", value
    else:
        yield from split(f"item {endpoint}", value)


@cache
def shapes(version: str) -> Mapping[str, Shape]:
    """The shape of every part, from all recordings of the version."""
    found: defaultdict[str, Shape] = defaultdict(Shape)
    methods: dict[str, str] = {}
    endpoints: dict[tuple[str, str], str] = {}
    for row in every_row(version):
        for name, value in _parts_of(row, methods, endpoints):
            found[name].learn(value)
    return found


def _parts_of(row: Mapping[str, Any], methods: dict[str, str], endpoints: dict[tuple[str, str], str]) -> Iterator[Part]:
    frame, body = frame_of(row), row.get("body")
    if isinstance(frame, dict) and row["dir"] == "c2s" and frame.get("type") == "open":
        endpoints[row["client"], frame["streamId"]] = frame["endpoint"]
    elif isinstance(frame, dict) and row["dir"] == "s2c":
        yield from of_frame(endpoints.get((row["client"], frame["streamId"]), ""), frame)
    elif is_call(row):
        methods[row["client"]] = row["path"].removeprefix("/api/")
    elif row["dir"] == "s2c" and row.get("ch") == "http" and isinstance(body, dict):
        yield from of_result(methods[row["client"]], body.get("result"))
