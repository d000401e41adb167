"""The multiplexed socket: WIRE 4 from outside, and K07 for what no client should do."""

import asyncio
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest

from hd.server.sockets import MAX_FRAME, MAX_STREAMS
from tests.server.raw import close_code, connect, exchange, frame, frames, open_socket, parse, upgrade
from tests.support.daemon import LIMIT, Daemon, Stream, is_event

ENDED = is_event("turn/end")
OPEN = {"type": "open", "streamId": "a", "endpoint": "workspace/follow", "payload": {"args": {}}}


async def alive(daemon: Daemon) -> None:
    """A client that comes now is served."""
    async with daemon.socket() as socket:
        stream = await socket.open("$events")
        assert (await stream.item())["type"] == "ready"


async def error_of(stream: Stream) -> dict[str, Any]:
    frame = await stream.frame()
    assert frame["type"] == "error", frame
    assert set(frame) == {"type", "streamId", "error"}
    assert set(frame["error"]) == {"code", "message", "details"}
    return dict(frame["error"])


# Violations close the socket.


@pytest.mark.parametrize(
    "text",
    [
        "{nope",
        "",
        "[]",
        "null",
        '"open"',
        "5",
        '{"type":"ping"}',
        '{"type":["open"]}',
        '{"streamId":"a"}',
        '{"type":"cancel","streamId":"a","x":1}',
        '{"type":"cancel"}',
        '{"type":"cancel","streamId":5}',
        '{"type":"cancel","streamId":""}',
        '{"type":"open","streamId":"","endpoint":"$events","payload":{"args":{}}}',
        '{"type":"open","streamId":null,"endpoint":"$events","payload":{"args":{}}}',
        '{"type":"open","streamId":"a","endpoint":"$events"}',
        '{"type":"open","streamId":"a","endpoint":5,"payload":{"args":{}}}',
        '{"type":"open","streamId":"a","endpoint":"$events","payload":{"args":{}},"x":1}',
        "[" * 100_000,
        '{"type":"open","streamId":"a","streamId":"a"}',
    ],
)
async def test_k07_a_frame_that_is_none_closes_the_socket(shared: Daemon, text: str) -> None:
    async with shared.socket() as socket:
        await socket.connection.send(text)
        await socket.connection.wait_closed()
        assert (socket.connection.close_code, socket.connection.close_reason) == (1008, "invalid Remote stream request")


async def test_a_binary_frame_closes_the_socket(shared: Daemon) -> None:
    async with shared.socket() as socket:
        await socket.connection.send(msgspec.json.encode(OPEN))
        await socket.connection.wait_closed()
        assert (socket.connection.close_code, socket.connection.close_reason) == (1003, "text messages required")


async def test_a_live_id_opened_again_closes_the_socket_and_a_dead_one_does_not(shared: Daemon) -> None:
    async with shared.socket() as socket:
        for _ in range(3):
            stream = await socket.open("session/control", stream_id="same")
            assert (await stream.item())["type"] == "baseline"
            await socket.cancel(stream)
        for _ in range(2):
            stream = await socket.open("nope/nope", stream_id="other")
            await error_of(stream)
        await socket.open("session/control", stream_id="same")
        await socket.open("session/control", stream_id="same")
        await socket.connection.wait_closed()
        assert socket.connection.close_code == 1008


def test_text_that_is_not_utf8_closes_the_socket(shared: Daemon) -> None:
    with closing(open_socket(shared)) as connection:
        connection.sendall(frame(b'"\xff"'))
        assert close_code(connection) == 1007


@pytest.mark.parametrize("raw", [b"\xff\xff" + b"x" * 100, b"\x81\x05hello", b"\x80\x80\0\0\0\0", b"\x89\xfe\x01\x00"])
def test_what_is_no_frame_of_a_client_closes_the_socket(shared: Daemon, raw: bytes) -> None:
    """Reserved bits, no mask, a continuation of nothing, a ping that is too long."""
    with closing(open_socket(shared)) as connection:
        connection.sendall(raw + frame(b"{}"))
        assert close_code(connection) in (1002, 1008)


@pytest.mark.parametrize("version", ["1.0", "0.9"])
def test_there_is_no_socket_over_old_http(shared: Daemon, version: str) -> None:
    assert parse(exchange(shared, upgrade(shared, version=version))).status in (400, 404)


def test_a_broken_handshake_is_refused_and_the_connection_ends(shared: Daemon) -> None:
    good = upgrade(shared)
    for broken in (
        good.replace(b"Version: 13", b"Version: 1"),
        good.replace(b"Sec-WebSocket-Key: ", b"X: "),
        good.replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"short"),
    ):
        assert parse(exchange(shared, broken)).status == 400


# Errors inside a valid open are frames.


