"""Unary calls: what fails before the envelope (WIRE 3.2), in it (3.3), and what a hostile body does."""

import asyncio
import gzip
import http.client
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.errors import ArgumentsInvalid, BadRequest, HdError, InputInvalid, SessionNotFound
from hd.protocol.endpoints import BY_NAME, ENDPOINTS
from hd.server.body import MAX_BODY
from hd.server.rpc import check_arguments, wire_error
from tests.server.inside import exchanged, listed, place
from tests.server.raw import connect, exchange, head, list_body, parse, post_list
from tests.support.daemon import LIMIT, Daemon

JSON = {"Content-Type": "application/json"}


def post(
    daemon: Daemon, path: str, body: bytes, headers: dict[str, str] | None = None
) -> tuple[int, http.client.HTTPMessage, bytes]:
    return daemon.http("POST", path, body=body, headers={"Cookie": daemon.cookie, **JSON, **(headers or {})})


def answer(daemon: Daemon, body: object, path: str = "/api/session/list") -> dict[str, Any]:
    status, headers, got = post(daemon, path, msgspec.json.encode(body))
    assert (status, headers["content-type"]) == (200, "application/json")
    decoded = msgspec.json.decode(got)
    assert set(decoded) == {"type", "rpcId", "result"}
    assert decoded["type"] == "server-response"
    return dict(decoded)


def envelope(method: str = "session/list", **payload: Any) -> dict[str, Any]:
    return {"type": "client-request", "rpcId": "r1", "method": method, "payload": payload}


def error_of(daemon: Daemon, body: object, path: str = "/api/session/list") -> dict[str, Any]:
    got = answer(daemon, body, path)
    assert got["result"]["ok"] is False
    error = got["result"]["error"]
    assert set(error) == {"code", "message", "details"}
    assert error["message"]
    assert isinstance(error["details"], dict)
    return dict(error)


# WIRE 3.2


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status", "text"),
    [
        ("POST", "/api/session/list", {}, b"{nope", 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b"", 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b'{"a":1} x', 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b"NaN", 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b'"\xff"', 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b'{"rpcId":"\\ud800"}', 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b"\xef\xbb\xbf{}", 400, b"body is not JSON"),
        ("POST", "/api/session/list", {}, b"[" * 100_000, 400, b"body is not JSON"),
        ("POST", "/api/session/nope", {}, b"{}", 404, b"not found"),
        ("POST", "/api/session.list", {}, b"{}", 404, b"not found"),
        ("POST", "/api/session/list/", {}, b"{}", 404, b"not found"),
        ("POST", "/api/Session/List", {}, b"{}", 404, b"not found"),
        ("GET", "/api/session/list", {}, None, 404, b"not found"),
        ("PUT", "/api/session/list", {}, b"{}", 404, b"not found"),
        ("DELETE", "/api/session/list", {}, None, 404, b"not found"),
        ("GET", "/api/remote.mux", {}, None, 404, b"not found"),
        ("POST", "/api/remote.mux", {}, b"{}", 404, b"not found"),
        ("POST", "/api/$events", {}, b"{}", 404, b"not found"),
        ("POST", "/api/%24events", {}, b"{}", 404, b"not found"),
        ("POST", "/api/session/list", {"Content-Type": "text/plain"}, b"{}", 415, b"content type must be"),
        ("POST", "/api/session/list", {"Content-Type": ""}, b"{}", 415, b"content type must be"),
        ("POST", "/api/session/list", {"Content-Type": "application/jsonx"}, b"{}", 415, b"content type must be"),
    ],
)
def test_what_fails_before_the_envelope(
    shared: Daemon, method: str, path: str, headers: dict[str, str], body: bytes | None, status: int, text: bytes
) -> None:
    got, _, said = shared.http(method, path, body=body, headers={"Cookie": shared.cookie, **JSON, **headers})
    assert (got, said[: len(text)]) == (status, text)


def test_the_content_type_may_have_parameters(shared: Daemon) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON;x=y"):
        assert post(shared, "/api/session/list", list_body(), {"Content-Type": kind})[0] == 200


def test_a_call_without_a_content_type_is_none(shared: Daemon) -> None:
    body = list_body()
    request = f"POST /api/session/list HTTP/1.1\r\n{head(shared)}Content-Length: {len(body)}\r\n\r\n".encode() + body
    assert parse(exchange(shared, request)).status == 415


