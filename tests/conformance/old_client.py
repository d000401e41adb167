"""What a client of 0.1.5 must find in hd, by the recordings of 0.1.5 (pure).

hd speaks the form of 0.2 and also sends what the older clients read (DESIGN 5). So only that is compared: errors, the
keys of answers, the rows of a conversation and their order, notices, queue, jobs and permissions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.conformance.live import Pair
from tests.conformance.parts import of_frame, of_result, shapes
from tests.conformance.played import Exchange, Played
from tests.conformance.recorded import OLD
from tests.conformance.rules import of_events, of_follower, of_sockets, of_words, result_code, route
from tests.conformance.tokens import Frame, token, words

SHOWN: Final = (
    "event turn/", "event step/", "event user/message of user", "event assistant/", "event tool/", "event llm/retry",
    "start", "end", "snapshot",
)  # fmt: skip
"""What the older client shows, or counts its state by."""

READ: Final = frozenset(
    {
        "session/list", "workspace/create", "workspace/delete", "workspace/archiveSession", "session/create",
        "session/page", "session/prompt", "session/cancel", "session/updateQueue", "session/modelCatalog",
        "session/selectModel", "commands/execute", "session/search", "fileReferences/list",
    }
)  # fmt: skip
"""The calls of that client whose answers it reads (CLIENT 1.5)."""


def differences(played: Played) -> list[str]:
    """All differences that such a client would meet, sorted, each once."""
    found = {f"never came: {line.partition(': ')[2]}" for line in played.waited}
    for exchange in played.exchanges:
        found |= set(_of_exchange(exchange))
    for pair in played.pairs:
        match pair.endpoint:
            case "session/follow":
                found |= {*_of_rows(pair), *_of_results(pair), *of_follower(pair)}
            case "$events":
                found |= set(of_events(pair, played))
            case "session/control":
                found |= set(_of_control(pair, played))
    found |= set(of_sockets(played))
    return sorted(found)


def _of_exchange(exchange: Exchange) -> Iterator[str]:
    method, recorded, live = route(exchange.request), exchange.recorded, exchange.live
    if live is None or live.status != recorded["status"]:
        yield f"{method}: status {live and live.status} instead of {recorded['status']}"
        return
    if not isinstance(recorded["body"], dict) or "result" not in recorded["body"]:
        return
    was, now = result_code(recorded["body"]["result"]), result_code(live.body["result"])
    if was != now:
        yield f"{method}: {now} instead of {was}"
    elif was == "ok" and method in READ:
        yield from _missing(of_result(method, live.body["result"]))


def _missing(parts: Any) -> Iterator[str]:
    """What such a client would look for in vain, or find as another type."""
    known = shapes(OLD)
    for name, value in parts:
        if name in known and not name.startswith(("event", "projection")):
            found = known[name].wrong(value)
            yield from (f"{name}{place}: {what}" for place, what in found if what == "missing" or "instead" in what)


def _of_rows(pair: Pair) -> Iterator[str]:
    """The rows of the conversation and the turns around them, in the same order."""
    was, now = (
        [frame for frame in side if token(pair.endpoint, frame).startswith(SHOWN)]
        for side in (pair.recorded, pair.live)
    )
    yield from of_words(pair.endpoint, words(pair.endpoint, was), words(pair.endpoint, now))


def _of_results(pair: Pair) -> Iterator[str]:
    """Each result carries the block by which the row of its call is found, and says there whether it failed."""
    calls: set[str] = set()
    for event in (frame["value"]["event"] for frame in pair.live if _is_event(frame)):
        if event["type"] == "tool/call":
            calls.add(event["data"]["callId"])
        if event["type"] != "tool/result":
            continue
        blocks = [block for block in event["data"]["message"]["content"] if block["type"] == "tool-result"]
        if [block["toolCallId"] in calls for block in blocks] != [True]:
            yield "tool/result: no block that names its call"
        elif bool(blocks[0].get("isError")) != bool(event["data"]["message"]["isError"]):
            yield "tool/result: the block does not say whether it failed"


def _is_event(frame: Frame) -> bool:
    return bool(frame["type"] == "item" and frame["value"]["type"] == "event")


def _of_control(pair: Pair, played: Played) -> Iterator[str]:
    """Queue and jobs as whole lists, in the baseline and after each change; the permissions with what may be chosen."""
    items = [frame for frame in pair.live if frame["type"] == "item"]
    if not items:
        yield from ["session/control: no baseline"] if pair.recorded else []
        return
    baseline = items[0]["value"]["value"]
    yield from (f"session/control: no {key} in the baseline" for key in ("queues", "jobs") if key not in baseline)
    for frame in items:
        if frame["value"]["type"] in ("queue", "jobs"):
            yield from (f"{name}{where}: {what}" for name, where, what in _wrong(pair.endpoint, frame))
    for session in sorted({f["value"]["sessionId"] for f in pair.recorded if "sessionId" in f["value"]}):
        for kind, words_of in (("queue", _placements), ("jobs", _statuses)):
            was = [words_of(frame) for frame in _about(pair.recorded, kind, session)]
            now = [words_of(frame) for frame in _about(items, kind, played.names.id(session))]
            if was[-1:] != now[-1:] and not (was and not now and not was[-1]):
                yield f"{kind}: {now[-1:]} in the end instead of {was[-1:]}"
            if not _within(now, was):
                yield f"{kind}: {now} is not what remains of {was} when some are merged"
    for frame in items:
        value = frame["value"]
        if value["type"] == "projection" and value["key"] == "permissions":
            yield from (f"permissions{place}: {what}" for place, what in _permissions(value["value"]))


def _wrong(endpoint: str, frame: Frame) -> Iterator[tuple[str, str, str]]:
    for name, value in of_frame(endpoint, frame):
        for place, what in shapes(OLD)[name].wrong(value):
            yield name, place, what


def _permissions(value: Any) -> Iterator[tuple[str, str]]:
    return shapes(OLD)["projection permissions"].wrong(value)


def _about(frames: Sequence[Frame], kind: str, session: str) -> list[Mapping[str, Any]]:
    values = [frame["value"] for frame in frames]
    return [value for value in values if value["type"] == kind and value["sessionId"] == session]


def _placements(value: Mapping[str, Any]) -> list[str]:
    return [item["placement"] for item in value["items"] if item["placement"] != "context"]


def _statuses(value: Mapping[str, Any]) -> list[str]:
    return [job["status"] for job in value["jobs"]]


def _within(part: list[list[str]], whole: list[list[str]]) -> bool:
    """Whether `part` is `whole` with some left out."""
    rest = iter(whole)
    return all(one in rest for one in part)
