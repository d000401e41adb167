"""A stream as a row of words, by which two streams are laid beside each other (pure).

A word says what an item is and leaves out what may differ: how often neighbouring deltas were cut, whose ids are in it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

Frame = Mapping[str, Any]

PEOPLE: Final = frozenset({"user", "goal"})
"""Sources of a message that are part of the dialect; all others are what a host tells its model."""

FLOATING: Final = frozenset({"event session/title", "event session/title-llm-request", "event session/end-seed"})
"""Events that the dialect lets fall anywhere (WIRE 8.1)."""

ANYWHERE: Final = FLOATING | {"event command/done", "emit goal/activation-changed"}
"""Those, and what tells how a call ended: the turns that it started go their own way meanwhile."""

TOLD: Final = "event user/message of the host"
"""What a host tells its model, and when, is its own business; only the form of it is compared."""

OWN_BUSINESS: Final = (TOLD, "event request/", "event system/message")
"""What no client waits for."""

REPEATED: Final = frozenset({"emit api-session/added", TOLD})
"""What may come several times in a row: a notice (WIRE 5.1), and what a host tells its model."""


def token(endpoint: str, frame: Frame) -> str:
    """What this frame is."""
    if frame["type"] == "error":
        return f"error {frame['error']['code']}"
    if frame["type"] != "item":
        return str(frame["type"])
    value = frame["value"]
    if endpoint == "session/follow":
        return _followed(value)
    if endpoint == "$events" and value["type"] in ("emit", "waterfall"):
        return f"{value['type']} {value['event']}{_flag(value)}"
    if value["type"] == "projection":
        return f"projection {value['key']}"
    return str(value["type"])


def _flag(value: Mapping[str, Any]) -> str:
    return f" {str(value['args'][1]).lower()}" if value["event"] == "api-session/status" else ""


def _followed(value: Mapping[str, Any]) -> str:
    if value["type"] == "event":
        event = value["event"]
        return f"event {event['type']}{_detail(event['type'], event['data'])}"
    if value["type"] != "assistant-stream":
        return str(value["type"])
    frame = value["frame"]
    if frame["type"] == "chunk":
        chunk = frame["chunk"]
        return f"chunk {chunk['type']} {chunk.get('index', '')}{chunk.get('blockType', '')}".rstrip()
    if frame["type"] == "end":
        return f"end {frame['outcome']['kind']} {frame['outcome'].get('eventType', '')}".rstrip()
    return str(frame["type"])


def _detail(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "user/message":
        source = data["source"]["kind"]
        return f" of {source if source in PEOPLE else 'the host'}"
    if kind == "agent/inbox/spliced":
        how = f"{data['target']} +{len(data['inserted'])} -{data.get('removedCount', 0)}"
        return f" {how} {data.get('outcome', '')}".rstrip()
    if kind == "turn/end":
        return f" {data['reason']['kind']}"
    if kind == "tool/result":
        return " failed" if _is_error(data["message"]) else ""
    return ""


def _is_error(message: Mapping[str, Any]) -> bool:
    """Of a tool's answer in the form of 0.2, or of 0.1.5."""
    return bool(message.get("isError", any(block.get("isError") for block in message["content"])))


def words(endpoint: str, frames: Iterable[Frame]) -> list[tuple[str, Frame]]:
    """(word, the first frame of it). Neighbouring deltas of a block are one word, and so is what may be repeated."""
    found: list[tuple[str, Frame]] = []
    for frame in frames:
        word = token(endpoint, frame)
        again = bool(found) and found[-1][0] == word
        if again and ("-delta" in word or word in REPEATED):
            continue
        found.append((word, frame))
    return found


ASKED_FOR: Final = ("event agent/inbox/spliced",)
"""Events that a client's call makes while an answer streams: where among its deltas they fall is nobody's promise."""


def settled(endpoint: str, frames: Iterable[Frame]) -> list[tuple[str, Frame]]:
    """The words of a stream without those that clients put between others at any time."""
    kept = (frame for frame in frames if not token(endpoint, frame).startswith(ASKED_FOR))
    return words(endpoint, kept)


def milestones(endpoint: str, frames: Iterable[Frame]) -> Counter[str]:
    """How often each thing happened that a client waits for before its next step.

    Projections may be merged and floating events may be late, so nobody waits for them; of an answer that is on its way
    one piece is enough.
    """
    reached: Counter[str] = Counter()
    for word, _ in words(endpoint, frames):
        if word.startswith(("projection", "queue", "jobs", *OWN_BUSINESS)) or word in FLOATING:
            continue
        if word.startswith("chunk"):
            reached["chunk"] = 1
        else:
            reached[word] += 1
    return reached


ASKING: Final = frozenset({"ask_user_question", "exit_plan_mode"})
ASKED: Final = "event question/asked"


def questions(frames: Iterable[Frame]) -> Counter[str]:
    """The recorded calls that put a question to a person, as the milestones of hd, which records when it asks.

    A call alone does not say that anybody was asked yet, and a client that cancels now stops something else.
    """
    events = [frame["value"]["event"] for frame in frames if frame.get("value", {}).get("type") == "event"]
    calls = [event for event in events if event["type"] == "tool/call"]
    return Counter({ASKED: sum(call["data"]["name"] in ASKING for call in calls)})


def of_session(frames: Sequence[Frame], session_id: str) -> list[Frame]:
    """The frames of a stream over all sessions that are about this one, and those about none."""
    return [frame for frame in frames if subject(frame) in (session_id, None)]


def subject(frame: Frame) -> str | None:
    """The session that a frame of `$events` or `session/control` is about."""
    value = frame.get("value")
    if not isinstance(value, Mapping):
        return None
    if "sessionId" in value or "agentId" in value:
        return str(value.get("sessionId", value.get("agentId")))
    first = (value.get("args") or [None])[0]
    if isinstance(first, Mapping):
        first = first.get("sessionId")
    return first if isinstance(first, str) else None