# WIRE 3.3


def test_a_malformed_envelope_is_told_what_is_wrong_with_it(shared: Daemon) -> None:
    got = answer(shared, {"rpcId": "x9", "method": "session/list"})
    assert got["rpcId"] == "x9"
    assert got["result"]["error"]["code"] == "gateway/bad-request"
    assert [issue["path"] for issue in got["result"]["error"]["details"]["issues"]] == [["type"], ["payload"]]
    got = answer(shared, {"hello": 1})
    assert got["rpcId"] == "invalid-request"
    paths = [issue["path"] for issue in got["result"]["error"]["details"]["issues"]]
    assert paths == [["type"], ["rpcId"], ["method"], ["payload"]]


@pytest.mark.parametrize("body", [[], "text", 5, None, True, [[]], {"rpcId": 5, "type": "client-request"}])
def test_what_is_no_envelope_at_all_is_a_bad_request(shared: Daemon, body: object) -> None:
    got = answer(shared, body)
    assert got["rpcId"] == "invalid-request"
    assert got["result"]["error"]["code"] == "gateway/bad-request"


def test_the_method_must_be_the_path(shared: Daemon) -> None:
    error = error_of(shared, envelope("session/create", args={}))
    assert (error["code"], error["details"]) == ("gateway/bad-request", {"issues": []})


@pytest.mark.parametrize(
    "payload", [{}, {"args": []}, {"args": None}, {"args": {"_request": {}}, "x": 1}, [], None, "args"]
)
def test_the_payload_holds_exactly_the_arguments(shared: Daemon, payload: Any) -> None:
    error = error_of(shared, {**envelope(), "payload": payload})
    assert (error["code"], error["details"]) == ("gateway/internal", {})


@pytest.mark.parametrize(
    ("args", "word"),
    [({}, "missing"), ({"_request": {}, "x": 1}, "unexpected"), ({"request": {}}, "missing"), ({"": {}}, "missing")],
)
def test_the_argument_names_are_exact(shared: Daemon, args: dict[str, Any], word: str) -> None:
    error = error_of(shared, envelope(args=args))
    assert (error["code"], error["details"]) == ("gateway/arguments-invalid", {"endpoint": "session/list"})
    assert word in error["message"]


@pytest.mark.parametrize("value", [{"cursor": 5}, [], None, "x", 5])
def test_an_argument_of_the_wrong_shape_names_its_field(shared: Daemon, value: Any) -> None:
    error = error_of(shared, envelope(args={"_request": value}))
    assert error["code"] == "gateway/input-invalid"
    assert error["details"] == {"endpoint": "session/list", "field": "_request"}


def test_unknown_fields_inside_an_argument_are_ignored(shared: Daemon) -> None:
    assert answer(shared, envelope(args={"_request": {"zzz": 5}}))["result"]["ok"]


def test_a_stream_is_not_called(shared: Daemon) -> None:
    for endpoint in ENDPOINTS:
        if endpoint.stream and endpoint.name != "$events":
            error = error_of(shared, envelope(endpoint.name, args={}), f"/api/{endpoint.name}")
            assert (error["code"], error["details"]) == ("gateway/signature-invalid", {"endpoint": endpoint.name})


def test_the_rpc_id_is_echoed_whatever_it_says(shared: Daemon) -> None:
    for rpc_id in ("", "r" * 10_000, "☃\n\x00", "invalid-request"):
        assert answer(shared, {**envelope(args={"_request": {}}), "rpcId": rpc_id})["rpcId"] == rpc_id


def test_an_answer_without_a_value_has_no_such_key(shared: Daemon, session: str) -> None:
    args = {"agentId": session, "line": "/nope", "submittedAttachments": []}
    got = answer(shared, envelope("commands/execute", args=args), "/api/commands/execute")
    assert got["result"] == {"ok": True}


def test_every_call_of_the_table_answers_something_of_the_tree(shared: Daemon) -> None:
    """No endpoint of the table is without a function, and no nonsense is a defect."""
    for endpoint in ENDPOINTS:
        if endpoint.stream:
            continue
        fillers: list[Any] = [{}, {"sessionId": "none", "workspaceId": "none", "title": "", "path": "rel"}, [], "x"]
        for filler in fillers:
            args = dict.fromkeys(endpoint.params, filler)
            result = answer(shared, envelope(endpoint.name, args=args), f"/api/{endpoint.name}")["result"]
            assert result["ok"] or "internal error" not in result["error"]["message"], (endpoint.name, result)


