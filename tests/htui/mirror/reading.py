"""A plain reader of a log, to hold a mirror against: it reads the whole log anew and shares no code with a mirror.

What it says is written after the wire (WIRE 6, 8), from the JSON of the records.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Wire = Mapping[str, Any]
Said = tuple[Any, ...]
"""(kind, seq, then what matters for that kind)."""


def transcript(events: Sequence[Wire]) -> list[Said]:
    """What people read of a log, in order."""
    said: list[Said] = []
    for event in events:
        said.extend(_said(event))
    for event in events:
        if event["type"] == "tool/result":
            _join(said, event)
        elif event["type"] == "command/done":
            _settle(said, event)
    return said


def _said(event: Wire) -> list[Said]:
    kind, seq, data = event["type"], event["seq"], event["data"]
    if kind == "user/message" and event.get("surfaceOp") == "append":
        source = data["source"]
        texts = [block["text"] for block in data["content"] if block["type"] == "text"]
        files = [block["attachment"] for block in data["content"] if block["type"] == "file"]
        text = "\n".join([*texts, *(f"[file: {file['name']}, {file['bytes']} bytes]" for file in files)])
        return [("user" if source["kind"] == "user" else "context", seq, text)]
    if kind == "assistant/message":
        cut = bool(data.get("interrupted"))
        return [_block(block, seq, cut) for block in data["message"]["content"]]
    if kind == "command/run":
        return [("command", seq, data["commandId"], data["name"], data.get("args", "").strip(), "running", "")]
    if kind == "compaction/summary":
        return [("compaction", seq, "\n".join(block["text"] for block in data["summary"]))]
    if kind == "llm/retry" or (kind == "turn/end" and data["reason"]["kind"] != "completed"):
        return [("notice", seq)]
    return []


def _block(block: Wire, seq: int, cut: bool) -> Said:
    if block["type"] == "tool-call":
        return ("tool", seq, block["id"], block["name"], block["arguments"], "running", "")
    return ({"text": "assistant", "reasoning": "reasoning"}[block["type"]], seq, block["text"], cut)


def _join(said: list[Said], event: Wire) -> None:
    message = event["data"]["message"]
    nested = next((block for block in message["content"] if block["type"] == "tool-result"), None)
    call_id = message["source"]["callId"]
    blocks = message["content"] if nested is None else nested["content"]
    failed = message.get("isError") if nested is None else nested.get("isError")
    code = (event["data"].get("error") or {}).get("code")
    status = "cancelled" if code in ("ABORTED", "ASK_ABORTED") else "failed" if failed else "done"
    text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
    place = next(i for i, row in enumerate(said) if row[0] == "tool" and row[2] == call_id and row[1] < event["seq"])
    said[place] = (*said[place][:5], status, text)


def _settle(said: list[Said], event: Wire) -> None:
    data = event["data"]
    place = next(i for i, row in enumerate(said) if row[0] == "command" and row[2] == data["commandId"])
    said[place] = (*said[place][:5], {"success": "done", "error": "failed"}[data["kind"]], data.get("text", ""))


def queue(events: Sequence[Wire]) -> list[tuple[str, str, str | None]]:
    """(id, placement, request id) of what waits after `events`, which begin with the first event of the log."""
    inboxes: dict[str, list[Any]] = {"next-turn": [], "next-step": []}
    for event in events:
        if event["type"] == "agent/inbox/spliced":
            data = event["data"]
            start = data["start"]
            inboxes[data["target"]][start : start + data.get("removedCount", 0)] = data["inserted"]
    waiting = [(message, "queued") for message in inboxes["next-turn"]]
    for message in inboxes["next-step"]:
        waiting.append((message, "steering" if message["source"]["kind"] == "user" else "context"))
    return [(message["id"], placement, message["source"].get("rpcId")) for message, placement in waiting]


def usage(events: Sequence[Wire]) -> dict[str, int]:
    """The tokens of all model messages of `events`."""
    told = [
        event["data"]["usage"] for event in events if event["type"] == "assistant/message" and "usage" in event["data"]
    ]
    names = {
        "uncachedInputTokens": "inputTokens",
        "outputTokens": "outputTokens",
        "cacheReadTokens": "cacheReadTokens",
        "cacheWriteTokens": "cacheWriteTokens",
    }
    return {name: sum(one.get(field, 0) for one in told) for name, field in names.items()}


def turns(events: Sequence[Wire]) -> int:
    """How many turns got through a step."""
    return len({event["data"]["turn"] for event in events if event["type"] == "step/end"})


def running(events: Sequence[Wire]) -> bool:
    """Whether a turn runs after `events`."""
    marks = [event["type"] for event in events if event["type"] in ("turn/start", "turn/end")]
    return bool(marks) and marks[-1] == "turn/start"


def open_asks(events: Sequence[Wire]) -> int:
    """How many approvals and questions wait for a person after `events`."""
    asked = sum(1 for event in events if event["type"] == "approval/asked")
    decided = sum(1 for event in events if event["type"] == "approval/decided")
    asking = {"ask_user_question", "exit_plan_mode"}
    calls = {e["data"]["callId"] for e in events if e["type"] == "tool/call" and e["data"]["name"] in asking}
    results = {e["data"]["message"]["source"]["callId"] for e in events if e["type"] == "tool/result"}
    return asked - decided + len(calls - results)


def unrecorded(prompts: Sequence[tuple[str, str, str]], logs: Mapping[str, Sequence[Wire]]) -> dict[str, list[str]]:
    """By session the texts of those prompts (session, request id, text) whose id never stood in its log."""
    left: dict[str, dict[str, str]] = {session_id: {} for session_id, _, _ in prompts}
    for session_id, request_id, text in prompts:
        left[session_id][request_id] = text
    for session_id, events in logs.items():
        for event in events:
            source = event["data"].get("source")
            if event["type"] == "user/message" and source is not None:
                left.get(session_id, {}).pop(source.get("rpcId"), None)
        for _, _, request_id in queue(events):
            left.get(session_id, {}).pop(request_id, None)
    return {session_id: sorted(texts.values()) for session_id, texts in left.items()}
