"""What is on the screen at the end of every recorded scenario, held against a plain reading of the records."""

import random
from collections import deque
from collections.abc import Iterator, Sequence

import pytest

from htui.mirror import Row
from tests.htui.mirror import reading
from tests.htui.mirror.noise import Noise
from tests.htui.mirror.reading import Said
from tests.htui.mirror.screens import Screens, is_about_unknown, seen
from tests.htui.mirror.stage import Log, Stage, watermark
from tests.support.recordings import Arrival, Recording, every_recording

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
        assert screens.sent() == reading.unrecorded(prompts(arrivals), {sid: log.events for sid, log in logs.items()})


def prompts(arrivals: Sequence[Arrival]) -> list[tuple[str, str, str]]:
    """(session, request id, text) of the prompts that were sent under an id."""
    sent = [arrival.value for arrival in arrivals if arrival.kind == "prompted"]
    return [(session_id, request_id, text) for request_id, text, session_id in sent if isinstance(request_id, str)]


def said(row: Row) -> Said:
    if row.kind in ("tool", "command"):
        return (row.kind, row.seq, row.call_id, row.name, row.arguments, row.status, row.text)
    if row.kind == "notice":
        return ("notice", row.seq)
    if row.kind in ("assistant", "reasoning"):
        return (row.kind, row.seq, row.text, row.interrupted)
    return (row.kind, row.seq, row.text)


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_streams_that_overtake_each_other_end_the_same(version: str, name: str) -> None:
    recording = Recording.load(version, name)
    for client in recording.clients():
        arrivals = recording.seen_by(client)
        plain = seen(Screens().all(arrivals))
        for seed in range(4):
            late = Screens(asked=0).all(delayed(arrivals, random.Random(seed), bursts=seed % 2 == 1))
            assert seen(late) == plain, seed


def delayed(arrivals: Sequence[Arrival], chance: random.Random, *, bursts: bool) -> Iterator[Arrival]:
    """The same arrivals with the streams in another order among each other; `bursts` empties one after the other.

    An ask is answered after it came.
    """
    queues: dict[object, deque[Arrival]] = {}
    for arrival in arrivals:
        queues.setdefault(id(arrival.stream) if arrival.stream else arrival.kind, deque()).append(arrival)
    came: set[str] = set()
    current: object = None
    while queues:
        ready = [key for key, queue in queues.items() if queue[0].kind != "answered" or queue[0].value in came]
        if not bursts or current not in ready or chance.random() < 0.01:
            current = chance.choice(ready)
        arrival = queues[current].popleft()
        if not queues[current]:
            del queues[current]
        if arrival.kind == "item" and arrival.value["type"] == "waterfall":
            came.add(arrival.value["eventId"])
        yield arrival


@pytest.mark.parametrize(("every", "messages"), [(10, None), (10, 1), (1, 2)])
@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_a_client_that_is_cut_off_again_and_again_ends_the_same(
    version: str, name: str, every: int, messages: int | None
) -> None:
    """However little a snapshot holds, what was held before it stays above it."""
    recording = Recording.load(version, name)
    for client in recording.clients():
        arrivals = recording.seen_by(client)
        whole, cut, stage = Screens(), Screens(), Stage(arrivals)
        for number, arrival in enumerate(arrivals, 1):
            for one in (whole, cut, stage):
                one.take(arrival)
            if number % every == 0:
                cut.cut()
                cut.all(stage.returning(messages))
                assert at_once(cut) == at_once(whole), number
        assert seen(cut) == seen(whole)


def at_once(screens: Screens, *, since: bool = True) -> object:
    """What must be right as soon as the snapshots are there; `since` when the phase began is told by the whole log."""
    mirrors = [
        (list(m.rows), m.live, m.running, m.cursor, m.phase if since else (m.phase.kind, m.phase.name))
        for m in screens.mirrors.values()
    ]
    return mirrors, screens.host.asks


@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_a_client_that_comes_late_reads_its_way_back_to_the_same(version: str, name: str) -> None:
    recording = Recording.load(version, name)
    for client in recording.clients():
        arrivals = recording.seen_by(client)
        whole, stage, ends = Screens(), Stage(arrivals), list[tuple[int, Screens]]()
        for number, arrival in enumerate(arrivals, 1):
            whole.take(arrival)
            stage.take(arrival)
            if number % 10 == 0:
                late = Screens().all(stage.returning(2))
                late.read_back(stage, 2)
                assert at_once(late, since=False) == at_once(whole, since=False), number
            if number % 30 == 0:
                late = Screens().all(stage.returning(1)).all(arrivals[number:])
                late.read_back(Stage(arrivals).all(arrivals), 2)
                ends.append((number, late))
        for number, late in ends:
            assert at_once(late) == at_once(whole), number


@pytest.mark.long
@pytest.mark.parametrize(("version", "name"), RECORDINGS)
def test_what_nobody_knows_yet_changes_nothing_else(version: str, name: str) -> None:
    recording = Recording.load(version, name)
    for client in recording.clients():
        arrivals = recording.seen_by(client)
        plain = seen(Screens().all(arrivals))
        for seed in range(2):
            noise = Noise(seed)
            noisy = [*noise.all(arrivals)]
            screens = Screens().all(noisy)
            assert seen(screens, noise.old) == plain, seed
            assert screens.declined == noise.asked, "each was passed on, once"
            unknown = sum(m.unknown for m in screens.mirrors.values())
            assert unknown == sum(
                is_about_unknown(row) and "event" in row.text for m in screens.mirrors.values() for row in m.rows
            )
            late = Screens(asked=0).all(delayed(noisy, random.Random(seed), bursts=True))
            assert seen(late, noise.old) == plain, seed


@pytest.mark.parametrize(
    ("version", "name", "first", "second"),
    [
        ("0.1.5-rc.1", "15_reconnect", "A", "A2"),
        ("0.2.1-rc.2", "15_reconnect", "A", "A2"),
        ("0.1.5-rc.1", "19_restart_search", "A", "B"),
    ],
)
def test_a_return_that_was_recorded_goes_on_in_the_same_mirror(
    version: str, name: str, first: str, second: str
) -> None:
    """A socket that was dropped in the middle of an answer, and a host that was killed in the middle of a turn."""
    recording = Recording.load(version, name)
    before, after = recording.seen_by(first), recording.seen_by(second)
    screens = Screens().all(before)
    screens.cut()
    (mirror,) = screens.mirrors.values()
    streams = [s for s in recording.follows() if s.client == second]
    screens.mirrors = {id(streams[0]): mirror}
    screens.all(after)
    fresh = Screens().all(after)
    for stream in streams:
        assert list(screens.mirror(stream).rows) == list(fresh.mirror(stream).rows)
        assert screens.mirror(stream).running is fresh.mirror(stream).running is False
    assert mirror.loads == 2
    assert screens.host.asks == ()
    assert screens.sent() == {mirror.session_id: []}, "no prompt is left in doubt"
