"""What is on the screen at the end of every recorded scenario, held against a plain reading of the records."""

import pytest

from htui.mirror import Row
from tests.htui.mirror import reading
from tests.htui.mirror.reading import Said
from tests.htui.mirror.screens import Screens
from tests.htui.mirror.stage import Log, watermark
from tests.support.recordings import Recording, every_recording

RECORDINGS = every_recording()


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_transcript_queue_asks_status_and_usage_are_those_of_the_records(version: str, name: str) -> None:
    recording = Recording.load(version, name)
    for client in recording.clients():
        arrivals = recording.seen_by(client)
        screens = Screens().all(arrivals)
        logs = Log.all_of(recording)
        for stream in [s for s in recording.streams if s.client == client and s.endpoint == "session/follow"]:
            if not stream.items or stream.session_id is None:
                continue
            mirror = screens.mirror(stream)
            log = logs[stream.session_id]
            held = log.window(stream)
            assert [said(row) for row in mirror.rows] == reading.transcript(held)
            assert mirror.cursor == held[-1]["seq"]
            assert mirror.running == reading.running(held)
            assert (mirror.phase.kind == "idle") == (not mirror.running)
            assert mirror.unknown == 0
            as_of = log.events[: watermark(arrivals, stream.session_id, "tokenUsage") + 1]
            assert mirror.value("tokenUsage") == reading.usage(as_of)
            as_of = log.events[: watermark(arrivals, stream.session_id, "sessionStats") + 1]
            assert mirror.value("sessionStats")["turns"] == reading.turns(as_of)
            as_of = log.events[: watermark(arrivals, stream.session_id, "inbox") + 1]
            queue = [(item.item_id, item.placement, item.request_id) for item in mirror.queue]
            assert queue == reading.queue(as_of)
            if any(a.stream is not None and a.stream.endpoint == "$events" for a in arrivals):
                assert len(screens.host.asks) == reading.open_asks(held)
        assert not screens.declined


def said(row: Row) -> Said:
    if row.kind == "tool":
        return ("tool", row.seq, row.call_id, row.name, row.arguments, row.status, row.text)
    if row.kind == "notice":
        return ("notice", row.seq)
    if row.kind in ("assistant", "reasoning"):
        return (row.kind, row.seq, row.text, row.interrupted)
    return (row.kind, row.seq, row.text)