@pytest.mark.parametrize(
    ("endpoint", "args", "code", "details"),
    [
        ("nope/nope", {}, "gateway/invocation-unavailable", {"endpoint": "nope/nope"}),
        ("", {}, "gateway/invocation-unavailable", {"endpoint": ""}),
        ("session/list", {"_request": {}}, "gateway/signature-invalid", {"endpoint": "session/list"}),
        ("$events/result", {}, "gateway/signature-invalid", {"endpoint": "$events/result"}),
        ("$events", {"x": 1}, "gateway/arguments-invalid", {"endpoint": "$events"}),
        ("session/follow", {}, "gateway/arguments-invalid", {"endpoint": "session/follow"}),
        (
            "session/follow",
            {"request": {"address": {"kind": "zzz"}}},
            "gateway/input-invalid",
            {"endpoint": "session/follow", "field": "request"},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "session"}}},
            "gateway/input-invalid",
            {"endpoint": "session/follow", "field": "request"},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "session", "sessionId": "s"}, "assistantStream": False}},
            "gateway/input-invalid",
            {"endpoint": "session/follow", "field": "request"},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "session", "sessionId": "s"}, "maxMessages": 0}},
            "gateway/bad-request",
            {},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "session", "sessionId": "session-none"}}},
            "session/not-found",
            {"sessionId": "session-none"},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "session", "sessionId": "☃\u0000\U0001f600"}}},
            "session/not-found",
            {"sessionId": "☃\u0000\U0001f600"},
        ),
        (
            "session/follow",
            {"request": {"address": {"kind": "subagent", "parentSessionId": "p", "childSessionId": "c"}}},
            "session/not-found",
            {"sessionId": "c"},
        ),
    ],
)
async def test_a_wrong_open_is_an_error_frame(
    shared: Daemon, endpoint: str, args: dict[str, Any], code: str, details: dict[str, Any]
) -> None:
    async with shared.socket() as socket:
        good = await socket.open("session/control")
        await good.item()
        error = await error_of(await socket.open(endpoint, **args))
        assert (error["code"], error["details"]) == (code, details)
        again = await socket.open("session/control")
        assert (await again.item())["type"] == "baseline"


@pytest.mark.parametrize("payload", [{}, {"args": []}, {"args": {}, "x": 1}, None, 5, []])
async def test_a_payload_without_exactly_the_arguments_is_an_error_frame(shared: Daemon, payload: Any) -> None:
    async with shared.socket() as socket:
        stream = socket.expect("a")
        await socket.connection.send(msgspec.json.encode({**OPEN, "payload": payload}).decode())
        assert (await error_of(stream))["code"] == "gateway/internal"


# Cancel.


async def test_nothing_comes_after_a_cancel(shared: Daemon, session: str) -> None:
    """The barrier is a stream that is opened behind the cancel: whatever came before its first item was on its way."""
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await shared.prompt(session, "[[burst 5000 50]]")
        await follow.until(lambda item: item["type"] == "assistant-stream" and item["frame"]["type"] == "chunk")
        await socket.cancel(follow)
        barrier = await socket.open("session/control")
        await barrier.item()
        seen = follow.waiting()
        other = await socket.follow(session)
        await other.until(lambda item: ENDED(item) or is_turn_end_in(item))
        assert follow.waiting() == seen


def is_turn_end_in(item: dict[str, Any]) -> bool:
    return bool(item["type"] == "snapshot" and item["records"][-1]["event"]["type"] == "turn/end")


async def test_cancels_of_what_does_not_live_are_ignored(shared: Daemon) -> None:
    async with shared.socket() as socket:
        stream = await socket.open("session/control")
        await stream.item()
        for _ in range(3):
            await socket.cancel(stream)
        await socket.cancel(socket.expect("never opened"))
        assert (await (await socket.open("session/control")).item())["type"] == "baseline"


async def test_opened_and_cancelled_at_once(shared: Daemon) -> None:
    async with shared.socket() as socket:
        for _ in range(200):
            stream = await socket.open("session/control", stream_id="same")
            await socket.cancel(stream)
        stream = await socket.open("session/control", stream_id="same")
        assert (await stream.item())["type"] == "baseline"


# Keep-alive.


async def test_the_daemon_pings_every_two_seconds_and_answers_pings(shared: Daemon) -> None:
    async with shared.socket() as socket:
        await asyncio.wait_for(await socket.connection.ping(b"hello"), LIMIT)
    with closing(open_socket(shared)) as connection:
        assert connection.recv(2) == b"\x89\x00"


# Frames that are too much.


def test_k07_a_frame_of_a_hundred_megabytes_is_refused_by_its_head(shared: Daemon) -> None:
    before = resident(shared)
    with closing(open_socket(shared)) as connection:
        connection.sendall(frame(b"x" * 1000, length=100 * 1024 * 1024))
        assert close_code(connection) == 1009
    with closing(open_socket(shared)) as connection:
        connection.sendall(frame(b"x" * 1000, length=(1 << 63) - 1))
        assert close_code(connection) == 1009
    assert resident(shared) - before < 20 << 20


