"""What must not be passed over: a stream that breaks its numbering is followed anew, and never shown wrong."""

import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import pytest

from htui.errors import ProtocolBroken
from htui.mirror import SessionMirror
from tests.htui.mirror.screens import assert_shown_once
from tests.htui.mirror.stage import Follow
from tests.support.recordings import RecordedStream, Recording, every_recording

Sent = list[tuple[int, Any]]
"""What is sent, each with the number of recorded items that the host has sent or meant to send by then."""

FAULTS = ["event lost", "event twice", "events swapped", "frame lost", "frame twice", "chunk lost"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("version", "name"), every_recording())
def test_a_stream_that_breaks_its_numbering_is_followed_anew_and_ends_the_same(
    version: str, name: str, fault: str
) -> None:
    chance = random.Random(f"{version} {name} {fault}")
    for stream in Recording.load(version, name).follows():
        whole = SessionMirror("session")
        whole.fold(stream.items)
        places = [place for place in range(1, len(stream.items)) if applies(fault, stream.items, place)]
        for place in chance.sample(places, min(3, len(places))):
            mirror, breaks = played(stream, damaged(fault, stream.items, place))
            assert breaks == 1, "it was noticed once, and nothing after it"
            assert list(mirror.rows) == list(whole.rows)
            assert (mirror.live, mirror.running, mirror.phase) == (whole.live, whole.running, whole.phase)
            assert (mirror.cursor, mirror.first_seq) == (whole.cursor, whole.first_seq)


def played(stream: RecordedStream, sent: Sent) -> tuple[SessionMirror, int]:
    """The mirror at the end, which takes a new snapshot whenever it refuses something, and how often it did."""
    mirror, breaks, left = SessionMirror("session"), 0, deque(sent)
    while left:
        upto, item = left.popleft()
        rows, running = mirror.rows, mirror.running
        try:
            mirror.apply(item)
        except ProtocolBroken:
            assert (mirror.rows, mirror.running) == (rows, running), "what was shown stays until the snapshot"
            host = Follow(stream)
            for known in stream.items[:upto]:
                host.take(known)
            mirror.apply(host.snapshot(host.first["projections"]))
            breaks, left = breaks + 1, deque(enumerate(stream.items[upto:], upto + 1))
        assert_shown_once(mirror)
    return mirror, breaks


def applies(fault: str, items: Sequence[Any], place: int) -> bool:
    """Whether an item can have that fault, and a later one that must reveal it."""
    item, later = items[place], items[place + 1 :]
    if fault == "event twice":
        return bool(item["type"] == "event")
    if fault == "frame twice":
        return bool(item["type"] == "assistant-stream")
    if fault == "events swapped":
        return bool(item["type"] == "event" and later and later[0]["type"] == "event")
    if fault == "event lost":
        return bool(item["type"] == "event" and any(one["type"] == "event" for one in later))
    if item["type"] != "assistant-stream" or not any(one["type"] == "assistant-stream" for one in later):
        return False
    return fault == "frame lost" or bool(item["frame"]["type"] == "chunk")


def damaged(fault: str, items: Sequence[Any], place: int) -> Sent:
    sent = [(number, item) for number, item in enumerate(items, 1)]
    if fault in ("event lost", "frame lost"):
        return [*sent[:place], *sent[place + 1 :]]
    if fault in ("event twice", "frame twice"):
        return [*sent[: place + 1], (place + 1, items[place]), *sent[place + 1 :]]
    if fault == "events swapped":
        return [*sent[:place], (place + 2, items[place + 1]), (place + 2, items[place]), *sent[place + 2 :]]
    rest = [(number, _one_revision_less(item)) for number, item in sent[place + 1 :]]
    return [*sent[:place], *rest]


def _one_revision_less(item: Any) -> Any:
    if item["type"] != "assistant-stream":
        return item
    return {**item, "frame": {**item["frame"], "revision": item["frame"]["revision"] - 1}}
