"""Tokens and cookies: the rules of WIRE 2.1 and 2.2, pure and over a real daemon."""

import base64
import hashlib
import hmac
import http.client
import re
from http.cookies import SimpleCookie

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.server import login
from hd.server.gate import Gate
from tests.server.raw import exchange, head, parse
from tests.support.daemon import Daemon

SECRET = b"s" * 32
NOW = 1_800_000_000_000
HOST = "127.0.0.1:3080"
DAY = 24 * 60 * 60 * 1000


def unpadded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_a_cookie_is_made_as_the_dialect_has_it() -> None:
    header = login.set_cookie(HOST, login.sign(SECRET, HOST, NOW), NOW)
    name, _, rest = header.partition("=")
    value = rest.partition(";")[0]
    version, payload, signature = value.split(".")
    assert name == "dsh-auth-" + unpadded(hashlib.sha256(HOST.encode()).digest())
    assert version == "v1"
    assert msgspec.json.decode(base64.urlsafe_b64decode(payload + "==")) == {
        "version": 1,
        "authority": HOST,
        "issuedAt": NOW,
        "expiresAt": NOW + 30 * DAY,
    }
    assert signature == unpadded(hmac.new(SECRET, payload.encode(), hashlib.sha256).digest())
    assert header.endswith(
        "; Max-Age=2592000; Path=/; Expires=Sun, 14 Feb 2027 08:00:00 GMT; HttpOnly; SameSite=Strict"
    )
    assert "Secure" not in header
    assert "Domain" not in header
    # CLIENT 1.1: what the existing client is able to keep.
    assert re.fullmatch(r"dsh-auth-[\w-]+=[A-Za-z0-9._-]+", f"{name}={value}")


@pytest.mark.parametrize(
    ("now", "good"),
    [(NOW, True), (NOW - 60_000, True), (NOW - 60_001, False), (NOW + 30 * DAY - 1, True), (NOW + 30 * DAY, False)],
)
def test_a_cookie_is_good_in_its_time_only(now: int, good: bool) -> None:
    assert login.read(SECRET, HOST, login.sign(SECRET, HOST, NOW), now) == (login.Caller() if good else None)


@pytest.mark.parametrize(
    "body",
    [
        {"version": 2, "authority": HOST, "issuedAt": NOW, "expiresAt": NOW + DAY},
        {"version": 1, "authority": "localhost:3080", "issuedAt": NOW, "expiresAt": NOW + DAY},
        {"version": 1, "authority": HOST, "issuedAt": NOW, "expiresAt": NOW + 31 * DAY},
        {"version": 1, "authority": HOST, "issuedAt": NOW},
        {"version": 1, "authority": HOST, "issuedAt": None, "expiresAt": NOW + DAY},
    ],
)
def test_a_rightly_signed_cookie_still_has_to_say_the_right_thing(body: dict[str, object]) -> None:
    payload = unpadded(msgspec.json.encode(body))
    signature = unpadded(hmac.new(SECRET, payload.encode(), hashlib.sha256).digest())
    assert login.read(SECRET, HOST, f"v1.{payload}.{signature}", NOW) is None


def test_cookies_are_bound_to_the_secret_and_the_host() -> None:
    value = login.sign(SECRET, HOST, NOW)
    assert login.read(b"t" * 32, HOST, value, NOW) is None
    assert login.read(SECRET, "localhost:3080", value, NOW) is None
    assert login.cookie_name(HOST) != login.cookie_name("localhost:3080")


@given(st.text())
def test_no_text_is_a_cookie_and_none_is_an_error(value: str) -> None:
    assert login.read(SECRET, HOST, value, NOW) is None
    assert login.read(SECRET, HOST, f"v1.{value}", NOW) is None
    assert login.caller_of({login.cookie_name(HOST): value}, SECRET, HOST, NOW) is None


@given(st.data())
def test_a_cookie_changed_in_one_place_is_none(data: st.DataObject) -> None:
    value = login.sign(SECRET, HOST, NOW)
    place = data.draw(st.integers(0, len(value) - 1))
    other = data.draw(st.sampled_from("ABZaz09-_.="))
    if other != value[place]:
        changed = value[:place] + other + value[place + 1 :]
        # The last character of base64 has bits that mean nothing; a text that means the same bytes is still another.
        assert login.read(SECRET, HOST, changed, NOW) is None


