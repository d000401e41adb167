"""`hd token --revoke-all`, TLS, and addresses that other machines reach."""

import asyncio
import http.client
import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from hd.cli import main
from tests.cli.command import Ran, finish, hd, start
from tests.support.daemon import LIMIT
from tests.support.preloaded import PreloadedDaemon

# Everybody out.


async def test_revoking_ends_cookies_tokens_and_connections(home: Path) -> None:
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
        cookie, port = daemon.cookie, daemon.port
        async with daemon.socket() as one, daemon.socket() as other:
            for socket in (one, other):
                assert (await (await socket.open("$events")).item())["type"] == "ready"
            ran = await asyncio.to_thread(hd, "token", "--revoke-all", home=home)
            for socket in (one, other):
                async with asyncio.timeout(LIMIT):
                    await socket.connection.wait_closed()
                assert socket.connection.close_code == 1008
        assert (ran.code, ran.err) == (0, "hd: All logins and tokens are void. 2 connected clients were cut off.\n")
        assert daemon.http("GET", "/", headers={"Cookie": cookie})[0] == 401
        assert daemon.http("POST", "/api/session/list", headers={"Cookie": cookie})[0] == 401
        assert daemon.http("GET", f"/?token={daemon.token}")[0] == 401
        daemon.token = ran.out.strip().partition("?token=")[2]
        fresh = daemon.cookie = daemon.login()
        assert daemon.call("session/list", _request={}) == {"items": []}
        # The new secret is the home's: a daemon that starts again knows the new cookie, and not the old one.
        daemon.stop()
        daemon.start(port=port)
        assert daemon.http("GET", "/", headers={"Cookie": cookie})[0] == 401
        assert daemon.http("GET", "/", headers={"Cookie": fresh})[0] == 200


async def test_a_call_whose_body_was_still_coming_is_not_carried_out(home: Path) -> None:
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.port)
        head = f"Host: 127.0.0.1:{daemon.port}\r\nCookie: {daemon.cookie}\r\nContent-Type: application/json\r\n"
        body = msgspec.json.encode(
            {"type": "client-request", "rpcId": "r", "method": "session/list", "payload": {"args": {"_request": {}}}}
        )
        start = f"POST /api/session/list HTTP/1.1\r\n{head}Connection: close\r\nExpect: 100-continue\r\n"
        writer.write(f"{start}Content-Length: {len(body)}\r\n\r\n".encode())
        async with asyncio.timeout(LIMIT):
            assert b"100" in await reader.readuntil(b"\r\n\r\n")
            assert (await asyncio.to_thread(hd, "token", "--revoke-all", home=home)).code == 0
            writer.write(body)
            assert (await reader.read()).startswith(b"HTTP/1.1 401")
        writer.close()


def test_revoking_needs_the_secret_of_the_home(home: Path) -> None:
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
        headers = {"Cookie": daemon.cookie}
        assert daemon.http("POST", "/api/local/revoke", headers=headers)[::2] == (401, b"unauthorized")
        assert daemon.http("GET", "/", headers=headers)[0] == 200


def test_there_is_nobody_to_put_out(home: Path) -> None:
    ran = hd("token", "--revoke-all", home=home)
    assert (ran.code, "hd web" in ran.sentence()) == (7, True)


