"""What must be alike in a recording and its replay (pure): each function gives the differences as lines of text.

A line names the place and what is different there, and nothing of the run, so that it can stand in the list of allowed
differences (`differences`).
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.conformance.live import Answer, Pair
from tests.conformance.names import UUID
from tests.conformance.parts import Part, of_frame, of_result, shapes, split
from tests.conformance.played import Exchange, Played, current
from tests.conformance.recorded import Row
from tests.conformance.shapes import unlike
from tests.conformance.tokens import ANYWHERE, TOLD, Frame, of_session, settled, subject, token, words
from tests.support.strict_follower import Broken, StrictFollower

Word = tuple[str, Frame]

_HEADERS: Final = ("cache-control", "content-disposition", "content-type", "location", "referrer-policy")


def differences(played: Played, version: str) -> list[str]:
    """All differences of a replay, sorted, each once."""
    found: set[str] = {f"never came: {line.partition(': ')[2]}" for line in played.waited}
    for exchange in played.exchanges:
        found |= set(of_exchange(exchange, version))
    for pair in played.pairs:
        found |= set(of_pair(pair, played, version))
    return sorted(found | set(of_sockets(played)))


def of_sockets(played: Played) -> Iterator[str]:
    """How sockets were closed, and what was heard on bare ones."""
    yield from (f"closed with {live} instead of {recorded}" for recorded, live in played.closed if recorded != live)
    yield from (f"raw {live} instead of {recorded}" for recorded, live in played.raw if recorded != live)


def of_exchange(exchange: Exchange, version: str) -> Iterator[str]:
    """The rules of a call: status, headers, error code, and the shape of what it gives."""
    method = route(exchange.request)
    recorded, live = exchange.recorded, exchange.live
    if live is None:
        yield f"{method}: no answer"
        return
    if live.status != recorded["status"]:
        yield f"{method}: status {live.status} instead of {recorded['status']}"
        return
    yield from (f"{method}: {line}" for line in _of_headers(recorded, live))
    if not isinstance(recorded["body"], dict):
        return
    if not isinstance(live.body, dict):
        yield f"{method}: no JSON object"
        return
    yield from _of_results(method, recorded["body"].get("result"), live.body.get("result"), version)


def route(request: Row) -> str:
    """`namespace/method` of a call, verb and path of everything else."""
    path = request["path"].partition("?")[0]
    return path.removeprefix("/api/") if request["method"] == "POST" else f"{request['method']} {path}"


def _of_headers(recorded: Row, live: Answer) -> Iterator[str]:
    for name in _HEADERS:
        was, now = (UUID.sub("<id>", side.get(name, "")) for side in (recorded["headers"], live.headers))
        if was.lower().replace(" ", "") != now.lower().replace(" ", ""):
            yield f"header {name}: {now!r} instead of {was!r}"
    theirs, ours = (_cookie_form(side.get("set-cookie", "")) for side in (recorded["headers"], live.headers))
    if theirs != ours:
        yield f"header set-cookie: {ours} instead of {theirs}"


def _cookie_form(header: str) -> list[str]:
    """The version of the value and the names of the attributes, with the values of those that are no time."""
    first, *rest = header.split("; ")
    value = first.partition("=")[2]
    return [value.partition(".")[0], *(part for part in rest if not part.startswith("Expires"))]


def _of_results(method: str, recorded: Any, live: Any, version: str) -> Iterator[str]:
    if not isinstance(recorded, dict) or not isinstance(live, dict):
        return
    was, now = result_code(recorded), result_code(live)
    if was != now:
        yield f"{method}: {now} instead of {was}"
        return
    if ("value" in recorded) != ("value" in live):
        yield f"{method}: {'a' if 'value' in live else 'no'} value"
        return
    yield from of_parts(of_result(method, live), version)
    yield from beside(list(of_result(method, recorded)), list(of_result(method, live)))


def result_code(result: Mapping[str, Any]) -> str:
    """`ok`, or the code of the error."""
    return "ok" if result["ok"] else str(result["error"]["code"])


def of_parts(parts: Iterable[Part], version: str) -> Iterator[str]:
    """Where a part has not the shape that this part has in all recordings."""
    known = shapes(version)
    for name, value in parts:
        if name not in known:
            yield f"{name}: never seen"
            if name.startswith("event ") and value.get("ignorable") is not True:
                yield f"{name}: unknown to clients, and not marked as one to skip"
            continue
        yield from (f"{name}{place}: {what}" for place, what in known[name].wrong(value))


def beside(recorded: Sequence[Part], live: Sequence[Part]) -> Iterator[str]:
    """Where like parts, each beside its fellow, have other keys or words."""
    fellows: dict[str, list[Any]] = {}
    for name, value in live:
        fellows.setdefault(name, []).append(value)
    for name, value in recorded:
        if fellows.get(name) and not name.endswith(" of the host"):
            yield from (f"{name}{place}: {what}" for place, what in unlike(value, fellows[name].pop(0)))


def of_pair(pair: Pair, played: Played, version: str) -> Iterator[str]:
    """The rules of a stream: shapes of all items, order, and what the strict client says of it."""
    for frame in pair.live:
        yield from of_parts(of_frame(pair.endpoint, frame), version)
    if pair.endpoint == "session/follow":
        yield from _of_order(pair, pair.recorded, pair.live)
        yield from of_follower(pair)
    elif pair.endpoint == "session/control":
        yield from _of_control(pair, played)
    elif pair.endpoint == "$events":
        yield from of_events(pair, played)
    else:
        yield from _of_order(pair, pair.recorded, pair.live)


def of_follower(pair: Pair) -> Iterator[str]:
    items = [frame["value"] for frame in pair.live if frame["type"] == "item"]
    try:
        StrictFollower().apply_all(items)
    except Broken as broken:
        yield f"the strict client: {broken}"


def _of_order(pair: Pair, recorded: Sequence[Frame], live: Sequence[Frame]) -> Iterator[str]:
    """The words of both sides in their order; like items are laid side by side.

    Events are compared with events, and then all items, without those that clients put among the deltas of an answer.
    """
    was, now = _words(pair, recorded), _words(pair, live)
    yield from (f"{pair.endpoint}: no {word}" for word in sorted({*was} - {*now}))
    yield from (f"{pair.endpoint}: {word} besides" for word in sorted({*now} - {*was}))
    common = ({*was} & {*now}) - ANYWHERE
    ours, theirs = ([frame for frame in side if token(pair.endpoint, frame) in common] for side in (live, recorded))
    events = [[frame for frame in side if _is_event(frame)] for side in (theirs, ours)]
    yield from of_common(pair.endpoint, *(words(pair.endpoint, side) for side in events))
    yield from of_common(pair.endpoint, *(settled(pair.endpoint, side) for side in (theirs, ours)))


def _words(pair: Pair, frames: Sequence[Frame]) -> set[str]:
    return {token(pair.endpoint, frame) for frame in frames} - {TOLD}


def _is_event(frame: Frame) -> bool:
    return bool(frame["type"] == "item" and frame["value"].get("type") == "event")


def of_common(endpoint: str, theirs: Sequence[Word], ours: Sequence[Word]) -> Iterator[str]:
    """Where two rows of words part, and where like items at the same place are not alike."""
    yield from of_words(endpoint, theirs, ours)
    for was, now in _alike(theirs, ours):
        yield from beside(list(of_frame(endpoint, was)), list(of_frame(endpoint, now)))


def _blocks(theirs: Sequence[Word], ours: Sequence[Word]) -> Sequence[tuple[str, int, int, int, int]]:
    left, right = [word for word, _ in theirs], [word for word, _ in ours]
    return difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _alike(theirs: Sequence[Word], ours: Sequence[Word]) -> Iterator[tuple[Frame, Frame]]:
    for tag, i, i_end, j, j_end in _blocks(theirs, ours):
        if tag == "equal":
            for (_, was), (_, now) in zip(theirs[i:i_end], ours[j:j_end], strict=True):
                yield was, now


def of_words(endpoint: str, theirs: Sequence[Word], ours: Sequence[Word]) -> Iterator[str]:
    """Where two rows of words part."""
    for tag, i, i_end, j, j_end in _blocks(theirs, ours):
        if tag == "equal":
            continue
        before = theirs[i - 1][0] if i else "the beginning"
        if i_end > i:
            yield f"{endpoint}: after {before} no {', '.join(word for word, _ in theirs[i:i_end])}"
        if j_end > j:
            yield f"{endpoint}: after {before} besides {', '.join(word for word, _ in ours[j:j_end])}"


def _of_control(pair: Pair, played: Played) -> Iterator[str]:
    """Per session: what changed there changed here, seqs never go back, and in the end all is said that is so."""
    if not pair.live or not pair.recorded:
        yield from ["session/control: no baseline"] if pair.recorded else []
        return
    for session in sorted({f["value"]["sessionId"] for f in pair.recorded if f["value"]["type"] == "projection"}):
        ours = played.names.id(session)
        _, last = _changed(pair.recorded, session, played.added(session, recorded=True))
        now, _ = _changed(pair.live, ours, played.added(ours))
        yield from (f"session/control: no frame of {key}" for key in sorted(last - now))
        ends = [
            list(split("projections", {"asOfSeq": 0, "values": played.added(one, recorded=old) | current(side, one)}))
            for one, side, old in ((session, pair.recorded, True), (ours, pair.live, False))
        ]
        yield from beside(*ends)
    for frame in pair.live:
        if frame["value"]["type"] not in ("baseline", "projection", "queue", "jobs"):
            yield f"session/control: {frame['value']['type']} besides"
    yield from _of_seqs(pair.live)
    if pair is played.last_control():
        for session, values in played.state.items():
            seen = played.added(session) | current(pair.live, session)
            yield from (f"session/control: {key} was not told" for key in values if seen.get(key) != values[key])


def _changed(frames: Sequence[Frame], session: str, added: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """(keys that ever got another value, keys that have another one in the end).

    Frames may be merged, so a value that comes back to what it was need not be told, nor one that is the same again.
    """
    values = dict(added)
    changed: set[str] = set()
    for frame in frames:
        value = frame["value"]
        if value["type"] == "projection" and value["sessionId"] == session:
            if values.get(value["key"]) != value["value"]:
                changed.add(value["key"])
            values[value["key"]] = value["value"]
    return changed, {key for key in changed if values[key] != added.get(key)}


def _of_seqs(frames: Sequence[Frame]) -> Iterator[str]:
    latest: dict[tuple[str, str], int] = {}
    for frame in frames:
        value = frame["value"]
        if value["type"] == "projection":
            place = (value["sessionId"], value["key"])
            if value["seq"] < latest.get(place, -1):
                yield f"session/control: the seq of {value['key']} went back"
            latest[place] = value["seq"]


def of_events(pair: Pair, played: Played) -> Iterator[str]:
    """Per session the same notices in the same order; between sessions none is promised."""
    sessions = {known for frame in pair.recorded if (known := subject(frame)) is not None}
    for session in sorted(sessions):
        yield from _of_order(pair, of_session(pair.recorded, session), of_session(pair.live, played.names.id(session)))