def test_k07_a_message_in_endless_pieces_is_refused(shared: Daemon) -> None:
    with closing(open_socket(shared)) as connection:
        piece = b"x" * 65_000
        connection.sendall(b"\x01" + frame(piece)[1:])
        try:
            for _ in range(MAX_FRAME // len(piece) + 2):
                connection.sendall(b"\x00" + frame(piece)[1:])
        except OSError:
            pass
        code = [payload for opcode, payload in frames(connection) if opcode == 8]
        assert not code or int.from_bytes(code[0][:2]) == 1009


async def test_a_frame_may_be_large(shared: Daemon) -> None:
    async with shared.socket() as socket:
        name = "n" * (MAX_FRAME - 1000)
        assert (await error_of(await socket.open(name)))["code"] == "gateway/invocation-unavailable"
        await socket.open("n" * MAX_FRAME)
        await socket.connection.wait_closed()
        assert socket.connection.close_code == 1009


async def test_k07_thousands_of_opens_are_refused_one_by_one(shared: Daemon) -> None:
    async with shared.socket() as socket, shared.socket() as other:
        streams = [await socket.open("session/control") for _ in range(3000)]
        for stream in streams[:MAX_STREAMS]:
            assert (await stream.item())["type"] == "baseline"
        for stream in streams[MAX_STREAMS:]:
            error = await error_of(stream)
            assert error["code"] == "gateway/bad-request"
        assert (await (await other.open("session/control")).item())["type"] == "baseline"
        for stream in streams[:10]:
            await socket.cancel(stream)
        # The refused ids and the places of the cancelled are free again.
        assert (await (await socket.open("session/control", stream_id=streams[-1].id)).item())["type"] == "baseline"


async def test_a_hundred_follows_of_one_session_on_one_socket_see_the_same(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        follows = [await socket.follow(session) for _ in range(100)]
        for follow in follows:
            assert (await follow.item())["type"] == "snapshot"
        await shared.prompt(session, "[[burst 300 10]]")
        texts = await asyncio.gather(*(events_until_end(follow) for follow in follows))
        assert all(text == texts[0] for text in texts)


async def events_until_end(follow: Stream) -> list[Any]:
    events: list[Any] = []
    while not events or events[-1]["type"] != "turn/end":
        item = await follow.item()
        if item["type"] == "event":
            events.append(item["event"])
    return events


async def test_i06_who_does_not_read_holds_up_nobody(shared: Daemon, session: str) -> None:
    """A follower that never reads its socket while 20,000 deltas go by."""
    address = {"kind": "session", "sessionId": session}
    request = {"address": address, "assistantStream": True}
    opening = {
        "type": "open",
        "streamId": "deaf",
        "endpoint": "session/follow",
        "payload": {"args": {"request": request}},
    }
    before = resident(shared)
    with closing(open_socket(shared)) as deaf:
        deaf.sendall(frame(msgspec.json.encode(opening)))
        async with shared.socket() as socket:
            follow = await socket.follow(session)
            for _ in range(5):
                await shared.prompt(session, "[[burst 20000]]")
                await follow.until(ENDED)
        # What waits for it is merged and bounded, not kept delta by delta.
        assert resident(shared) - before < 150 << 20
        await alive(shared)


@pytest.mark.parametrize("when", ["opening", "streaming", "cancelling"])
async def test_clients_that_vanish_leave_nothing_behind(shared: Daemon, session: str, when: str) -> None:
    await alive(shared)
    process = psutil.Process(shared.pid)
    before = process.num_fds()
    follow = {"address": {"kind": "session", "sessionId": session}, "assistantStream": True}
    opening = {"type": "open", "streamId": "f", "endpoint": "session/follow", "payload": {"args": {"request": follow}}}
    if when == "streaming":
        await shared.prompt(session, "[[slow 100 10]]")
    for number in range(30):
        connection = open_socket(shared) if number % 2 else connect(shared)
        if not number % 2:
            connection.sendall(upgrade(shared))
        connection.sendall(frame(msgspec.json.encode(opening)))
        if when == "cancelling":
            connection.sendall(frame(b'{"type":"cancel","streamId":"f"}'))
        if number % 3:
            # Gone with a reset instead of a farewell.
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(1, 13, linger)
        connection.close()
    async with shared.socket() as socket:
        last = await socket.follow(session)
        await last.item()
        await shared.acall("session/cancel", request={"sessionId": session})
    while process.num_fds() > before + 2:
        await alive(shared)
    assert "Traceback" not in shared.log_text()


async def test_a_stream_that_fails_leaves_the_others_alone(shared: Daemon, session: str, folder: Path) -> None:
    async with shared.socket() as socket:
        follow, events = await socket.follow(session), await socket.open("$events")
        await follow.item()
        await events.item()
        for _ in range(20):
            await error_of(await socket.open("session/follow", request={}))
        await shared.prompt(session, "[[fast]]")
        await follow.until(ENDED)
        await events.until(lambda item: item.get("event") == "api-session/status" and item["args"] == [session, False])


def resident(daemon: Daemon) -> int:
    """Bytes of memory that the daemon has."""
    return int(psutil.Process(daemon.pid).memory_info().rss)