# TLS.


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and box.test, and its key."""
    return made(tmp_path_factory.mktemp("tls"), "good")


def made(folder: Path, name: str, password: bytes | None = None) -> tuple[Path, Path]:
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives import serialization as ser
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "box.test")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("box.test"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    kind = ser.NoEncryption() if password is None else ser.BestAvailableEncryption(password)
    cert_file, key_file = folder / f"{name}.crt", folder / f"{name}.key"
    cert_file.write_bytes(certificate.public_bytes(ser.Encoding.PEM))
    key_file.write_bytes(key.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, kind))
    return cert_file, key_file


def tls_arguments(pair: tuple[Path, Path]) -> list[str]:
    return ["--tls-cert", str(pair[0]), "--tls-key", str(pair[1])]


def over_tls(
    port: int, cert: Path, method: str, path: str, headers: Mapping[str, str] | None = None
) -> tuple[int, http.client.HTTPMessage, bytes]:
    context = ssl.create_default_context(cafile=cert)
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=LIMIT, context=context)
    try:
        connection.request(method, path, headers=dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


async def test_over_tls_the_cookie_is_secure_and_bound_to_the_origin(home: Path, pair: tuple[Path, Path]) -> None:
    process = start("web", "--json", "--demo", "--port", "0", *tls_arguments(pair), home=home)
    assert process.stdout is not None
    said = msgspec.json.decode(process.stdout.readline())
    port, cert = said["port"], pair[0]
    assert said["url"].startswith(f"https://127.0.0.1:{port}/?token=")
    token = said["url"].partition("token=")[2]
    status, headers, _ = over_tls(port, cert, "GET", f"/?token={token}")
    assert status == 303
    assert headers["set-cookie"].endswith("; SameSite=Strict; Secure")
    cookie = headers["set-cookie"].partition(";")[0]
    value = cookie.partition(".")[2].partition(".")[0]
    from base64 import urlsafe_b64decode

    assert msgspec.json.decode(urlsafe_b64decode(value + "=="))["authority"] == f"https://127.0.0.1:{port}"
    assert over_tls(port, cert, "GET", "/", {"Cookie": cookie})[0] == 200
    other = {"Cookie": cookie, "Host": f"localhost:{port}"}
    assert over_tls(port, cert, "GET", "/", other)[0] == 401
    context = ssl.create_default_context(cafile=cert)
    url, login = f"wss://127.0.0.1:{port}/api/remote.mux", {"Cookie": cookie}
    async with connect(url, additional_headers=login, ssl=context, compression=None) as socket:
        await socket.send('{"type":"open","streamId":"a","endpoint":"$events","payload":{"args":{}}}')
        async with asyncio.timeout(LIMIT):
            assert msgspec.json.decode(await socket.recv())["value"]["type"] == "ready"
        # The commands of the same user find the way as well.
        ran = await asyncio.to_thread(hd, "token", "--revoke-all", home=home)
        assert "1 connected client was cut off" in ran.err
        assert ran.out.startswith(f"https://127.0.0.1:{port}/?token=")
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(LIMIT):
                await socket.recv()
    # Who speaks plain HTTP there gets no answer and does no harm.
    plain = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    plain.request("GET", "/health")
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        plain.getresponse()
    plain.close()
    assert f"https://127.0.0.1:{port}" in hd("status", home=home).out
    assert (await asyncio.to_thread(hd, "stop", home=home)).code == 0
    assert finish(process) == Ran(0, "", "")


def test_files_that_cannot_be_used_for_tls(
    home: Path,
    tmp_path: Path,
    pair: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are looked at before anything is loaded or made, so this needs no process of its own for each row."""
    monkeypatch.setenv("HD_HOME", str(home))
    cert, key = pair
    other, locked = made(tmp_path, "other"), made(tmp_path, "locked", b"secret")
    (tmp_path / "text").write_text("no certificate")
    broken = tmp_path / "broken"
    broken.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    rows: list[tuple[list[str], str]] = [
        (["--tls-cert", str(cert)], "--tls-key"),
        (["--tls-key", str(key)], "--tls-cert"),
        (["--tls-cert", str(tmp_path / "none"), "--tls-key", str(key)], f"{tmp_path / 'none'} cannot be read"),
        (["--tls-cert", str(cert), "--tls-key", str(tmp_path)], f"{tmp_path} cannot be read"),
        (["--tls-cert", str(tmp_path / "text"), "--tls-key", str(key)], "is not in PEM"),
        (["--tls-cert", str(broken), "--tls-key", str(key)], "cannot be used for TLS"),
        (["--tls-cert", str(cert), "--tls-key", str(other[1])], "is not the one of the certificate"),
        (["--tls-cert", str(locked[0]), "--tls-key", str(locked[1])], "without a password"),
        (["--tls-cert", str(key), "--tls-key", str(key)], "cannot be used for TLS"),
    ]
    for arguments, said in rows:
        for background in ([], ["--background"]):
            ran = Ran(main(["web", "--demo", "--port", "0", *background, *arguments]), *capsys.readouterr())
            assert (ran.code, said in ran.sentence()) == (2, True), ran.err
    assert hd("web", "--port", "0", *rows[-1][0], home=home).code == 2
    assert not home.exists()


# Who may be named, and who may be reached.


def test_a_trusted_host_with_any_port_or_with_one(home: Path) -> None:
    arguments = ["--demo", "--trusted-host", "Box.test", "--trusted-host", "proxy.test:8443"]
    with PreloadedDaemon(home, arguments=arguments) as daemon:
        for host, status in (
            ("box.test", 200),
            ("box.test:1", 200),
            ("proxy.test:8443", 200),
            ("proxy.test", 403),
            ("proxy.test:8444", 403),
            ("evil.test", 403),
        ):
            assert daemon.http("GET", "/health", headers={"Host": host})[0] == status


@pytest.mark.parametrize("host", ["", "http://box.test", "box.test/", "a b", "box.test:x"])
def test_a_trusted_host_that_is_none(home: Path, host: str) -> None:
    ran = hd("web", "--port", "0", f"--trusted-host={host}", home=home)
    assert (ran.code, "--trusted-host" in ran.sentence()) == (2, True)


@pytest.mark.parametrize("background", [True, False])
def test_who_insists_listens_for_others_and_is_warned(home: Path, background: bool) -> None:
    arguments = ["web", "--json", "--demo", "--host", "0.0.0.0", "--port", "0", "--insecure-bind"]
    if background:
        ran = hd(*arguments, "--background", home=home)
        line, warned = ran.out, ran.err
    else:
        process = start(*arguments, home=home)
        assert process.stdout is not None
        line = process.stdout.readline()
    said = msgspec.json.decode(line)
    assert said["url"].startswith(f"http://127.0.0.1:{said['port']}/?token=")
    place = own_address()
    with_host = {"Host": f"{place}:{said['port']}"}
    for host, headers, status in (
        ("127.0.0.1", {}, 200),
        (place, with_host, 200),
        ("127.0.0.1", {"Host": "evil.test"}, 403),
        ("127.0.0.1", {"Host": f"0.0.0.0:{said['port']}"}, 403),
        # An address of this machine is a name for it only where the request came in by it.
        ("127.0.0.1", with_host, 200 if place.startswith("127.") else 403),
    ):
        connection = http.client.HTTPConnection(host, said["port"], timeout=LIMIT)
        connection.request("GET", "/health", headers=headers)
        assert connection.getresponse().status == status, (host, headers)
        connection.close()
    assert hd("token", home=home).code == 0
    assert hd("stop", home=home).code == 0
    if not background:
        warned = finish(process).err
    assert warned.startswith("hd: Warning: listening at 0.0.0.0 without TLS.")
    assert len(warned.splitlines()) == 1


def own_address() -> str:
    """An address of this machine that others reach, or loopback where it has none."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    return next((address for address in found if ":" not in address), "127.0.0.1")


def test_with_tls_nobody_has_to_insist(home: Path, pair: tuple[Path, Path]) -> None:
    ran = hd("web", "--demo", "--host", "0.0.0.0", "--port", "0", "--background", *tls_arguments(pair), home=home)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("hd web: https://127.0.0.1:")
