"""Envelope, multiplexer, endpoints and chunked lists."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.agent.history import HISTORY
from hd.protocol import codes, envelope
from hd.protocol.chunked import CHUNK, ChunkedList
from hd.protocol.endpoints import BY_NAME, ENDPOINTS
from hd.protocol.envelope import WireError
from hd.protocol.events import Event, Replace
from hd.protocol.mux import Cancelled, ClientMux, Ended, Item, MuxViolation, Opened, ServerMux

GOOD = {"type": "client-request", "rpcId": "1", "method": "a/b", "payload": {"args": {"x": 1}}}


def test_a_request_is_read_back() -> None:
    call = envelope.parse_request(msgspec.json.decode(envelope.request("7", "a/b", {"x": 1})), "a/b")
    assert (call.rpc_id, call.method, call.args) == ("7", "a/b", {"x": 1})


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, codes.BAD_REQUEST),
        ([], codes.BAD_REQUEST),
        ({**GOOD, "type": "x"}, codes.BAD_REQUEST),
        ({**GOOD, "rpcId": 1}, codes.BAD_REQUEST),
        ({**GOOD, "method": "a/c"}, codes.BAD_REQUEST),
        ({**GOOD, "payload": {}}, codes.INTERNAL),
        ({**GOOD, "payload": {"args": {}, "more": 1}}, codes.INTERNAL),
        ({**GOOD, "payload": {"args": []}}, codes.INTERNAL),
    ],
)
def test_each_mistake_of_an_envelope_has_its_code(body: Any, code: str) -> None:
    with pytest.raises(WireError) as caught:
        envelope.parse_request(body, "a/b")
    assert caught.value.code == code


def test_the_id_is_echoed_only_if_it_is_text() -> None:
    assert envelope.rpc_id_of({"rpcId": "x9"}) == "x9"
    assert envelope.rpc_id_of({"rpcId": 9}) == "invalid-request"
    assert envelope.rpc_id_of([]) == "invalid-request"


def test_an_answer_without_a_value_has_no_value_key() -> None:
    assert msgspec.json.decode(envelope.success("1"))["result"] == {"ok": True}
    assert msgspec.json.decode(envelope.success("1", None))["result"] == {"ok": True, "value": None}
    assert envelope.parse_response(msgspec.json.decode(envelope.success("1")), "1") is None


def test_an_error_answer_raises_what_the_host_said() -> None:
    error = WireError("session/not-found", "no", {"sessionId": "s"})
    with pytest.raises(WireError) as caught:
        envelope.parse_response(msgspec.json.decode(envelope.failure("1", error)), "1")
    assert caught.value == error


@pytest.mark.parametrize("body", [{}, {"type": "server-response", "rpcId": "2", "result": {"ok": True}}, None])
def test_an_answer_to_somebody_else_is_refused(body: Any) -> None:
    with pytest.raises(ValueError, match="answer"):
        envelope.parse_response(body, "1")


@pytest.mark.parametrize(
    "frame",
    [
        "nope",
        "[]",
        "1",
        '{"type":"open"}',
        '{"type":"open","streamId":"","endpoint":"e","payload":{}}',
        '{"type":"open","streamId":"a","endpoint":1,"payload":{}}',
        '{"type":"open","streamId":"a","endpoint":"e","payload":{},"more":1}',
        '{"type":"cancel","streamId":"a","more":1}',
        '{"type":"what","streamId":"a"}',
        '{"type":[],"streamId":"a"}',
    ],
)
def test_a_frame_that_breaks_the_protocol_is_a_violation(frame: str) -> None:
    with pytest.raises(MuxViolation):
        ServerMux().receive(frame)


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner)).map(repr))
def test_any_text_is_a_frame_or_a_violation(text: str) -> None:
    mux = ServerMux()
    try:
        received = mux.receive(text)
    except MuxViolation:
        assert not mux.live
    else:
        assert received is None or isinstance(received, Opened)


def test_streams_live_from_open_to_end() -> None:
    server, client = ServerMux(), ClientMux()
    first, frame = client.open("session/control", {})
    assert server.receive(frame) == Opened(first, "session/control", {"args": {}})
    with pytest.raises(MuxViolation):
        server.receive(frame)
    assert client.receive(server.item(first, b'{"n":1}')) == Item(first, {"n": 1})
    end = server.end(first)
    assert end is not None
    assert client.receive(end) == Ended(first)
    assert server.receive(frame) == Opened(first, "session/control", {"args": {}})


def test_after_a_cancel_the_server_sends_nothing_and_the_client_drops_what_comes() -> None:
    server, client = ServerMux(), ClientMux()
    first, frame = client.open("$events", {})
    server.receive(frame)
    late = server.item(first, b"1")
    cancel = client.cancel(first)
    assert cancel is not None
    assert server.receive(cancel) == Cancelled(first)
    assert server.receive(cancel) is None
    assert server.end(first) is None
    assert server.error(first, WireError("a", "b", {})) is None
    assert client.receive(late) is None
    assert client.cancel(first) is None


@pytest.mark.parametrize("frame", ["nope", "[]", '{"type":"what"}', b"\xff"])
def test_a_client_refuses_frames_that_are_none(frame: Any) -> None:
    with pytest.raises(ValueError, match="the host sent"):
        ClientMux().receive(frame)


def test_endpoints_have_unique_names() -> None:
    assert len(BY_NAME) == len(ENDPOINTS)
    assert list(BY_NAME) == sorted(BY_NAME)


@pytest.mark.parametrize(
    ("op", "surface"),
    [
        (None, None),
        ("append", "append"),
        ({"op": "append"}, "append"),
        ({"op": "replace", "startSeq": 1, "endSeq": 2}, Replace(1, 2)),
        ({"op": "replace", "start": 1, "end": 2}, Replace(1, 2)),
        ("fold", None),
        ({"op": "replace", "startSeq": "1"}, None),
        ({"op": "fold"}, None),
        ([], None),
    ],
)
def test_every_form_of_surface_is_read_and_an_unknown_one_is_none(op: Any, surface: Any) -> None:
    wire = {"type": "user/message", "seq": 0, "time": 1, "data": {}, "surfaceOp": op}
    assert Event.from_wire(wire).surface == surface


def test_an_event_of_an_unknown_surface_is_kept_and_not_part_of_the_conversation() -> None:
    prompt = {"role": "user", "id": "m", "content": [{"type": "text", "text": "hello"}]}
    wire = {"type": "user/message", "seq": 0, "time": 1, "data": prompt}
    for op, entries in (("append", 1), ({"op": "fold", "seqs": [1]}, 0)):
        event = Event.from_wire({**wire, "surfaceOp": op})
        assert event.data == prompt
        assert len(HISTORY.apply(HISTORY.initial, event).entries) == entries


@pytest.mark.parametrize("strange", [{"time": "noon"}, {"time": [1]}, {"sourceEventSeqs": 7}, {"data": "text"}])
def test_a_strange_field_does_not_make_an_event_unreadable(strange: dict[str, Any]) -> None:
    assert Event.from_wire({"type": "user/message", "seq": 3, **strange}) == Event("user/message", 3, 0, {})


@pytest.mark.parametrize("wire", [{}, {"type": "a"}, {"type": "a", "seq": "0"}, {"type": "a", "seq": True}])
def test_an_event_without_type_or_number_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="an event needs"):
        Event.from_wire(wire)


@given(st.lists(st.integers(), max_size=3 * CHUNK), st.data())
def test_a_chunked_list_is_a_list(items: list[int], data: Any) -> None:
    grown: ChunkedList[int] = ChunkedList()
    for item in items:
        grown = grown.append(item)
    assert list(grown) == items
    assert grown == ChunkedList.of(items)
    assert len(grown) == len(items)
    if items:
        index = data.draw(st.integers(0, len(items) - 1))
        changed = grown.replace(index, -1)
        assert list(changed) == [*items[:index], -1, *items[index + 1 :]]
        assert grown[index] == items[index]
        assert grown[index - len(items)] == items[index]
    for bad in (len(items), -len(items) - 1):
        with pytest.raises(IndexError):
            grown[bad]
