"""What `hd run` prints: a turn for people, or JSON lines for programs."""

import io
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TextIO

import msgspec

from hd.errors import BUDGET, NEEDS_PERSON
from hd.permit.reveal import reveal
from hd.protocol import events as ev
from hd.protocol.messages import tool_calls_of, tool_result_of
from hd.protocol.stream import Partial

_SUMMARY = ("command", "path", "pattern", "query", "files", "todos", "questions")
WIDTH = 100
_WAITS = {
    "limit": "The provider asks to wait:",
    "place": "Other requests with this key go first",
    "queue": "The provider has put the request in its queue",
    "peak": "The request is not sent before it costs less:",
}


class Printer(Protocol):
    """Takes the items of a follow stream as they come, questions that end the run, and the result at the end."""

    def item(self, item: Mapping[str, Any]) -> None: ...

    def result(self, result: Mapping[str, Any]) -> None: ...


def printable(text: str) -> str:
    """Text from outside with every control and direction character spelled out, so that it cannot drive a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else reveal(c) for c in text)


def one_line(text: str) -> str:
    flat = printable(" ".join(text.split()))
    return flat if len(flat) <= WIDTH else flat[: WIDTH - 1] + "…"


class JsonLines:
    """`{"type":"event","event":E}` for every event of the log, as on the wire; last the result."""

    def __init__(self, out: TextIO) -> None:
        """JSON is UTF-8, whatever the locale says."""
        self._out = out
        if isinstance(out, io.TextIOWrapper):
            out.reconfigure(encoding="utf-8", errors="strict")

    def item(self, item: Mapping[str, Any]) -> None:
        if item["type"] == "event":
            self._line(item)

    def result(self, result: Mapping[str, Any]) -> None:
        self._line({"type": "result", **result})

    def _line(self, value: Mapping[str, Any]) -> None:
        self._out.write(msgspec.json.encode(value).decode() + "\n")
        self._out.flush()


class Readable:
    """A turn as it happens: the answer streams, each tool call is one line before and one behind it."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown = Partial()
        self._kind = ""
        self._names: dict[str, str] = {}

    def item(self, item: Mapping[str, Any]) -> None:
        if item["type"] == "assistant-stream":
            self._frame(item["frame"])
        elif item["type"] == "event":
            self._event(item["event"])
        elif item["type"] == "questions":
            self._questions(item["questions"])

    def _questions(self, questions: Sequence[Mapping[str, Any]]) -> None:
        for question in questions:
            self._say(f"? {printable(question['question'])}")
            for option in question.get("options") or ():
                about = option.get("description")
                self._say(f"    - {one_line(option['label'])}{f': {one_line(about)}' if about else ''}")

    def _frame(self, frame: Mapping[str, Any]) -> None:
        if frame["type"] != "chunk":
            return
        chunk = frame["chunk"]
        if chunk["type"] == "reasoning-delta":
            self._stream("thinking", chunk["text"])
        elif chunk["type"] == "text-delta":
            self._stream("answer", chunk["text"])

    def _stream(self, kind: str, text: str) -> None:
        if kind != self._kind:
            self._break()
            self._out.write("◇ " if kind == "thinking" else "✦ ")
            self._kind = kind
        self._out.write(printable(text))
        self._out.flush()

    def _break(self) -> None:
        if self._kind:
            self._out.write("\n")
            self._kind = ""

    def _say(self, line: str) -> None:
        self._break()
        self._out.write(line + "\n")
        self._out.flush()

    def _event(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        match event["type"]:
            case ev.USER_MESSAGE if (data.get("source") or {}).get("kind") == "user":
                self._say("❯ " + printable("\n".join(block.get("text", "") for block in data["content"])))
            case ev.ASSISTANT_MESSAGE:
                self._break()
                for call in tool_calls_of(data["message"]["content"]):
                    self._names[call["id"]] = call["name"]
            case ev.TOOL_CALL:
                about = summary(data["arguments"])
                self._say(f"⚙ {one_line(data['name'])}{f' · {about}' if about else ''}")
            case ev.TOOL_RESULT:
                self._result(data)
            case ev.LLM_RETRY:
                delay = data["delayMs"] / 1000
                self._say(f"… {printable(data['failure']['message'])} Trying again in {delay:.1f} s.")
            case ev.LLM_WAITING if data["reason"] in _WAITS:
                left = f" {(data['untilMs'] - event['time']) / 1000:.0f} s" if "untilMs" in data else ""
                self._say(f"… {_WAITS[data['reason']]}{left}.")
            case ev.TURN_END if data["reason"]["kind"] == "max-tokens":
                self._say("✗ The answer was cut off at the model's output limit.")
            case ev.TURN_END if data["reason"]["kind"] == "error":
                self._say(f"✗ {printable(str(data['reason']['error'].get('message')))}")
            case ev.TURN_END:
                self._break()

    def _result(self, data: Mapping[str, Any]) -> None:
        found = tool_result_of(data["message"])
        if found is None:
            return
        call_id, text, is_error = found
        lines = [line for line in text.splitlines() if line.strip()] or ["(nothing)"]
        more = f" (+{len(lines) - 1} lines)" if len(lines) > 1 else ""
        code = (data.get("meta") or {}).get("exitCode")
        mark = "✗" if is_error or code else "✓"
        ended = f" · exit {code}" if code else ""
        self._say(f"{mark} {self._names.get(call_id, 'tool')}{ended} · {one_line(lines[0])}{more}")

    def result(self, result: Mapping[str, Any]) -> None:
        usage, cost = result["usage"], result["cost"]
        tokens = sum(usage.values())
        if result["exitCode"] == NEEDS_PERSON:
            self._say(f"A person has to answer that. Answer in a new prompt, or go on in `htui {result['sessionId']}`.")
        elif result["exitCode"] == BUDGET:
            self._say(f"✗ The budget is spent. Go on in `htui {result['sessionId']}`: /allow AMOUNT, and a message.")
        money = "not priced" if cost["amount"] is None else f"{cost['amount']} {cost['currency']}"
        self._say(f"— {result['status']} · {tokens:,} tokens · {money} · session {result['sessionId']}")


def summary(arguments: str) -> str:
    """One line of a call's arguments: the value that says most."""
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return one_line(arguments)
    if not isinstance(decoded, dict):
        return one_line(arguments)
    value = next((decoded[name] for name in _SUMMARY if name in decoded), None)
    if value is None:
        return one_line(arguments) if decoded else ""
    return one_line(value if isinstance(value, str) else f"{len(value)} {'entry' if len(value) == 1 else 'entries'}")