def test_many_calls_on_one_connection(shared: Daemon) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", shared.port, timeout=10)) as connection:
        for number in range(50):
            body = msgspec.json.encode({**envelope(args={"_request": {}}), "rpcId": str(number)})
            connection.request("POST", "/api/session/list", body, {"Cookie": shared.cookie, **JSON})
            response = connection.getresponse()
            assert msgspec.json.decode(response.read())["rpcId"] == str(number)


def test_pipelined_calls_are_answered_in_order(shared: Daemon) -> None:
    headers = head(shared).replace("Connection: close\r\n", "") + "Content-Type: application/json\r\n"
    requests = b""
    for number in range(20):
        body = msgspec.json.encode({**envelope(args={"_request": {}}), "rpcId": str(number)})
        last = "Connection: close\r\n" if number == 19 else ""
        requests += f"POST /api/session/list HTTP/1.1\r\n{headers}{last}Content-Length: {len(body)}\r\n\r\n".encode()
        requests += body
    answers = exchange(shared, requests)
    found = [int(piece.partition(b'"')[0]) for piece in answers.split(b'"server-response","rpcId":"')[1:]]
    assert found == list(range(20))


def test_large_answers_are_compressed_for_who_can_read_that(shared: Daemon, folder: Path) -> None:
    for _ in range(20):
        shared.call("session/create", request={"cwd": str(folder)})
    status, headers, body = post(shared, "/api/session/list", list_body(), {"Accept-Encoding": "gzip"})
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert len(msgspec.json.decode(gzip.decompress(body))["result"]["value"]["items"]) >= 20
    _, headers, body = post(shared, "/api/session/list", list_body())
    assert "content-encoding" not in headers
    assert msgspec.json.decode(body)["result"]["ok"]


# K07: what is too much.