@pytest.mark.parametrize(
    ("host", "authority"),
    [("127.0.0.1:3080", "127.0.0.1:3080"), ("LocalHost:80", "localhost"), ("[::1]:4000", "[::1]:4000")],
)
def test_the_authority_is_lower_case_and_without_the_default_port(host: str, authority: str) -> None:
    assert login.audience(host, tls=False) == authority


def test_k03_a_token_dies_minutes_after_its_first_use_and_after_a_day_unused() -> None:
    tokens = login.Tokens()
    used, unused = tokens.issue(NOW), tokens.issue(NOW)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", used)
    assert tokens.redeem(used, NOW + 1)
    assert tokens.redeem(used, NOW + 10 * 60 * 1000)
    assert not tokens.redeem(used, NOW + 1 + 10 * 60 * 1000)
    assert tokens.redeem(unused, NOW + DAY - 1)
    assert not tokens.redeem(tokens.issue(NOW), NOW + DAY)
    assert not tokens.redeem("", NOW)
    assert not tokens.redeem("\udcff", NOW)


def test_tokens_do_not_pile_up() -> None:
    tokens = login.Tokens()
    issued = [tokens.issue(NOW) for _ in range(200)]
    good = [tokens.redeem(token, NOW) for token in issued]
    assert good == [False] * (200 - login.MAX_TOKENS) + [True] * login.MAX_TOKENS


# WIRE 2.1, row by row.


def test_a_good_token_gives_a_cookie_and_may_be_used_again(shared: Daemon) -> None:
    for _ in range(2):
        status, headers, body = shared.http("GET", f"/?token={shared.token}")
        assert (status, body) == (303, b"")
        assert headers["location"] == "./"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        (morsel,) = SimpleCookie(headers["set-cookie"]).values()
        assert morsel.key.startswith("dsh-auth-")
        assert morsel["httponly"]
        assert (morsel["samesite"], morsel["path"], morsel["max-age"]) == ("Strict", "/", "2592000")


def test_a_bad_token_gives_nothing(shared: Daemon) -> None:
    status, headers, _ = shared.http("GET", "/?token=AAAA")
    assert status == 401
    assert headers["content-type"].startswith("text/plain")
    assert headers["cache-control"] == "no-store"
    assert "set-cookie" not in headers


def test_a_stale_bookmark_still_works_with_a_cookie(shared: Daemon) -> None:
    status, headers, _ = shared.http("GET", "/?token=AAAA", headers={"Cookie": shared.cookie})
    assert (status, headers["location"]) == (303, "./")
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("HEAD", "/?token={}"),
        ("POST", "/?token={}"),
        ("OPTIONS", "/?token={}"),
        ("GET", "/index.html?token={}"),
        ("GET", "/?token={0}&token={0}"),
        ("GET", "/?token="),
        ("GET", "/?token=%ff%fe"),
        ("GET", "/?token=%ed%a0%80"),
        ("GET", "/?Token={}"),
        ("GET", "/"),
        ("GET", "/index.html"),
    ],
)
def test_nothing_else_redeems_a_token(shared: Daemon, method: str, path: str) -> None:
    status, headers, _ = shared.http(method, path.format(shared.token))
    assert status == 401
    assert "set-cookie" not in headers


@pytest.mark.parametrize("path", ["/", "/index.html"])
def test_the_page_needs_the_cookie_and_nothing_can_frame_it(shared: Daemon, path: str) -> None:
    status, headers, body = shared.http("GET", path, headers={"Cookie": shared.cookie})
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"hd is running" in body
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/some/client/route", "/favicon.ico", "/api", "/health/x", "//api/session/list"])
@pytest.mark.parametrize("cookie", [True, False])
def test_there_is_nothing_else(shared: Daemon, path: str, cookie: bool) -> None:
    status, _, _ = shared.http("GET", path, headers={"Cookie": shared.cookie} if cookie else {})
    assert status == 404


