"""`GET /connect`: the login of programs, and what such a caller may do (WIRE 14)."""

import asyncio
import base64
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.server import login
from tests.support.daemon import Daemon

SECRET = b"s" * 32
NOW = 1_800_000_000_000
HOST = "127.0.0.1:3080"


def body_of(cookie: str) -> dict[str, Any]:
    payload = cookie.split(".")[1]
    return dict(msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


def connected(daemon: Daemon, more: str = "") -> str:
    """The cookie of a new operator."""
    status, headers, body = daemon.http("GET", f"/connect?token={daemon.token}{more}")
    assert (status, body) == (302, b"")
    assert headers["location"] == "./api/remote.mux"
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")
    (morsel,) = SimpleCookie(headers["set-cookie"]).values()
    assert (morsel["samesite"], morsel["path"], morsel["max-age"]) == ("Strict", "/", "2592000")
    return f"{morsel.key}={morsel.value}"


@pytest.mark.parametrize("interactions", ["answer", "none"])
def test_a_cookie_of_version_2_names_its_operator(interactions: login.Interactions) -> None:
    value = login.sign(SECRET, HOST, NOW, "an-id", interactions)
    assert value.startswith("v2.")
    assert body_of(value)["version"] == 2
    assert body_of(value)["id"] == "an-id"
    assert login.read(SECRET, HOST, value, NOW) == login.Caller("an-id", interactions == "answer")
    assert login.read(SECRET, HOST, "v1" + value[2:], NOW) is None
    assert login.read(SECRET, HOST, "v2" + login.sign(SECRET, HOST, NOW)[2:], NOW) is None


def test_every_connect_is_another_operator_and_none_of_them_opens_the_page(shared: Daemon) -> None:
    one, other = connected(shared), connected(shared, "&interactions=answer")
    assert body_of(one)["id"] != body_of(other)["id"]
    for cookie in (one, other):
        for path in ("/", "/index.html", "/?token=AAAA"):
            assert shared.http("GET", path, headers={"Cookie": cookie})[0] == 401


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("token={}&interactions=zzz", 400),
        ("token={}&interactions=", 400),
        ("token={}&interactions=answer&interactions=none", 400),
        ("token={}&interactions=none&interactions=none", 400),
        ("token={0}&token={0}", 401),
        ("", 401),
        ("interactions=none", 401),
    ],
)
def test_what_is_no_login_of_a_program(shared: Daemon, query: str, status: int) -> None:
    found, headers, _ = shared.http("GET", f"/connect?{query.format(shared.token)}")
    assert (found, headers["cache-control"]) == (status, "no-store")
    assert "set-cookie" not in headers
    assert shared.http("HEAD", f"/connect?token={shared.token}")[0] == 401


class As:
    """A daemon's client with another cookie, for as long as the block lasts."""

    def __init__(self, daemon: Daemon, cookie: str) -> None:
        self.daemon, self.cookie = daemon, cookie

    def __enter__(self) -> None:
        self.kept, self.daemon.cookie = self.daemon.cookie, self.cookie

    def __exit__(self, *error: object) -> None:
        self.daemon.cookie = self.kept


async def test_an_operator_calls_and_follows_but_is_not_asked(shared: Daemon, folder: Path) -> None:
    with As(shared, connected(shared)):
        session = await shared.new_session(folder)
        async with shared.socket() as socket:
            events = await socket.open("$events")
            frame = await events.frame()
            assert frame["type"] == "error"
            assert frame["error"]["code"] == "gateway/interactions-forbidden"
            assert frame["error"]["details"] == {"endpoint": "$events"}
            follow = await socket.follow(session)
            assert (await follow.item())["type"] == "snapshot"


async def test_only_the_owner_of_a_client_id_answers_in_its_name(own: Daemon, folder: Path) -> None:
    operator, silent = connected(own, "&interactions=answer"), connected(own)
    (folder / "a.txt").write_text("x")
    session = await own.new_session(folder)
    async with own.socket() as person:
        mine = await person.open("$events")
        ready = await mine.item()
        with As(own, operator):
            async with own.socket() as program:
                theirs = await program.open("$events")
                their_id = (await theirs.item())["clientId"]
                with As(own, connected_person(own)):
                    await own.prompt(session, '[[tool delete_file {"path":"a.txt"}]]')
                asked = await theirs.until(lambda item: item["type"] == "waterfall")
                outcome = {"kind": "result", "value": "rejected"}
                answer = {"eventId": asked["eventId"], "outcome": outcome}
                for cookie, client_id in (
                    (operator, ready["clientId"]),
                    (silent, ready["clientId"]),
                    (silent, their_id),
                    (connected_person(own), their_id),
                ):
                    with As(own, cookie):
                        refused = await asyncio.to_thread(own.result, "$events/result", clientId=client_id, **answer)
                        assert refused["error"]["code"] == "gateway/internal"
                await own.acall("$events/result", clientId=their_id, **answer)
        assert (await mine.until(lambda item: item["type"] == "cancel"))["eventId"] == asked["eventId"]


def connected_person(daemon: Daemon) -> str:
    return daemon.login()
