"""The ephemeral assistant stream: chunks, their fold into blocks, and the packed form (WIRE 7.4).

One attempt is one model request. Its chunks are not events: they have no seq and are never the only copy of a fact.
`Partial` is the fold that daemon and client share, so both see the same half-finished answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Chunk = dict[str, Any]

DELTAS = frozenset({"text-delta", "reasoning-delta", "tool-call-delta"})
_FIELD = {"text-delta": "text", "reasoning-delta": "text", "tool-call-delta": "argumentsDelta"}


def joinable(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """True when two neighbouring chunks are deltas of the same block, so that one chunk can stand for both."""
    return (
        first["type"] in DELTAS
        and first["type"] == second["type"]
        and first["index"] == second["index"]
        and first.get("id") == second.get("id")
    )


def delta_text(chunk: Mapping[str, Any]) -> str:
    """What a delta adds: text, or a piece of the arguments of a call."""
    return str(chunk[_FIELD[chunk["type"]]])


def with_text(chunk: Chunk, text: str) -> Chunk:
    """The same delta with another text."""
    return {**chunk, _FIELD[chunk["type"]]: text}


def merge(chunks: Iterable[Chunk]) -> list[Chunk]:
    """`chunks` with neighbouring deltas of a block joined; the fold of the result is the same."""
    merged: list[Chunk] = []
    texts: list[str] = []
    for chunk in chunks:
        if merged and joinable(merged[-1], chunk):
            texts.append(delta_text(chunk))
            continue
        _close(merged, texts)
        merged.append(chunk)
    _close(merged, texts)
    return merged


def _close(merged: list[Chunk], texts: list[str]) -> None:
    if texts:
        merged[-1] = with_text(merged[-1], delta_text(merged[-1]) + "".join(texts))
        texts.clear()


class Partial:
    """The blocks received so far of one attempt; grows in place by `feed`.

    Texts are kept as lists of pieces until somebody asks, so that a long answer costs no quadratic concatenation.
    """

    def __init__(self) -> None:
        self._kinds: dict[int, str] = {}
        self._pieces: dict[int, list[str]] = {}
        self._calls: dict[int, tuple[str, str]] = {}
        self._closed: set[int] = set()
        self.usage: dict[str, Any] | None = None
        self.finish: dict[str, Any] | None = None

    def feed(self, chunk: Mapping[str, Any]) -> None:
        kind = chunk.get("type")
        if kind in DELTAS:
            index = chunk["index"]
            pieces = self._pieces.get(index)
            if pieces is None:
                pieces = self._open(index, str(kind).removesuffix("-delta"))
            pieces.append(chunk[_FIELD[str(kind)]])
            if kind == "tool-call-delta":
                call_id, name = self._calls.get(index, ("", ""))
                self._calls[index] = (call_id or chunk.get("id") or "", name or chunk.get("name") or "")
        elif kind == "block-start":
            self._open(chunk["index"], chunk["blockType"])
        elif kind == "block-end":
            self._end(chunk["index"], chunk["block"])
        elif kind == "usage":
            self.usage = chunk["usage"]
        elif kind == "finish":
            self.finish = chunk["reason"]

    def _open(self, index: int, kind: str) -> list[str]:
        self._kinds.setdefault(index, kind)
        return self._pieces.setdefault(index, [])

    def _end(self, index: int, block: Mapping[str, Any]) -> None:
        kind = str(block["type"])
        self._kinds[index] = kind
        if kind == "tool-call":
            self._calls[index] = (block["id"], block["name"])
            self._pieces[index] = [block["arguments"]]
        else:
            self._pieces[index] = [block.get("text", "")]
        self._closed.add(index)

    def blocks(self, *, closed_calls_only: bool = False) -> list[dict[str, Any]]:
        """The blocks in order; empty texts are left out. A cut tool call can be left out as well: it must never run."""
        found: list[dict[str, Any]] = []
        for index in sorted(self._kinds):
            kind, text = self._kinds[index], self.text(index)
            if kind == "tool-call":
                if index in self._closed or not closed_calls_only:
                    call_id, name = self._calls.get(index, ("", ""))
                    found.append({"type": kind, "id": call_id, "name": name, "arguments": text})
            elif text:
                found.append({"type": kind, "text": text})
        return found

    def text(self, index: int) -> str:
        pieces = self._pieces.get(index, [])
        if len(pieces) > 1:
            pieces[:] = ["".join(pieces)]
        return pieces[0] if pieces else ""

    def indexes(self) -> list[tuple[int, str, bool]]:
        """(index, kind, closed) of every block, in order."""
        return [(index, self._kinds[index], index in self._closed) for index in sorted(self._kinds)]


_PACKED = {"text-delta": "text-chunks", "reasoning-delta": "reasoning-chunks", "tool-call-delta": "tool-call-chunks"}
_LIST = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
_UNPACKED = {packed: delta for delta, packed in _PACKED.items()}


class Packer:
    """Collects timed chunks into the packed list that stands in `data.stream` and in `activeAttempt.stream`."""

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._last = 0

    def add(self, time: int, chunk: Mapping[str, Any]) -> None:
        kind = chunk["type"]
        packed = _PACKED.get(kind)
        if packed is None:
            self._rows.append({"type": "chunk", "time": time, "chunk": chunk})
            return
        text = chunk[_FIELD[kind]]
        row = self._rows[-1] if self._rows else None
        if (
            row is not None
            and row["type"] == packed
            and row["index"] == chunk["index"]
            and row.get("id") == chunk.get("id")
        ):
            row["dt"].append(time - self._last)
            row[_LIST[packed]].append(text)
        else:
            row = {"type": packed, "time0": time, "index": chunk["index"], "dt": []}
            if kind == "tool-call-delta":
                row["id"] = chunk.get("id", "")
                if chunk.get("name"):
                    row["name"] = chunk["name"]
            row[_LIST[packed]] = [text]
            self._rows.append(row)
        self._last = time

    def rows(self) -> list[dict[str, Any]]:
        """A copy that later `add` calls do not change."""
        return [_copy(row) for row in self._rows]


def _copy(row: dict[str, Any]) -> dict[str, Any]:
    if row["type"] == "chunk":
        return row
    field = _LIST[row["type"]]
    return {**row, "dt": list(row["dt"]), field: list(row[field])}


def unpack(rows: Sequence[Mapping[str, Any]]) -> list[tuple[int, Chunk]]:
    """(time, chunk) of a packed list; ValueError when a row's lengths do not fit."""
    chunks: list[tuple[int, Chunk]] = []
    for row in rows:
        kind = row.get("type")
        if kind == "chunk":
            chunks.append((int(row.get("time") or 0), dict(row["chunk"])))
            continue
        delta = _UNPACKED.get(str(kind))
        if delta is None:
            raise ValueError(f"unknown packed row {kind!r}")
        texts = row[_LIST[str(kind)]]
        steps = row.get("dt") or []
        if len(steps) != len(texts) - 1 and steps:
            raise ValueError("a packed row needs one time step fewer than texts")
        time = int(row.get("time0") or 0)
        for place, text in enumerate(texts):
            if place and steps:
                time += int(steps[place - 1])
            chunk: Chunk = {"type": delta, "index": row["index"], _FIELD[delta]: text}
            if delta == "tool-call-delta":
                chunk["id"] = row.get("id", "")
                if place == 0 and row.get("name"):
                    chunk["name"] = row["name"]
            chunks.append((time, chunk))
    return chunks


def blocks_of(stream: Any) -> list[dict[str, Any]] | None:
    """The blocks that a packed list makes; None where it is none, as in a log that was damaged."""
    received = Partial()
    try:
        for _, chunk in unpack(stream):
            received.feed(chunk)
        return received.blocks()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
