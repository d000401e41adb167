"""Chunks, their fold, their merging and their packed form."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.protocol.stream import Chunk, Packer, Partial, merge, unpack

TEXT = st.text(max_size=5)


@st.composite
def attempts(draw: st.DrawFn) -> list[Chunk]:
    """Blocks one after the other, each with its deltas; sometimes cut before its end."""
    chunks: list[Chunk] = []
    for index, kind in enumerate(draw(st.lists(st.sampled_from(["text", "reasoning", "tool-call"]), max_size=4))):
        chunks.append({"type": "block-start", "index": index, "blockType": kind})
        pieces = draw(st.lists(TEXT, max_size=6))
        for place, piece in enumerate(pieces):
            if kind == "tool-call":
                delta: Chunk = {"type": "tool-call-delta", "index": index, "id": f"c{index}", "argumentsDelta": piece}
                chunks.append({**delta, "name": "grep"} if place == 0 else delta)
            else:
                chunks.append({"type": f"{kind}-delta", "index": index, "text": piece})
        if draw(st.booleans()):
            chunks.append({"type": "block-end", "index": index, "block": _block(kind, index, "".join(pieces))})
    if draw(st.booleans()):
        chunks.append({"type": "usage", "usage": {"inputTokens": 1, "outputTokens": 2}})
        chunks.append({"type": "finish", "reason": {"kind": "stop"}})
    return chunks


def _block(kind: str, index: int, text: str) -> dict[str, Any]:
    if kind == "tool-call":
        return {"type": kind, "id": f"c{index}", "name": "grep", "arguments": text}
    return {"type": kind, "text": text}


def folded(chunks: list[Chunk]) -> tuple[Any, ...]:
    partial = Partial()
    for chunk in chunks:
        partial.feed(chunk)
    return partial.blocks(), partial.usage, partial.finish, partial.indexes()


@given(attempts())
def test_merging_keeps_the_fold(chunks: list[Chunk]) -> None:
    merged = merge(chunks)
    assert folded(merged) == folded(chunks)
    deltas = [c for c in merged if c["type"].endswith("delta")]
    assert all((a["type"], a["index"]) != (b["type"], b["index"]) for a, b in pairwise(deltas))


@given(attempts(), st.data())
def test_packing_keeps_every_chunk_and_its_time(chunks: list[Chunk], data: Any) -> None:
    times = sorted(data.draw(st.lists(st.integers(0, 99), min_size=len(chunks), max_size=len(chunks))))
    packer = Packer()
    for time, chunk in zip(times, chunks, strict=True):
        packer.add(time, chunk)
    timed = unpack(packer.rows())
    assert folded([chunk for _, chunk in timed]) == folded(chunks)
    assert len(timed) == len(chunks)
    assert [time for time, _ in timed] == times


def test_rows_are_a_copy() -> None:
    packer = Packer()
    packer.add(1, {"type": "text-delta", "index": 0, "text": "a"})
    rows = packer.rows()
    packer.add(3, {"type": "text-delta", "index": 0, "text": "b"})
    assert rows == [{"type": "text-chunks", "time0": 1, "index": 0, "dt": [], "texts": ["a"]}]
    assert packer.rows() == [{"type": "text-chunks", "time0": 1, "index": 0, "dt": [2], "texts": ["a", "b"]}]


@pytest.mark.parametrize(
    "row",
    [
        {"type": "novel"},
        {"type": "text-chunks", "time0": 0, "index": 0, "dt": [1, 2], "texts": ["a", "b"]},
    ],
)
def test_a_packed_row_that_does_not_fit_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="packed row"):
        unpack([row])


def test_a_cut_call_can_be_left_out() -> None:
    partial = Partial()
    partial.feed({"type": "tool-call-delta", "index": 0, "id": "c", "name": "grep", "argumentsDelta": '{"pa'})
    assert partial.blocks() == [{"type": "tool-call", "id": "c", "name": "grep", "arguments": '{"pa'}]
    assert partial.blocks(closed_calls_only=True) == []
