"""What must be true of a home after its daemon was killed and has started again, by disk and by wire."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from hd.protocol.chunked import ChunkedList
from hd.protocol.projections.transcript import Row
from htui.mirror import SessionMirror


def integrity(database: Path) -> list[str]:
    """What SQLite finds wrong with the file, and sessions whose log has a gap; none when all is well."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as store:
        said = [str(row[0]) for row in store.execute("PRAGMA integrity_check")]
        faults = [] if said == ["ok"] else [f"integrity_check: {line}" for line in said[:5]]
        # An event's place is its session's number in the upper 31 bits, and its seq in the lower 32.
        counted = store.execute(
            "SELECT place >> 32, count(*), min(place & 4294967295), max(place & 4294967295) FROM event GROUP BY 1"
        )
        return faults + [
            f"the log of session number {number} has {count} events from {first} to {last}"
            for number, count, first, last in counted
            if first != 0 or last != count - 1
        ]


def prompts_in(log: Iterable[Mapping[str, Any]], inbox: Mapping[str, Any]) -> Counter[str]:
    """How often the prompt of each request id stands in the log as said, or waits."""
    said = [event["data"] for event in log if event["type"] == "user/message"]
    waiting = [message for target in ("next-turn", "next-step") for message in inbox[target]]
    sources = [message.get("source") or {} for message in (*said, *waiting)]
    return Counter(source["rpcId"] for source in sources if "rpcId" in source)


def lost_or_doubled(found: Counter[str], accepted: Iterable[str], unanswered: Iterable[str]) -> list[str]:
    """Accepted prompts are there exactly once, those whose answer never came at most once."""
    wrong = [f"the accepted prompt {one} is there {found[one]} times" for one in accepted if found[one] != 1]
    return wrong + [f"the prompt {one} is there {found[one]} times" for one in unanswered if found[one] > 1]


def ran_wrongly(marks: Sequence[str], log: Sequence[Mapping[str, Any]]) -> list[str]:
    """Marks that were left twice, or by a call that is not in the log; successes that left none."""
    count = Counter(marks)
    calls = {str(e["data"]["callId"]): _mark(e) for e in log if e["type"] == "tool/call"}
    called = {mark for mark in calls.values() if mark}
    wrong = [f"the command {mark} ran {times} times" for mark, times in count.items() if times > 1]
    wrong += [f"the command {mark} ran and its call is not in the log" for mark in count if mark not in called]
    for event in _results(log):
        mark = calls.get(str(event["data"]["message"]["toolCallId"]))
        if mark and not event["data"]["message"]["isError"] and mark not in count:
            wrong.append(f"the call of {mark} succeeded and its command left nothing")
    return wrong


def _results(log: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [event for event in log if event["type"] == "tool/result"]


def _mark(call: Mapping[str, Any]) -> str | None:
    words = str(call["data"]).split("echo ")
    return words[1].split(" ")[0] if len(words) > 1 else None


def open_ends(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a closed log must not hold: a turn, a compaction, a command without its end, a call without its result."""
    count = Counter(event["type"] for event in log)
    wrong: list[str] = []
    called = [e["data"]["callId"] for e in log if e["type"] == "tool/call"]
    answered = Counter(event["data"]["message"]["toolCallId"] for event in _results(log))
    wrong += [f"the call {one} has {answered[one]} results" for one in called if answered[one] != 1]
    for what, start, end in (
        ("turns", "turn/start", "turn/end"),
        ("compactions", "compaction/start", "compaction/end"),
        ("commands", "command/run", "command/done"),
    ):
        if count[start] != count[end]:
            wrong.append(f"{count[start]} {what} began and {count[end]} ended")
    return wrong


def unlike(held: SessionMirror, fresh: SessionMirror) -> str:
    """The first difference between the client that was there all the time and one that comes now; empty for none."""
    if held.cursor != fresh.cursor:
        return f"the cursor is {held.cursor}, that of a fresh client {fresh.cursor}"
    if held.live or fresh.live:
        return "an answer is shown as running"
    if held.running != fresh.running:
        return f"running is {held.running}, for a fresh client {fresh.running}"
    if held.queue != fresh.queue:
        return f"the queue is {held.queue}, that of a fresh client {fresh.queue}"
    return _rows_unlike(held.rows, fresh.rows)


def _rows_unlike(held: ChunkedList[Row], fresh: ChunkedList[Row]) -> str:
    for place, (one, other) in enumerate(zip(held, fresh, strict=False)):
        if one != other:
            return f"row {place} is {one}, that of a fresh client {other}"
    return "" if len(held) == len(fresh) else f"{len(held)} rows are shown, and {len(fresh)} to a fresh client"