# WIRE 2.2.


@pytest.mark.parametrize("cookie", ["", "x=y", "dsh-auth-x=v1.a.b", "{name}=v1.a.b", "{name}=", "{name}=v1.\xff.\xff"])
def test_a_bad_cookie_is_unauthorized_and_never_a_defect(shared: Daemon, cookie: str) -> None:
    name = shared.cookie.partition("=")[0]
    answer = parse(
        exchange(
            shared,
            (
                "POST /api/session/list HTTP/1.1\r\n"
                + head(shared, f"Cookie: {cookie.format(name=name)}", "Content-Length: 0", cookie=False)
                + "\r\n"
            ).encode("latin-1"),
        )
    )
    assert (answer.status, answer.body) == (401, b"unauthorized")


def test_localhost_and_the_number_are_different_logins(shared: Daemon) -> None:
    headers = {"Cookie": shared.cookie, "Host": f"localhost:{shared.port}", "Content-Type": "application/json"}
    status, _, body = shared.http("POST", "/api/session/list", body=b"{}", headers=headers)
    assert (status, body) == (401, b"unauthorized")
    status, answer, _ = shared.http("GET", f"/?token={shared.token}", headers={"Host": f"LOCALHOST:{shared.port}"})
    assert status == 303
    headers["Cookie"] = answer["set-cookie"].partition(";")[0]
    assert shared.http("POST", "/api/session/list", body=b"{}", headers=headers)[0] == 200


def test_a_cookie_outlives_the_daemon_and_a_token_does_not(own: Daemon) -> None:
    cookie, token, port = own.cookie, own.token, own.port
    assert own.stop() == 0
    own.start(port=port)
    assert own.http("GET", "/", headers={"Cookie": cookie})[0] == 200
    assert own.http("GET", f"/?token={token}")[0] == 401
    assert own.token != token


# Local commands and probes.


def test_k04_a_probe_needs_no_login_and_learns_nothing(shared: Daemon) -> None:
    status, headers, body = shared.http("GET", "/health")
    assert (status, body) == (200, b'{"ok":true}')
    assert "server" not in headers
    assert shared.http("GET", "/health", headers={"Host": "evil.test"})[0] == 403
    with pytest.raises(ConnectionError):
        http.client.HTTPConnection("127.0.0.1", 1).request("GET", "/health")


@pytest.mark.parametrize("secret", [None, "", "x", "\xff", "\xe4" * 5000])
@pytest.mark.parametrize("path", ["/api/local/token", "/api/local/stop"])
def test_local_commands_need_the_secret_of_the_home(shared: Daemon, path: str, secret: str | None) -> None:
    headers = {"Cookie": shared.cookie} | ({} if secret is None else {"X-Hd-Secret": secret})
    assert shared.http("POST", path, headers=headers)[::2] == (401, b"unauthorized")
    own_secret = (shared.home / "run" / "secret").read_text()
    assert shared.http("POST", path, headers={"X-Hd-Secret": own_secret, "Host": "evil.test"})[0] == 403


def test_a_fresh_token_by_the_secret_logs_in(shared: Daemon) -> None:
    secret = (shared.home / "run" / "secret").read_text()
    status, headers, body = shared.http("POST", "/api/local/token", headers={"X-Hd-Secret": secret})
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert shared.http("GET", f"/?token={msgspec.json.decode(body)['token']}")[0] == 303


@pytest.mark.parametrize("jump", [-365 * DAY, 365 * DAY])
def test_i12_a_token_lives_as_long_as_it_may_wherever_the_wall_clock_is_set(jump: int) -> None:
    wall, ticks = [NOW], [0]

    async def keep(_secret: bytes) -> None:
        return None

    gate = Gate(b"x" * 32, "local", clock=lambda: wall[0], stop=lambda: None, keep_secret=keep, ticks=lambda: ticks[0])
    token = gate.new_token()
    wall[0] += jump
    assert gate.redeem(token)
    ticks[0] += login.TOKEN_USED_MS
    assert not gate.redeem(token)
