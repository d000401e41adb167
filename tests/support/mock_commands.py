"""The `[[…]]` commands by which a prompt tells the mock model what to answer.

`[[fast]]` `[[say TEXT]]` `[[think]]` `[[slow N MS]]` `[[burst N [K [MS]]]]` (N deltas, K in a write, all at once
without K, with a pause of MS between two writes) `[[muse N]]` (the same as reasoning) `[[len]]` `[[empty]]` `[[drop]]`
`[[stall [S]]]` (with a comment every S seconds)
`[[err STATUS [RETRY_AFTER]]]` `[[flaky STATUS N]]` (fails N times, then answers)
`[[shell COMMAND]]` `[[read PATH]]` `[[tool NAME ARGUMENTS]]` `[[tools LIST]]` (at once) `[[seq LIST]]` (one a request),
where LIST is `[["name", {…}], …]`, plain or in base64
`[[fault NAME]]`: a fault of `tests.support.faults`
`[[script STEPS]]`: a list of objects with fields of `Reply`, one played at each request of the turn.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from tests.support import faults
from tests.support.mock_reply import Call, Reply

_COMMAND = re.compile(r"\[\[([a-z]+)(?:\s+(.*))?\]\]", re.DOTALL)
_CLOSING: Final = Reply(text="Done.")


def reply_to(parsed: Mapping[str, Any], attempts: int) -> Reply:
    """The answer to a request; `attempts` is how often this very request came before."""
    turn = _turn(parsed["messages"])
    for place in range(len(turn) - 1, -1, -1):
        if turn[place].get("role") != "user":
            continue
        match = _COMMAND.search(str(turn[place].get("content")))
        if match is not None and match[1] in _COMMANDS:
            rounds = sum(message.get("role") == "assistant" for message in turn[place:])
            return _COMMANDS[match[1]]((match[2] or "").strip(), rounds, attempts)
    return _CLOSING if any(message.get("role") == "tool" for message in turn) else Reply(text="ok")


def _turn(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The messages behind the last answer that called no tool."""
    start = 0
    for place, message in enumerate(messages):
        if message.get("role") == "assistant" and not message.get("tool_calls"):
            start = place + 1
    return messages[start:]


def step_of(fields: Mapping[str, Any]) -> Reply:
    """A `Reply` from its fields as JSON; `calls` are `[name, arguments]` or `[name, arguments, id]`."""
    known = dict(fields)
    if "calls" in known:
        known["calls"] = [Call(*call) for call in known["calls"]]
    return Reply(**known)


def _list(text: str) -> list[Any]:
    """JSON, or the same in base64."""
    found = msgspec.json.decode(text if text.startswith("[") else base64.b64decode(text))
    return found if isinstance(found, list) else [found]


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def _words(count: int) -> list[str]:
    return [f"w{number} " for number in range(count)]


def _slow(text: str, _rounds: int, _attempts: int) -> Reply:
    count, pause = _numbers(text)
    return Reply(text=_words(count), delay_s=pause / 1000)


def _burst(text: str, _rounds: int, _attempts: int) -> Reply:
    count, batch, pause = (*_numbers(text), 0, 0)[:3]
    return Reply(text=_words(count), batch=batch, delay_s=pause / 1000)


def _muse(text: str, rounds: int, attempts: int) -> Reply:
    burst = _burst(text, rounds, attempts)
    return replace(burst, reasoning=burst.text, text="Thought it over.")


def _stall(text: str, _rounds: int, _attempts: int) -> Reply:
    return Reply(cut_after=0, stall=True, keep_alive=float(text) if text else None)


def _error(text: str, _rounds: int, _attempts: int) -> Reply:
    status, *wait = text.split()
    return Reply(status=int(status), headers={"Retry-After": wait[0]} if wait else {})


def _flaky(text: str, _rounds: int, attempts: int) -> Reply:
    status, failures = _numbers(text)
    return Reply(status=status) if attempts < failures else Reply(text="ok")


def _shell(text: str, rounds: int, _attempts: int) -> Reply:
    if rounds:
        return Reply(text="The command printed its output. Done.")
    call = Call("run_command", {"command": text})
    return Reply(reasoning="I should run a command.", text="Running it.", calls=[call])


def _read(text: str, rounds: int, _attempts: int) -> Reply:
    return _CLOSING if rounds else Reply(calls=[Call("read_file", {"path": text})])


def _tool(text: str, rounds: int, _attempts: int) -> Reply:
    name, _, arguments = text.partition(" ")
    return _CLOSING if rounds else Reply(calls=[Call(name, arguments.strip() or "{}")])


def _tools(text: str, rounds: int, _attempts: int) -> Reply:
    return Reply(text="All tools finished.") if rounds else Reply(calls=[Call(*call) for call in _list(text)])


def _seq(text: str, rounds: int, _attempts: int) -> Reply:
    calls = _list(text)
    return Reply(calls=[Call(*calls[rounds])]) if rounds < len(calls) else Reply(text="Sequence finished.")


def _script(text: str, rounds: int, _attempts: int) -> Reply:
    steps = _list(text)
    return step_of(steps[rounds]) if rounds < len(steps) else _CLOSING


def _fixed(reply: Reply) -> Callable[[str, int, int], Reply]:
    return lambda _text, _rounds, _attempts: reply


_COMMANDS: Final[Mapping[str, Callable[[str, int, int], Reply]]] = {
    "fast": _fixed(Reply(text="ok")),
    "say": lambda text, _rounds, _attempts: Reply(text=text),
    "think": _fixed(Reply(reasoning="Let me think about this briefly.", text="Thought about it; the answer is 42.")),
    "slow": _slow,
    "burst": _burst,
    "muse": _muse,
    "len": _fixed(Reply(text="Truncated answer", finish="length")),
    "empty": _fixed(Reply()),
    "drop": _fixed(Reply(text="partial before drop", cut_after=3)),
    "stall": _stall,
    "err": _error,
    "flaky": _flaky,
    "shell": _shell,
    "read": _read,
    "tool": _tool,
    "tools": _tools,
    "seq": _seq,
    "fault": faults.scripted,
    "script": _script,
}
