"""The fence of WIRE 2.3: pure, and every row of it over a real daemon, for calls and for the upgrade."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.server import fence
from tests.server.raw import connect, exchange, head, parse, post_list, upgrade
from tests.support.daemon import Daemon

LOOPBACK = [
    "127.0.0.1",
    "127.0.0.1:3080",
    "127.1.2.3:1",
    "localhost",
    "LOCALHOST:3080",
    "localhost.:3080",
    "[::1]",
    "[::1]:3080",
    "[0:0:0:0:0:0:0:1]:3080",
]
FOREIGN = [
    "",
    "evil.test",
    "evil.test:3080",
    "127.0.0.1.evil.test",
    "localhost.evil.test:3080",
    "evil-localhost",
    "[::1].evil.test:3080",
    "[::1]evil.test",
    "[::1%evil.test]:3080",
    "127.0.0.1:evil.test",
    "127.0.0.1:3080:1",
    "127.0.0.1@evil.test",
    "user@127.0.0.1",
    "127.0.0.1, evil.test",
    "127.0.0.1/evil.test",
    "127.0.0.1#evil.test",
    "127.0.0.1\x00",
    "0.0.0.0",
    "[::]",
    "10.0.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "::1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "١٢٧.0.0.1",
]


@pytest.mark.parametrize("host", LOOPBACK)
def test_k01_this_machine_may_be_named_in_these_ways(host: str) -> None:
    assert fence.allowed(host, [], [])


@pytest.mark.parametrize("host", FOREIGN)
def test_k01_no_other_host_comes_in_whatever_the_origin_says(host: str) -> None:
    for origins in ([], [f"http://{host}"], ["null"]):
        assert not fence.allowed(host, origins, [])
    assert not fence.host_allowed(host)


@given(st.text(st.characters(codec="utf-8")))
def test_no_host_is_an_error(host: str) -> None:
    assert fence.host_allowed(host) is fence.host_allowed(host.upper()) or not host.isascii()


@pytest.mark.parametrize(
    ("host", "trusted", "comes_in"),
    [
        ("box.test:3080", {"box.test"}, True),
        ("BOX.test", {"box.test"}, True),
        ("box.test:3080", {"box.test:3080"}, True),
        ("box.test:3081", {"box.test:3080"}, False),
        ("evil.test", {"box.test"}, False),
        ("", {""}, False),
    ],
)
def test_a_host_may_be_trusted_with_any_port_or_with_one(host: str, trusted: set[str], comes_in: bool) -> None:
    assert fence.allowed(host, [], [], trusted) is comes_in


ROWS = [
    ([], [], 200),
    (["http://{host}"], [], 200),
    (["HTTP://{host}"], [], 200),
    (["https://{host}"], [], 200),
    (["http://evil.test"], [], 403),
    (["http://127.0.0.1:1"], [], 403),
    (["http://127.0.0.1"], [], 403),
    (["http://localhost:{port}"], [], 403),
    (["null"], [], 403),
    ([""], [], 403),
    (["{host}"], [], 403),
    (["ftp://{host}"], [], 403),
    (["chrome-extension://{host}"], [], 403),
    (["http://{host}/"], [], 403),
    (["http://{host}.evil.test"], [], 403),
    (["http://{host}", "http://evil.test"], [], 403),
    ([], ["cross-site"], 403),
    ([], ["Cross-Site"], 403),
    ([], ["none", "cross-site"], 403),
    ([], ["same-site"], 200),
    ([], ["same-origin"], 200),
    ([], ["none"], 200),
    (["http://{host}"], ["cross-site"], 403),
]


def lines(daemon: Daemon, origins: list[str], sites: list[str]) -> list[str]:
    host = f"127.0.0.1:{daemon.port}"
    return [
        *(f"Origin: {origin.format(host=host, port=daemon.port)}" for origin in origins),
        *(f"Sec-Fetch-Site: {site}" for site in sites),
    ]


@pytest.mark.parametrize(("origins", "sites", "status"), ROWS)
def test_k02_a_call_and_an_upgrade_come_from_the_same_place_only(
    shared: Daemon, origins: list[str], sites: list[str], status: int
) -> None:
    headers = lines(shared, origins, sites)
    call = post_list(shared, head(shared, *headers))
    assert call.status == status
    with connect(shared) as connection:
        connection.sendall(upgrade(shared, *headers))
        first = connection.recv(15)
    assert first[9:12] == (b"101" if status == 200 else b"403")
    if status == 403:
        assert call.body == b"forbidden"


def test_the_fence_comes_before_the_cookie_and_the_cookie_before_everything_else(shared: Daemon) -> None:
    for path in ("/api/session/list", "/api/nope", "/api/remote.mux", "/api/$events", "/api/local/token", "/api/x.y"):
        for method in ("GET", "POST"):
            start = f"{method} {path} HTTP/1.1\r\n"
            foreign = start + head(shared, "Content-Length: 0", host="evil.test", cookie=False) + "\r\n"
            stranger = start + head(shared, "Content-Length: 0", cookie=False) + "\r\n"
            assert parse(exchange(shared, foreign.encode()))[:2] == (403, b"forbidden")
            assert parse(exchange(shared, stranger.encode()))[:2] == (401, b"unauthorized")


def test_k02_an_upgrade_without_a_cookie_is_refused(shared: Daemon) -> None:
    assert parse(exchange(shared, upgrade(shared, "Connection: close", cookie=False)))[:2] == (401, b"unauthorized")


@pytest.mark.parametrize("path", ["/%61pi/session/list", "/api/session%2Flist", "/x/../api/session/list"])
def test_no_spelling_of_a_path_leads_around_the_fence(shared: Daemon, path: str) -> None:
    start = f"POST {path} HTTP/1.1\r\n"
    for headers, statuses in (
        (head(shared, "Content-Length: 0", host="evil.test"), {403}),
        (head(shared, "Content-Length: 0", cookie=False), {401, 404}),
        (head(shared, "Content-Length: 0", "Origin: null"), {403, 404}),
    ):
        assert parse(exchange(shared, f"{start}{headers}\r\n".encode())).status in statuses


@pytest.mark.parametrize(
    "headers",
    [
        "Host: 127.0.0.1:{port}\r\nHost: evil.test\r\n",
        "Host: evil.test\r\nHost: 127.0.0.1:{port}\r\n",
        "",
    ],
)
def test_a_request_with_two_hosts_or_none_is_none(shared: Daemon, headers: str) -> None:
    answer = post_list(shared, headers.format(port=shared.port) + f"Cookie: {shared.cookie}\r\n")
    assert answer.status == 400


@pytest.mark.parametrize("host", ["evil.test", "evil.test:80", "[::1].evil.test", "localhost@evil.test"])
def test_k01_the_page_and_the_token_are_behind_the_host_as_well(shared: Daemon, host: str) -> None:
    for path in ("/", f"/?token={shared.token}", "/health", "/index.html", "/nope"):
        status, headers, body = shared.http("GET", path, headers={"Host": host, "Cookie": shared.cookie})
        assert (status, body) == (403, b"forbidden")
        assert "set-cookie" not in headers


def test_a_link_from_another_site_may_lead_to_the_page(shared: Daemon) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Cookie": shared.cookie}
    assert shared.http("GET", "/", headers=headers)[0] == 200


def test_nobody_is_told_that_another_site_may_read(shared: Daemon) -> None:
    origin = {"Origin": "http://evil.test", "Cookie": shared.cookie}
    for method, path in (("OPTIONS", "/api/session/list"), ("GET", "/"), ("GET", f"/?token={shared.token}")):
        _, headers, _ = shared.http(method, path, headers=origin)
        assert not [name for name in headers if name.lower().startswith("access-control")]
