"""Which host is meant: URL, environment, the daemon of this home."""

import os
from pathlib import Path

import msgspec
import pytest

from htui.errors import BadUrl
from htui.link.address import Address, parse, resolve, token_of


def run_file(home: Path, url: str, pid: int | None = None) -> None:
    (home / "run").mkdir(parents=True, exist_ok=True)
    found = {"url": url, "host": "127.0.0.1", "port": 1, "pid": pid or os.getpid(), "version": "0"}
    (home / "run" / "daemon.json").write_bytes(msgspec.json.encode(found))


@pytest.mark.parametrize(
    ("url", "origin", "token"),
    [
        ("http://127.0.0.1:3080", "http://127.0.0.1:3080", None),
        ("http://127.0.0.1:3080/?token=abc", "http://127.0.0.1:3080", "abc"),
        ("  http://LOCALHOST:80/ ", "http://localhost", None),
        ("https://Host.example:443?token=a%20b", "https://host.example", "a b"),
        ("https://host.example:8443", "https://host.example:8443", None),
        ("http://[::1]:3080", "http://[::1]:3080", None),
    ],
)
def test_a_bare_origin_with_a_token_is_taken(url: str, origin: str, token: str | None) -> None:
    address = parse(url)
    assert (address.origin, address.token) == (origin, token)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:3080",
        "ftp://host",
        "http://",
        "http://user:secret@host",
        "http://host/path?token=secret",
        "http://host/#secret",
        "http://host/?token=secret&token=secret",
        "http://host/?token=",
        "http://host/?other=secret",
        "http://host:99999",
        "http://[::1",
    ],
)
def test_anything_else_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadUrl) as refused:
        parse(url)
    assert "secret" not in refused.value.message


def test_parts_of_an_address() -> None:
    address = parse("https://[::1]/?token=secret")
    assert (address.hostname, address.port, address.tls) == ("::1", 443, True)
    assert address.socket_url == "wss://[::1]/api/remote.mux"
    assert "secret" not in repr(address)
    assert parse("http://h:81").socket_url == "ws://h:81/api/remote.mux"


@pytest.mark.parametrize(
    ("url", "environ", "origin", "token"),
    [
        (None, {}, "http://127.0.0.1:3080", None),
        (None, {"HTUI_TOKEN": "t"}, "http://127.0.0.1:3080", "t"),
        (None, {"HTUI_URL": "http://a", "DSH_URL": "http://b"}, "http://a", None),
        (None, {"DSH_URL": "http://b?token=u", "DSH_TOKEN": "t"}, "http://b", "t"),
        (None, {"HTUI_URL": "http://a?token=u"}, "http://a", "u"),
        ("http://c?token=v", {"HTUI_URL": "http://a", "HTUI_TOKEN": "t"}, "http://c", "v"),
        ("http://c", {"HTUI_TOKEN": "t", "DSH_TOKEN": "d"}, "http://c", "t"),
    ],
)
def test_the_order_of_the_places(
    url: str | None, environ: dict[str, str], origin: str, token: str | None, tmp_path: Path
) -> None:
    address = resolve(url, {**environ, "HD_HOME": str(tmp_path)})
    assert (address.origin, address.token) == (origin, token)
    assert address.secret_file is None


def test_the_daemon_of_this_home_is_found_and_its_secret_used_for_it_alone(tmp_path: Path) -> None:
    environ = {"HD_HOME": str(tmp_path)}
    run_file(tmp_path, "http://127.0.0.1:4001/?token=x")
    address = resolve(None, environ)
    assert address.origin == "http://127.0.0.1:4001"
    assert address.token is None
    assert address.secret_file == tmp_path / "run" / "secret"
    assert resolve("http://127.0.0.1:4001", environ).secret_file is not None
    assert resolve("http://127.0.0.1:4002", environ).secret_file is None


def test_a_daemon_that_moved_is_found_again_but_a_given_address_stays(tmp_path: Path) -> None:
    environ = {"HD_HOME": str(tmp_path)}
    waiting, given = resolve(None, environ), resolve("http://127.0.0.1:3080", environ)
    run_file(tmp_path, "http://127.0.0.1:4002")
    assert waiting.renewed().origin == "http://127.0.0.1:4002"
    assert given.renewed() == given


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"url":3,"pid":1}', b'{"url":"http://a/b","pid":1}', b"\xff"])
def test_a_damaged_run_file_is_no_daemon(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "daemon.json").write_bytes(content)
    assert resolve(None, {"HD_HOME": str(tmp_path)}).origin == "http://127.0.0.1:3080"


def test_a_daemon_that_died_is_none(tmp_path: Path) -> None:
    child = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(child, 0)
    run_file(tmp_path, "http://127.0.0.1:4001", child)
    assert resolve(None, {"HD_HOME": str(tmp_path)}) == Address("http://127.0.0.1:3080", None, tmp_path, given=False)


@pytest.mark.parametrize(
    ("pasted", "token"),
    [
        (" abc\n", "abc"),
        ("http://127.0.0.1:3080/?token=abc", "abc"),
        ("http://127.0.0.1:3080/", "http://127.0.0.1:3080/"),
        ("hd web: x", "hd web: x"),
    ],
)
def test_a_token_may_be_pasted_with_the_url_around_it(pasted: str, token: str) -> None:
    assert token_of(pasted) == token
