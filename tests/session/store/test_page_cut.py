"""The cut of a page of older history, against a naive reading of its rule."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from hd.protocol.events import ASSISTANT_MESSAGE, USER_MESSAGE
from hd.session.store.base import SessionRow, StoredEvent
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
