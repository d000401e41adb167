"""What no client should send, made by hypothesis: frames and calls of every wrong kind, and what may come back.

`frames` are the bytes of a socket behind its handshake, `calls` the endpoint and arguments of a call. `judge` reads the
daemon's side: one line of error a stream, or the end of the connection by a code of the protocol.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec
from hypothesis import strategies as st

from hd.protocol.endpoints import BY_NAME
from hd.protocol.endpoints.shape import Endpoint

BARRIER: Final = "barrier"
"""The id of a stream that is opened behind the abuse and must be refused as usual, where the socket still lives."""

CLOSINGS: Final = frozenset({1000, 1001, 1002, 1003, 1007, 1008, 1009})
"""Protocol error, wrong kind of message, not UTF-8, rule broken, too large; and the echo of a client's own close."""

STATUSES: Final = frozenset({200, 400, 404, 413, 415})

AIMED: Final = frozenset({"sessionId", "agentId", "parentSessionId", "workspaceFileScopeId"})

UNSAFE: Final = frozenset(
    {
        "credentials/set",
        "credentials/unset",
        "directoryPicker/createDirectory",
        "goals/create",
        "goals/edit",
        "goals/resume",
        "llm/discoverModels",
        "session/create",
        "settings/mutate",
        "settings/replace",
        "settings/update",
        "workspace/create",
        "workspace/initializeDefault",
    }
)
"""Calls that do outside of the daemon what they are told, or go on for long, if chance hits a right argument."""

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20)
)
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_PLAIN: Final[Mapping[Any, st.SearchStrategy[Any]]] = {
    str: st.text(max_size=40) | st.sampled_from(["/", "..", "/plan", "/permission read-only", "a.txt"]),
    int: st.integers() | st.integers(-1, 60),
    float: st.floats(),
    bool: st.booleans(),
    NoneType: st.none(),
}
STREAMS: Final = sorted(name for name, endpoint in BY_NAME.items() if endpoint.stream)
CALLS: Final = sorted(name for name, endpoint in BY_NAME.items() if not endpoint.stream and name not in UNSAFE)


def frame(payload: bytes, first: int = 0x81, *, masked: bool = True, length: int | None = None) -> bytes:
    """A frame with the first byte `first`; `length` is what it says of itself where that is not the truth."""
    size = len(payload) if length is None else length
    mask = 0x80 if masked else 0
    if size < 126:
        head = bytes([first, mask | size])
    elif size < 1 << 16:
        head = bytes([first, mask | 126]) + struct.pack(">H", size)
    else:
        head = bytes([first, mask | 127]) + struct.pack(">Q", size)
    return head + (b"\0\0\0\0" if masked else b"") + payload


def opening(stream_id: str, endpoint: str = "nobody/knows", args: Any = None) -> bytes:
    body = {"type": "open", "streamId": stream_id, "endpoint": endpoint, "payload": {"args": args or {}}}
    return frame(msgspec.json.encode(body))


def typed(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an argument's type, whose bounds do not hold for all of them."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated or origin is NotRequired:
        return typed(inner[0])
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, UnionType):
        return st.one_of(*map(typed, inner))
    if is_typeddict(kind):
        fields = {name: typed(of) for name, of in get_type_hints(kind).items()}
        needed = {name: fields[name] for name in kind.__required_keys__}
        return st.fixed_dictionaries(needed, optional={name: fields[name] for name in fields if name not in needed})
    if origin in (list, Sequence):
        return st.lists(typed(inner[0]), max_size=4)
    if origin in (dict, Mapping):
        return st.dictionaries(st.text(max_size=8), typed(inner[1]), max_size=4)
    return _PLAIN.get(kind, JSON)


def _arguments(endpoint: Endpoint) -> st.SearchStrategy[dict[str, Any]]:
    """The right names with values of the right types and others."""
    named = {name: st.one_of(typed(kind), JSON) for name, kind in endpoint.params.items()}
    return st.fixed_dictionaries({}, optional=named) | st.fixed_dictionaries(named)


