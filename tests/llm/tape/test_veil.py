"""What a recording must not hold is not in it, however the stream was cut."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.llm.decode import AnswerDecoder
from hd.llm.sse import SseParser
from hd.llm.tape.form import Piece
from hd.llm.tape.veil import LEFT_OUT, Veil

HOME = "/home/ännä"
SECRETS = {'pa"ss\\wörd-1': ".env/PASSWORD", "hunter2hunter2": ".env/TOKEN"}
KEY = "sk-0123456789abcdef0123456789abcdef"
VEIL = Veil(SECRETS, HOME)
HIDDEN = [*SECRETS, HOME, KEY]

words = st.lists(
    st.sampled_from([*HIDDEN, f"{HOME}/x.py", f"{HOME}2", " ", "\n", "ok ", "日本", "<", '"', "\\"]), max_size=8
)


def event(delta: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) + b"\n\n"


def cut(data: bytes, places: list[int]) -> list[tuple[int, bytes]]:
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [(number, data[start:end]) for number, (start, end) in enumerate(pairwise(ends))]


def texts(pieces: tuple[Piece, ...]) -> tuple[str, str, str]:
    """What the real reader makes of them: content, thoughts, and the arguments of the call."""
    parser, decoder = SseParser(), AnswerDecoder(set(), explain=lambda *given: None, tools=["write_file"])
    chunks = [chunk for piece in pieces for one in parser.feed(piece.data) for chunk in decoder.feed(one)]
    chunks += decoder.finish()
    said = {kind: "".join(c["text"] for c in chunks if c["type"] == kind) for kind in ("text-delta", "reasoning-delta")}
    calls = [c["block"]["arguments"] for c in chunks if c["type"] == "block-end" and c["block"]["type"] == "tool-call"]
    return said["text-delta"], said["reasoning-delta"], "".join(calls)


@given(words, words, st.lists(st.integers(0, 5000), max_size=12), st.integers(1, 7))
def test_no_hidden_value_is_said_in_any_field_over_any_cut(
    content: list[str], thought: list[str], places: list[int], size: int
) -> None:
    said, considered = " ".join(content), " ".join(thought)
    arguments = msgspec.json.encode({"path": said, "content": considered}).decode()
    stream = b": keep-alive\n\n"
    stream += b"".join(event({"reasoning_content": considered[n : n + size]}) for n in range(0, len(considered), size))
    stream += b"".join(event({"content": said[n : n + size]}) for n in range(0, len(said), size))
    call = {"index": 0, "id": "c1", "type": "function"}
    stream += event({"tool_calls": [{**call, "function": {"name": "write_file", "arguments": ""}}]})
    stream += b"".join(
        event({"tool_calls": [{"index": 0, "function": {"arguments": arguments[n : n + size]}}]})
        for n in range(0, len(arguments), size)
    )
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    stream += b"data: " + msgspec.json.encode(end) + b"\n\ndata: [DONE]\n\n"
    arrived = cut(stream, places)
    kept = VEIL.pieces(arrived)
    assert [piece.at for piece in kept] == [at for at, _ in arrived]
    assert texts(kept) == (VEIL.text(said), VEIL.text(considered), VEIL.text(arguments))
    for hidden in HIDDEN:
        assert hidden not in VEIL.text(said).replace(f"{HOME}2", "")
    if VEIL.text(said + considered + arguments) == said + considered + arguments:
        assert [piece.data for piece in kept] == [data for _, data in arrived]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5), st.sampled_from([*HIDDEN, ""]))
def test_a_body_of_any_bytes_loses_only_what_is_hidden(noise: bytes, places: list[int], hidden: str) -> None:
    body = noise + b" " + hidden.encode() + b" " + noise
    kept = VEIL.pieces(cut(body, places))
    joined = b"".join(piece.data for piece in kept)
    assert not hidden or hidden.encode() + b" " not in joined
    if not hidden and not any(value.encode() in body for value in HIDDEN) and b"data:" not in body:
        assert joined == body


def test_the_home_is_one_folder_and_not_all_that_begin_like_it() -> None:
    assert VEIL.text(f"{HOME} {HOME}/a {HOME}2/a {HOME}-old") == f"~ ~/a {HOME}2/a {HOME}-old"
    assert Veil({}, "/").text("/a/b") == "/a/b"
    assert VEIL.text(f"Bearer {KEY}") == "Bearer <hidden:key>"


@pytest.mark.parametrize("contents", [True, False])
def test_what_tools_found_is_left_out_unless_it_is_wanted(contents: bool) -> None:
    body = {"messages": [{"role": "user", "content": HOME}, {"role": "tool", "content": "text of a file"}]}
    veiled = VEIL.request(body, contents=contents)
    assert [one["content"] for one in veiled["messages"]] == ["~", "text of a file" if contents else LEFT_OUT]
