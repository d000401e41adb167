"""Every recorded follow stream of both versions goes through the mirror, and through the strict follower."""

import pytest

from hd.protocol.projections.transcript import Row
from htui.mirror import HostMirror, SessionMirror
from tests.support.recordings import RecordedStream, Recording, every_recording
from tests.support.strict_follower import StrictFollower

RECORDINGS = every_recording()


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_the_mirror_takes_every_recorded_stream(version: str, name: str) -> None:
    for stream in Recording.load(version, name).follows():
        mirror = SessionMirror(stream.session_id or "")
        for item in stream.items:
            rows, live = mirror.rows, mirror.live
            change = mirror.apply(item)
            if change.first_row is None:
                assert mirror.rows is rows
            else:
                same = min(change.first_row, len(rows))
                assert change.replaced or all(rows[i] is mirror.rows[i] for i in range(same))
            assert change.live or mirror.live == live
            _assert_never_shown_twice(mirror)
        assert mirror.unknown == 0
        assert not [row for row in mirror.rows if row.name == "tool"], "a result without its call"
        assert mirror.running or not mirror.live


def _assert_never_shown_twice(mirror: SessionMirror) -> None:
    after = {row.seq for row in mirror.rows if row.kind == "assistant"}
    assert not [row for row in mirror.live if any(seq > row.seq for seq in after)]
    keys = [row.key for row in (*mirror.rows, *mirror.live)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_the_strict_follower_takes_every_recorded_stream(version: str, name: str) -> None:
    for stream in Recording.load(version, name).follows():
        follower = StrictFollower().apply_all(stream.items)
        mirror = SessionMirror("")
        mirror.fold(stream.items)
        assert follower.cursor == mirror.cursor
        if _asks_for_deltas(stream):
            assert [text for text in follower.live.values() if text] == [_text(row) for row in mirror.live]
        if version.startswith("0.1.5"):  # newer tool results are those that this follower cannot join
            shown = dict.fromkeys((row.kind, row.seq) for row in follower.rows)
            ours = ("notice", "command", "compaction")  # that follower tells these beside the transcript, or not at all
            assert list(shown) == list(dict.fromkeys((r.kind, r.seq) for r in mirror.rows if r.kind not in ours))


def _asks_for_deltas(stream: RecordedStream) -> bool:
    return stream.args["request"].get("assistantStream") is True


def _text(row: Row) -> str:
    return row.arguments if row.kind == "tool" else row.text


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_the_host_mirror_takes_every_recorded_stream(version: str, name: str) -> None:
    recording = Recording.load(version, name)
    for client in {stream.client for stream in recording.streams}:
        host = HostMirror()
        for stream in recording.streams:
            if stream.client != client:
                continue
            for item in stream.items:
                if stream.endpoint == "$events":
                    host.event(item, 1)
                elif stream.endpoint == "session/control":
                    host.control(item)
                elif stream.endpoint == "workspace/follow":
                    host.workspace(item)
        for entry in host.sessions:
            assert dict(entry.values) == host.projections(entry.session_id)
            assert all(item.item_id and item.placement for item in host.queue(entry.session_id))


@pytest.mark.parametrize("version", ["0.1.5-rc.1", "0.2.1-rc.2"])
def test_queue_frames_and_the_inbox_projection_say_the_same(version: str) -> None:
    recording = Recording.load(version, "10_queue_steer")
    seen: set[tuple[str, bool]] = set()
    for stream in recording.streams:
        if stream.endpoint != "session/control":
            continue
        host = HostMirror()
        for item in stream.items:
            step = host.control(item)
            for session_id in step.values or {}:
                seen.update((queued.placement, queued.request_id is not None) for queued in host.queue(session_id))
    assert {("queued", True), ("steering", True)} <= seen