def _encodable(value: Any) -> bytes | None:
    """The JSON of a value; None for a text that JSON cannot carry (a lone surrogate)."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return None


def aimed(value: Any, session_id: str) -> Any:
    """The same with every id of a session replaced by one that exists, so that more than the look-up is met."""
    if isinstance(value, Mapping):
        return {
            key: session_id if key in AIMED and isinstance(inner, str) else aimed(inner, session_id)
            for key, inner in value.items()
        }
    return [aimed(inner, session_id) for inner in value] if isinstance(value, list) else value


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """(endpoint, arguments) of a call."""
    name = draw(st.sampled_from(CALLS))
    args = draw(_arguments(BY_NAME[name]).filter(lambda args: _encodable(args) is not None))
    return name, args


@st.composite
def _opens(draw: st.DrawFn) -> bytes:
    """Opens of streams that exist, with arguments of all kinds, and few ids, so that they come again."""
    name = draw(st.sampled_from(STREAMS))
    args = draw(_arguments(BY_NAME[name]).filter(lambda args: _encodable(args) is not None))
    return opening(draw(st.sampled_from(["a", "b", "c", "d"])), name, args)


@st.composite
def _nearly(draw: st.DrawFn) -> bytes:
    """Objects with the keys of a frame and values of any kind."""
    some = {
        "type": st.sampled_from(["open", "cancel", "item", "end", "ping"]) | JSON,
        "streamId": st.sampled_from(["a", "b", "", BARRIER + "s"]) | JSON,
        "endpoint": st.sampled_from([*STREAMS, "session/list", "nope"]) | JSON,
        "payload": JSON | st.fixed_dictionaries({"args": JSON}),
        "more": JSON,
    }
    value = draw(st.fixed_dictionaries({}, optional=some).filter(lambda value: _encodable(value) is not None))
    return frame(msgspec.json.encode(value))


def _deep(levels: int, opened: bytes) -> bytes:
    return frame(b'{"type":"open","streamId":"deep","endpoint":"$events","payload":' + opened * levels)


_WRONG: Final = st.one_of(
    _nearly(),
    _opens(),
    JSON.map(_encodable).filter(bool).map(lambda body: frame(body or b"")),
    st.text(max_size=60).map(lambda text: frame(text.encode("utf-8", "surrogatepass"))),
    st.binary(max_size=60).map(frame),
    st.builds(_deep, st.sampled_from([10, 1000, 100_000]), st.sampled_from([b"[", b'{"a":'])),
    st.binary(max_size=200).map(lambda body: frame(body, 0x82)),
    st.builds(frame, st.binary(max_size=140), st.integers(0, 255), masked=st.booleans()),
    st.lists(st.binary(max_size=10), min_size=2, max_size=5).map(
        lambda pieces: b"".join(
            frame(piece, (place == len(pieces) - 1) << 7 | (not place)) for place, piece in enumerate(pieces)
        )
    ),
    st.sampled_from(
        [opening("x" * 1000), opening("\u2603\0"), opening("big", "n" * 900_000), opening("huge", "n" * (1 << 20))]
    ),
    st.just(b"".join(opening(f"many-{number}", "session/control") for number in range(2000))),
    st.binary(max_size=30),
)
frames: Final = st.lists(_WRONG, min_size=1, max_size=6).map(b"".join)
"""The bytes of a few frames, of which at least one is mostly wrong."""


def judge(read: bytes) -> list[str]:
    """What is wrong with what the daemon sent on a socket until its end, or until the answer to the barrier."""
    wrong: list[str] = []
    for opcode, payload in parse(read):
        if opcode == 8:
            code = int.from_bytes(payload[:2])
            if payload and code not in CLOSINGS:
                wrong.append(f"the connection was closed with {code} {payload[2:]!r}")
        elif opcode == 1:
            wrong += _judge_text(msgspec.json.decode(payload))
        elif opcode not in (9, 10):
            wrong.append(f"a frame with the opcode {opcode} came")
    return wrong


def _judge_text(said: Mapping[str, Any]) -> Iterable[str]:
    if said.get("type") not in ("item", "end", "error") or not isinstance(said.get("streamId"), str):
        yield f"a frame that is none of the dialect: {str(said)[:200]}"
    elif said["type"] == "error":
        yield from judge_error(said["error"])


def judge_error(error: Mapping[str, Any]) -> Iterable[str]:
    """An error is a code and one line, and none of a defect."""
    message = error.get("message")
    if not isinstance(message, str) or len(message.splitlines()) != 1 or not isinstance(error.get("code"), str):
        yield f"an error that is no code with one line: {str(error)[:200]}"
    elif message.startswith("internal error"):
        yield f"a defect was met: {message}"


def parse(read: bytes) -> list[tuple[int, bytes]]:
    """(opcode, payload) of the whole frames in `read`."""
    found: list[tuple[int, bytes]] = []
    place = 0
    while place + 2 <= len(read):
        size, start = read[place + 1] & 127, place + 2
        if size >= 126:
            wide = 2 if size == 126 else 8
            size, start = int.from_bytes(read[start : start + wide]), start + wide
        if start + size > len(read):
            break
        found.append((read[place] & 15, read[start : start + size]))
        place = start + size
    return found
