"""The comparison itself: it takes a recording for like itself, and finds what is made wrong on purpose."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.live import Answer, Pair
from tests.conformance.names import Names
from tests.conformance.played import Exchange, Played
from tests.conformance.recorded import NEW, Row, frame_of, is_call, rows, scenarios
from tests.conformance.rules import differences
from tests.conformance.shapes import Shape
from tests.conformance.tokens import words
from tests.conformance.tools import translated

SCENARIO = "05_shell_turn"


def mirrored(recording: tuple[Row, ...]) -> Played:
    """The recording as if a daemon had answered the very same."""
    played = Played()
    streams: dict[tuple[str, str], Pair] = {}
    asked: dict[str, Row] = {}
    for row in recording:
        frame = frame_of(row)
        if is_call(row):
            asked[row["client"]] = row
        elif row["dir"] == "s2c" and row.get("ch") == "http":
            live = Answer(row["status"], row["headers"], copy.deepcopy(row["body"]))
            played.exchanges.append(Exchange(asked[row["client"]], row, live))
        elif isinstance(frame, dict) and row["dir"] == "c2s" and frame["type"] == "open":
            streams[row["client"], frame["streamId"]] = Pair(row["client"], frame["endpoint"])
            played.pairs.append(streams[row["client"], frame["streamId"]])
        elif isinstance(frame, dict) and row["dir"] == "s2c":
            pair = streams[row["client"], frame["streamId"]]
            pair.recorded.append(frame)
            pair.live.append(copy.deepcopy(frame))
    return played


@pytest.mark.parametrize("name", scenarios(NEW))
def test_a_recording_is_like_itself(name: str) -> None:
    lines = differences(mirrored(rows(NEW, name)), NEW)
    assert [line for line in lines if not line.startswith("the strict client")] == []


def events(played: Played, kind: str) -> list[Any]:
    """The live events of a type, to be changed in place."""
    follow = next(pair for pair in played.pairs if pair.endpoint == "session/follow")
    values = [frame["value"] for frame in follow.live]
    return [value["event"] for value in values if value["type"] == "event" and value["event"]["type"] == kind]


def without_turn_end(played: Played) -> None:
    follow = next(pair for pair in played.pairs if pair.endpoint == "session/follow")
    del follow.live[-1]


def swapped(played: Played) -> None:
    follow = next(pair for pair in played.pairs if pair.endpoint == "session/follow")
    follow.live[-1], follow.live[-2] = follow.live[-2], follow.live[-1]


def without_key(played: Played) -> None:
    del events(played, "tool/call")[0]["data"]["callId"]


def with_key(played: Played) -> None:
    events(played, "tool/call")[0]["data"]["more"] = 1


def of_another_type(played: Played) -> None:
    events(played, "tool/call")[0]["data"]["arguments"] = {}


def of_an_unknown_kind(played: Played) -> None:
    events(played, "tool/call")[0]["type"] = "own/kind"


def in_another_turn(played: Played) -> None:
    events(played, "step/end")[0]["data"]["turn"] = 9


def with_a_gap(played: Played) -> None:
    events(played, "turn/end")[0]["seq"] += 1


def of_another_status(played: Played) -> None:
    played.exchanges[-1].live.status = 500  # type: ignore[union-attr]


def with_an_error(played: Played) -> None:
    error = {"code": "gateway/internal", "message": "", "details": {}}
    played.exchanges[-1].live.body["result"] = {"ok": False, "error": error}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "damage, said",
    [
        (without_turn_end, "no event turn/end completed"),
        (swapped, "besides event turn/end"),
        (without_key, "data.callId: missing"),
        (with_key, "data.more: besides"),
        (of_another_type, "data.arguments: object instead of string"),
        (of_an_unknown_kind, "not marked as one to skip"),
        (in_another_turn, "data.turn: 9 instead of 1"),
        (with_a_gap, "the strict client"),
        (of_another_status, "session/prompt: status 500 instead of 200"),
        (with_an_error, "session/prompt: gateway/internal instead of ok"),
    ],
)
def test_what_is_wrong_is_found(damage: Callable[[Played], None], said: str) -> None:
    played = mirrored(rows(NEW, SCENARIO))
    damage(played)
    assert any(said in line for line in differences(played, NEW))


def test_a_shape_knows_tags_and_ids() -> None:
    shape = Shape()
    shape.learn([{"type": "a", "x": 1}, {"type": "b", "y": None}, {"type": "b", "y": "z"}])
    assert list(shape.wrong([{"type": "a", "x": 2.5}, {"type": "b", "y": "more"}])) == []
    assert list(shape.wrong([{"type": "a"}])) == [("[]<a>.x", "missing")]
    assert list(shape.wrong([{"type": "b", "y": 1}])) == [("[]<b>.y", "number instead of null or string")]
    assert list(shape.wrong([{"type": "c"}])) == [("[]", "'c' was never seen here")]
    by_id = Shape()
    by_id.learn({"session-00000000-0000-4000-8000-000000000001": {"n": 1}})
    assert list(by_id.wrong({"session-00000000-0000-4000-8000-000000000002": {"n": 2}})) == []


def test_names_are_learnt_and_said() -> None:
    one, other = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
    names = Names([("/home/dev", "/somewhere")])
    names.learn({"sessionId": f"session-{one}"}, {"sessionId": f"session-{other}"})
    names.learn({"sessionId": f"session-{one}"}, {"sessionId": "another"})
    said = names.request({"request": {"sessionId": f"session-{one}", "path": "/home/dev/x", "n": 1}})
    assert said == {"request": {"sessionId": f"session-{other}", "path": "/somewhere/x", "n": 1}}


def test_a_prompt_names_our_tools_in_our_places() -> None:
    prompt = '[[tool read {"file_path": "/home/dev/a"}]] now'
    assert translated(prompt, lambda text: text.replace("/home/dev", "/w")) == '[[tool read_file {"path": "/w/a"}]] now'
    assert translated("[[tool nosuchtool {}]]", str) == "[[tool nosuchtool {}]]"
    assert translated("plain", str) == "plain"


def test_neighbouring_deltas_are_one_word() -> None:
    def delta(text: str) -> dict[str, Any]:
        chunk = {"type": "text-delta", "index": 0, "text": text}
        return {"type": "item", "value": {"type": "assistant-stream", "frame": {"type": "chunk", "chunk": chunk}}}

    assert [word for word, _ in words("session/follow", [delta("a"), delta("b")])] == ["chunk text-delta 0"]