def test_k07_a_body_that_is_too_large_is_refused_and_the_connection_ends(shared: Daemon) -> None:
    headers = head(shared, "Content-Type: application/json").replace("Connection: close\r\n", "")
    with closing(connect(shared)) as connection:
        # It says so beforehand, so nothing of it is waited for.
        start = f"POST /api/session/list HTTP/1.1\r\n{headers}Content-Length: {MAX_BODY + 1}\r\n\r\n"
        connection.sendall(start.encode() + b" " * 1000)
        assert connection.recv(12) == b"HTTP/1.1 413"
    with closing(connect(shared)) as connection:
        start = f"POST /api/session/list HTTP/1.1\r\n{headers}Transfer-Encoding: chunked\r\n\r\n"
        connection.sendall(start.encode())
        piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        for _ in range(MAX_BODY // 0x100000 + 1):
            connection.sendall(piece)
        assert connection.recv(12) == b"HTTP/1.1 413"
    assert post_list(shared, head(shared)).status == 200


def test_k07_a_body_that_unpacks_to_too_much_is_refused(shared: Daemon) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([*(packer.compress(b" " * 0x100000) for _ in range(MAX_BODY // 0x100000 + 1)), packer.flush()])
    assert len(bomb) < 100_000
    assert post(shared, "/api/session/list", bomb, {"Content-Encoding": "gzip"})[0] == 413
    small = gzip.compress(list_body())
    assert post(shared, "/api/session/list", small, {"Content-Encoding": "gzip"})[0] == 200


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_compressed_as_it_says_is_a_bad_request(shared: Daemon, encoding: str) -> None:
    status, _, body = post(shared, "/api/session/list", b"\0nonsense", {"Content-Encoding": encoding})
    assert (status, body) == (400, b"body is not JSON")


def test_a_client_that_leaves_in_the_middle_of_a_body_harms_nobody(shared: Daemon) -> None:
    for sent in (b"", b"{", b'{"type":'):
        with closing(connect(shared)) as connection:
            headers = head(shared, "Content-Type: application/json", "Content-Length: 1000")
            connection.sendall(f"POST /api/session/list HTTP/1.1\r\n{headers}\r\n".encode() + sent)
    assert post_list(shared, head(shared)).status == 200
    assert "Traceback" not in shared.log_text()


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET / HTTP/9.9\r\n",
        b"GET\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 100_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nbroken header\r\n",
        b"POST /api/session/list HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"POST /api/session/list HTTP/1.1\r\nContent-Length: -1\r\n",
        b"POST /api/session/list HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        b"GET /?token=\xff HTTP/1.1\r\n",
    ],
)
def test_what_is_no_http_is_refused_in_one_line_of_the_log(shared: Daemon, request_line: bytes) -> None:
    before = len(shared.log_text())
    rest = f"Host: 127.0.0.1:{shared.port}\r\nCookie: {shared.cookie}\r\n\r\n".encode()
    assert parse(exchange(shared, request_line + rest)).status == 400
    added = shared.log_text()[before:]
    assert added.count("\n") <= 1
    assert shared.cookie.partition("=")[2] not in added


def test_k07_others_are_served_while_one_sends_slowly(shared: Daemon) -> None:
    with closing(connect(shared)) as slow:
        headers = head(shared, "Content-Type: application/json", "Content-Length: 1000")
        slow.sendall(f"POST /api/session/list HTTP/1.1\r\n{headers}\r\n{{".encode())
        assert post_list(shared, head(shared)).status == 200


# The pure parts.


@pytest.mark.parametrize(
    ("request_fields", "error"),
    [
        ({"throughSeq": -2}, BadRequest),
        ({"throughSeq": 1.5}, BadRequest),
        ({"throughSeq": "1"}, InputInvalid),
        ({"throughSeq": None}, InputInvalid),
        ({"throughSeq": 3, "beforeSeq": -1}, BadRequest),
        ({"throughSeq": 3, "maxMessages": 0}, BadRequest),
        ({"throughSeq": 3, "maxMessages": True}, InputInvalid),
        ({}, InputInvalid),
    ],
)
def test_numbers_that_are_no_count_are_bad_requests(request_fields: dict[str, Any], error: type[HdError]) -> None:
    request = {"address": {"kind": "session", "sessionId": "s"}, **request_fields}
    with pytest.raises(error):
        check_arguments(BY_NAME["session/page"], {"request": request})


def test_errors_of_the_tree_cross_the_wire_as_they_are_and_defects_without_their_text() -> None:
    known = wire_error(SessionNotFound("There is no such session.", {"sessionId": "x"}))
    assert known.to_wire() == {
        "code": "session/not-found",
        "message": "There is no such session.",
        "details": {"sessionId": "x"},
    }
    assert wire_error(ArgumentsInvalid("no")).details == {}
    defect = wire_error(ValueError("sk-secret in /home/me"))
    assert defect.code == "gateway/internal"
    assert "secret" not in defect.message


# Inside this process.


@pytest.mark.long
async def test_k07_a_body_that_stops_coming_is_given_up_and_the_connection_ends() -> None:
    async with place({}, silence_s=0.05) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        head = f"POST /api/session/list HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\nCookie: {here.cookie}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode())
        async with asyncio.timeout(LIMIT):
            answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 408")
        writer.close()


async def test_a_very_large_answer_is_compressed_off_the_loop() -> None:
    """aiohttp warns where it would hold up the loop, and a warning fails a test here."""
    text = "0123456789abcdef" * 200_000

    async def summaries(_request: Any) -> Any:
        return {"items": [text]}

    async with place({}, unary={"session/list": summaries}) as here:
        answered = await exchanged(
            here, "/api/session/list", f"Cookie: {here.cookie}\r\nAccept-Encoding: gzip", list_body()
        )
        head_, _, body = answered.partition(b"\r\n\r\n")
        assert b"Content-Encoding: gzip" in head_
        assert len(body) < len(text) // 10


async def test_a_defect_of_a_call_is_logged_with_its_traceback_and_told_without(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def summaries(_request: Any) -> Any:
        raise ZeroDivisionError("what nobody needs to know")

    async with place({}, unary={"session/list": summaries}) as here:
        answered = await listed(here)
        assert answered.startswith(b"HTTP/1.1 200")
        assert b"gateway/internal" in answered
        assert b"nobody" not in answered
    (record,) = [record for record in caplog.records if record.name == "hd.server.rpc"]
    assert record.exc_info
