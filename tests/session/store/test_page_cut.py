"""The cut of a page of older history, against a naive reading of its rule, and its bound in bytes."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from hd.protocol.events import ASSISTANT_MESSAGE, USER_MESSAGE, Event
from hd.session.store.base import SessionRow, StoredEvent
from hd.session.store.pages import MOST_BYTES, PageCut
from hd.session.store.sqlite import SqliteStore
from tests.session.store.make import event, message, plain

LOGS = st.lists(
    st.tuples(
        st.sampled_from([USER_MESSAGE, ASSISTANT_MESSAGE, "tool/result", "step/end"]),
        st.booleans(),
        st.lists(st.integers(0, 60), max_size=2),
    ),
    max_size=60,
)


def build(shape: list[tuple[str, bool, list[int]]]) -> list[StoredEvent]:
    return [
        event(seq, kind, surface=surface, sources=tuple(s for s in sources if s < seq))
        for seq, (kind, surface, sources) in enumerate(shape)
    ]


def naive(shape: list[tuple[str, bool, list[int]]], last: int, messages: int) -> int:
    found = 0
    for seq in range(min(last, len(shape) - 1), -1, -1):
        kind, surface, sources = shape[seq]
        if kind in (USER_MESSAGE, ASSISTANT_MESSAGE) and surface:
            found += 1
            if found == messages:
                return min([seq, *(s for s in sources if s < seq)])
    return 0


@settings(max_examples=60, deadline=None)
@given(shape=LOGS, written=st.integers(0, 60), cuts=st.lists(st.tuples(st.integers(0, 62), st.integers(1, 9))))
async def test_the_cut_is_that_of_the_rule(
    shape: list[tuple[str, bool, list[int]]], written: int, cuts: list[tuple[int, int]]
) -> None:
    log = build(shape)
    with TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "hd.db")
        await store.create_session(SessionRow("session-a", 1))
        store.append("session-a", log[:written])
        await store.flush()
        store.append("session-a", log[written:])
        for before, messages in cuts:
            start = await store.page_start("session-a", before_seq=before, through_seq=len(log) - 1, messages=messages)
            assert start == naive(shape, before - 1, messages)
        start = await store.page_start("session-a", before_seq=None, through_seq=len(log) // 2, messages=2)
        assert start == naive(shape, len(log) // 2, 2)
        await store.close()


def cut_of(sizes: list[tuple[int, bool]], messages: int, most: int, split: int) -> int:
    cut = PageCut(messages, most=most, split=split)
    for seq in range(len(sizes) - 1, -1, -1):
        size, is_message = sizes[seq]
        if not cut.takes(seq, size, seq if is_message else None):
            break
    return cut.start


@given(
    st.lists(st.tuples(st.integers(1, 30), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 9),
    st.integers(1, 100),
    st.integers(0, 100),
)
def test_a_page_is_the_largest_that_is_allowed(
    sizes: list[tuple[int, bool]], messages: int, most: int, more: int
) -> None:
    split = most + more
    start = cut_of(sizes, messages, most, split)

    def size_from(seq: int) -> int:
        return sum(size for size, _ in sizes[seq:])

    def messages_from(seq: int) -> int:
        return sum(is_message for _, is_message in sizes[seq:])

    assert 0 <= start < len(sizes), "a page without an event brings nobody forward"
    assert messages_from(start) <= messages
    if messages_from(start) > 1:
        assert size_from(start) <= most
    elif start < len(sizes) - 1 and not sizes[start][1]:
        assert size_from(start) <= split
    if start and not messages_from(start):
        assert size_from(start - 1) > split, "only a size splits what lies between two messages"
    elif start:
        assert sizes[start][1], "a page begins with a message"
        older = next((seq for seq in range(start - 1, -1, -1) if sizes[seq][1]), 0)
        assert messages_from(start) == messages or size_from(older) > most


async def test_a_page_of_large_results_is_bounded_and_every_page_brings_a_reader_forward(store: SqliteStore) -> None:
    log: list[StoredEvent] = []
    for _ in range(40):
        log.append(event(len(log), USER_MESSAGE, surface=True))
        for size in (10, 300_000):
            seq = len(log)
            log.append(StoredEvent.of(Event("tool/result", seq, seq, {"text": "x" * size})))
    store.append("session-a", log[:60])
    await store.flush()
    store.append("session-a", log[60:])
    before, seen = len(log), 0
    while before:
        start = await store.page_start("session-a", before_seq=before, through_seq=len(log) - 1, messages=50)
        bodies = await store.events("session-a", from_seq=start, to_seq=before - 1)
        assert start < before
        assert sum(map(len, bodies)) <= MOST_BYTES
        assert len(bodies) == 9 or start == 0
        before, seen = start, seen + len(bodies)
    assert seen == len(log)


async def test_an_empty_log_starts_at_zero(store: SqliteStore) -> None:
    assert await store.page_start("session-a", before_seq=None, through_seq=-1, messages=50) == 0
    store.append("session-a", [message(0), *plain([1])])
    assert await store.page_start("session-a", before_seq=0, through_seq=1, messages=1) == 0


async def test_the_older_form_of_the_surface_operation_counts(store: SqliteStore) -> None:
    body = b'{"type":"user/message","seq":1,"time":1,"data":{},"surfaceOp":{"op":"append"}}'
    replacing = (
        b'{"type":"user/message","seq":2,"time":1,"data":{},"surfaceOp":{"op":"replace","startSeq":0,"endSeq":1}}'
    )
    store.append(
        "session-a",
        [event(0), StoredEvent(1, 1, USER_MESSAGE, body), StoredEvent(2, 1, USER_MESSAGE, replacing), event(3)],
    )
    assert await store.page_start("session-a", before_seq=None, through_seq=3, messages=1) == 1
