"""All that goes wrong at a provider, as scripts of the mock model by name, each with what becomes of it.

The mock plays a script for the prompt `[[fault NAME]]`. Where the same request comes again it answers `WHOLE`, and
behind a call it closes the turn, so a prompt shows what a whole turn makes of the fault.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from tests.support.mock_reply import Call, Reply

WHOLE: Final = "whole"
CALL: Final = Call("list_files", {"path": "."})


@dataclass(frozen=True)
class Fault:
    """A script and the right outcome: `answered` says `says` and runs `runs` calls, `retried` and `failed` name `code`.

    `stopped` never ends by itself within a test, so it is cancelled.
    """

    reply: Reply
    outcome: Literal["answered", "retried", "failed", "stopped"]
    code: str = ""
    says: str = "ok"
    runs: int = 0


def _retried(code: str, **reply: Any) -> Fault:
    return Fault(Reply(**reply), "retried", code)


def _failed(code: str, **reply: Any) -> Fault:
    return Fault(Reply(**reply), "failed", code)


def _answered(says: str = "ok", runs: int = 0, **reply: Any) -> Fault:
    return Fault(Reply(**reply), "answered", says=says, runs=runs)


def _stopped(**reply: Any) -> Fault:
    return Fault(Reply(**reply), "stopped")


def _event(delta: Any, finish: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + msgspec.json.encode({"choices": [choice], **more}) + b"\n\n"


def _call(arguments: str | None, *, index: Any = 0, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    call: dict[str, Any] = {} if index is None else {"index": index}
    call["function"] = ({"name": name} if name else {}) | ({} if arguments is None else {"arguments": arguments})
    return {"tool_calls": [call | ({"id": id} if id else {})]}


OK: Final = _event({"content": "ok"})
STOP: Final = _event({}, "stop")
CALLS: Final = _event({}, "tool_calls")
END: Final = b"data: [DONE]\n\n"
OPENING: Final = _call("", name="list_files", id="c1")
PLAIN: Final = OK + STOP + END
"""The shortest answer that is right."""

_CUT: Final[Mapping[str, Fault]] = {
    "cut before the answer": _retried("TRANSPORT", text="a", cut_after=0),
    "cut in the reasoning": _retried("CUT_OFF", reasoning="a b c", cut_after=2),
    "cut in the text": _retried("CUT_OFF", text="a b c", cut_after=2),
    "cut in a call": _retried("CUT_OFF", calls=[CALL], cut_after=2),
    "cut behind a whole call": _retried("CUT_OFF", calls=[CALL], finish=None, usage=None, done=False),
    "cut in an event": _retried("CUT_OFF", raw=OK + STOP[:-9]),
    "cut in a character": _retried("CUT_OFF", raw=OK + _event({"content": "é"}).partition(b"\xa9")[0]),
    "cut behind the finish": _answered(text="ok", cut_after=2),
    "ended without a finish": _retried("CUT_OFF", text="a b", finish=None, done=False),
    "done without a finish": _retried("CUT_OFF", text="a b", finish=None),
    "finish without done": _answered(text="ok", done=False),
}

_STALLED: Final[Mapping[str, Fault]] = {
    "silent before the status": _stopped(status=500, gates={0: asyncio.Event()}),
    "silent before the answer": _stopped(cut_after=0, stall=True),
    "silent in the text": _stopped(text="a b", cut_after=1, stall=True),
    "queued without end": _stopped(cut_after=0, stall=True, keep_alive=0.02),
}

_SPLIT: Final[Mapping[str, Fault]] = {
    "byte by byte": _answered(raw=[PLAIN[at : at + 1] for at in range(len(PLAIN))]),
    "all in one piece": _answered(raw=PLAIN),
    "between CR and LF": _answered(raw=[PLAIN.replace(b"\n", b"\r\n")[:-3], b"\n\r\n"]),
    "carriage returns": _answered(raw=PLAIN.replace(b"\n", b"\r")),
    "an event over two lines": _answered(raw=OK.replace(b',"delta"', b',\ndata: "delta"') + STOP + END),
    "a byte order mark": _answered(raw=[b"\xef", b"\xbb\xbf" + PLAIN]),
    "comments in between": _answered(raw=OK + b": keep-alive\n\n" + STOP + END, comments=2),
    "no last empty line": _answered(raw=OK + STOP[:-1]),
}

_DOUBLED: Final[Mapping[str, Fault]] = {
    "the same text twice": _answered("okok", raw=OK + OK + STOP + END),
    "the beginning of a call twice": _answered("Done.", 1, raw=_event(OPENING) * 2 + _event(_call("{}")) + CALLS + END),
    "the arguments twice": _answered("Done.", 1, raw=_event(OPENING) + _event(_call("{}")) * 2 + CALLS + END),
    "one index for two calls": _answered(
        "Done.", 2, raw=b"".join(_event(_call("{}", name="list_files", id=name)) for name in "ab") + CALLS + END
    ),
    "one id for two calls": _answered(
        "Done.", 2, raw=b"".join(_event(_call("{}", index=at, name="list_files", id="c")) for at in (0, 1)) + CALLS
    ),
    "another id in the middle": _answered(
        "Done.", 1, raw=_event(OPENING) + _event(_call('{"pa', id="c2")) + _event(_call('th":"."}', id="c3")) + CALLS
    ),
    "all of the end twice": _answered(raw=OK + (STOP + _event({}, usage={"prompt_tokens": 1})) * 2 + END * 2),
    "text behind done": _answered(raw=PLAIN + OK),
}

_MISLABELLED: Final[Mapping[str, Fault]] = {
    **{
        f"a stream called {kind or 'nothing'}": _answered(raw=PLAIN, headers={"Content-Type": kind})
        for kind in ("application/json", "text/html", "text/plain", "application/octet-stream", "")
    },
    "an answer in one piece called a stream": _answered(
        raw=b'{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}'
    ),
    "a page called a stream": _failed("INVALID_REQUEST", raw=b"\r\n<!doctype html><title>Sign in</title>"),
    "an error called a stream": _retried("SERVER", raw=b'{"error":{"message":"boom"}}'),
    "choices counted from one": _answered(raw=PLAIN.replace(b'"index":0', b'"index":1')),
    "an answer nobody asked for": _answered(raw=OK + OK.replace(b'"index":0', b'"index":1') + STOP + END),
    "calls counted from three": _answered("Done.", 1, raw=_event(_call("{}", index=3, name="list_files")) + CALLS),
    "a call without an index": _answered("Done.", 1, raw=_event(_call("{}", index=None, name="list_files")) + CALLS),
    "an index as text": _answered("Done.", 1, raw=_event(_call("{}", index="0", name="list_files")) + CALLS),
    "a call without an id": _answered("Done.", 1, raw=_event(_call("{}", name="list_files")) + CALLS),
    "a call without a name": _answered("Done.", 1, raw=_event(_call("{}", id="c1")) + CALLS),
    "a call that ends as a text": _answered("Done.", 1, calls=[CALL], finish="stop"),
    "no role": _answered(raw=PLAIN),
    "another role": _answered(raw=_event({"role": "user", "content": "ok"}) + STOP + END),
    "a role alone": _answered(raw=_event({"role": "assistant", "content": None}) + PLAIN),
    "a text in parts": _answered(raw=_event({"content": [{"type": "text", "text": "ok"}]}) + STOP + END),
    "a call where the text belongs": _retried("SERVER", raw=_event({"content": OPENING}) + CALLS),
    "a call as the text": _retried("CUT_OFF", raw=_event({"content": str(OPENING)}) + CALLS),
    "a call that never comes": _retried("CUT_OFF", text="I look.", finish="tool_calls"),
    "an unknown reason": _answered(text="ok", finish="satisfied"),
    "given up": _retried("SERVER", text="so far", finish="insufficient_system_resource"),
    "given up by a server like it": _retried("SERVER", text="so far", finish="abort"),
    "an event that is no JSON": _retried("SERVER", raw=OK + b"data: oops\n\n"),
    "an event of another form": _retried("SERVER", raw=OK + b'data: {"choices":"none"}\n\n'),
    "compressed, it says": _retried("TRANSPORT", raw=PLAIN, headers={"Content-Encoding": "gzip"}),
}

_EMPTY: Final[Mapping[str, Fault]] = {
    "no byte": _retried("CUT_OFF", raw=b""),
    "only done": _retried("CUT_OFF", raw=END),
    "only comments": _retried("CUT_OFF", raw=b": keep-alive\n\n" * 3),
    "only usage": _retried("CUT_OFF", raw=b'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n' + END),
    "only an end": _retried("EMPTY_RESPONSE"),
    "only blanks": _retried("EMPTY_RESPONSE", text=" \n "),
    "only a thought": _retried("EMPTY_RESPONSE", reasoning="Only a thought."),
    "no content": _retried("CUT_OFF", status=200, body=b""),
    "null for all": _answered(raw=b'data: {"choices":null,"usage":null,"error":null}\n\n' + PLAIN),
}

_MARKS: Final = {
    "the model's marks": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list_files<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
    "the newer marks": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="list_files">\n</｜DSML｜invoke>',
    "marks cut off": "Let me see. <｜tool▁calls▁begin｜>",
    "plain marks": "<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>list_files",
    "a tag with JSON": '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>',
    "tags": '<function_calls>\n<invoke name="list_files">\n</invoke>\n</function_calls>',
    "a named tag": "<function=list_files>\n</function>",
    "a list": '[TOOL_CALLS] [{"name": "list_files", "arguments": {}}]',
}
_LEAKED: Final[Mapping[str, Fault]] = {
    **{f"leaked: {name}": _retried("LEAKED_CALL", text=[f"I look.\n{markup}"]) for name, markup in _MARKS.items()},
    "marks shown as code": _answered("Like `<｜tool▁calls▁begin｜>`.", text=["Like `<｜tool▁calls▁begin｜>`."]),
}

_DEEP: Final = b'{"error":' * 5000 + b"1" + b"}" * 5000


def _object(status: int, body: Any) -> dict[str, Any]:
    return {"status": status, "body": body}


_ERRORS: Final[Mapping[str, Fault]] = {
    "error 400": _failed("INVALID_REQUEST", **_object(400, {"error": {"message": "bad field"}})),
    "error 400 of length": _failed("CONTEXT_OVERFLOW", **_object(400, {"error": "This is over the context length."})),
    "error 401": _failed("AUTH", status=401),
    "error 402": _failed("QUOTA", status=402),
    "error 403 as a page": _failed("AUTH", **_object(403, "<html>Forbidden</html>")),
    "error 404": _failed("INVALID_REQUEST", status=404),
    "error 413": _failed("CONTEXT_OVERFLOW", status=413),
    "error 422 as a list": _failed("INVALID_REQUEST", **_object(422, {"detail": [{"msg": "no such field"}]})),
    "error 429 of a quota": _failed("QUOTA", **_object(429, {"error": {"message": "quota exhausted"}})),
    "error 429 beyond patience": _failed("RATE_LIMIT", status=429, headers={"Retry-After": "999999"}),
    "error 500 without a body": _retried("SERVER", **_object(500, b"")),
    "error 500 as a text": _retried("SERVER", **_object(500, "upstream connect error")),
    "error 500 in a list": _retried("SERVER", **_object(500, b'[{"error":{"code":500,"message":"boom"}}]')),
    "error 500 in itself": _retried("SERVER", **_object(500, {"error": {"error": {"message": "boom"}}})),
    "error 500 without end": _retried("SERVER", **_object(500, _DEEP)),
    "error 500 that is no text": _retried("SERVER", **_object(500, b"\xff\xfe\x00{")),
    "error 500 as an event": _retried("SERVER", **_object(500, b'event: error\ndata: {"message":"boom"}\n\n')),
    "error 502 as a page": _retried("SERVER", **_object(502, "<!doctype html><title>502</title>")),
    "error 503": _retried("SERVER", status=503),
    "error 529": _retried("SERVER", status=529),
    "a redirect": _failed("INVALID_REQUEST", status=302, headers={"Location": "http://127.0.0.1:1/"}),
    "a success without content": _retried("CUT_OFF", status=204),
    "200 with an error": _retried("SERVER", **_object(200, {"error": {"message": "boom"}})),
    "200 with an error as a text": _retried("SERVER", **_object(200, {"error": "boom"})),
    "200 with an error by number": _failed("QUOTA", **_object(200, {"error": {"code": "402", "message": "pay"}})),
    "200 with an error by form": _failed(
        "QUOTA", **_object(200, {"object": "error", "message": "Insufficient Balance"})
    ),
    "200 with a message alone": _retried("SERVER", **_object(200, {"code": 50000, "msg": "boom"})),
    "200 with something else": _retried("CUT_OFF", **_object(200, {"hello": "world"})),
    "an error behind a text": _retried("SERVER", raw=OK + b'data: {"error":{"message":"overloaded"}}\n\n'),
    "an error as an event": _retried("SERVER", raw=OK + b'event: error\ndata: {"message":"overloaded"}\n\n'),
}

FAULTS: Final[Mapping[str, Fault]] = {
    **_CUT, **_STALLED, **_SPLIT, **_DOUBLED, **_MISLABELLED, **_EMPTY, **_LEAKED, **_ERRORS
}  # fmt: skip


def scripted(text: str, rounds: int, attempts: int) -> Reply:
    """What the mock answers to `[[fault NAME]]`."""
    if rounds:
        return Reply(text="Done.")
    return Reply(text=WHOLE) if attempts else FAULTS[text].reply
