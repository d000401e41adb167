"""The cookie files: kept safely, and refused with one sentence where they are not safe."""

import os
import stat
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.errors import CookieFileUnsafe
from htui.link.cookies import Cookie, CookieFolder, is_pair
from htui.link.login import cookie_of

ORIGIN = "http://127.0.0.1:3080"
LATER = int(time.time() * 1000) + 3_600_000
COOKIE = Cookie("dsh-auth-abc=v1.payload.signature", LATER)


def kept(tmp_path: Path) -> CookieFolder:
    folder = CookieFolder(tmp_path / "auth")
    folder.save(ORIGIN, COOKIE)
    return folder


def test_a_cookie_is_kept_by_the_hash_of_its_origin_for_its_owner_alone(tmp_path: Path) -> None:
    folder = kept(tmp_path)
    path = tmp_path / "auth" / f"{sha256(ORIGIN.encode()).hexdigest()}.json"
    content = msgspec.json.decode(path.read_bytes())
    assert content == {"version": 1, "origin": ORIGIN, "cookie": COOKIE.pair, "expiresAt": LATER}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert folder.load(ORIGIN) == COOKIE
    assert folder.load("http://elsewhere") is None


def test_nothing_is_kept_without_a_lifetime_and_nothing_read_after_it(tmp_path: Path) -> None:
    folder = CookieFolder(tmp_path / "auth")
    folder.save(ORIGIN, Cookie(COOKIE.pair, None))
    assert not folder.path.exists()
    assert folder.load(ORIGIN) is None
    folder.save(ORIGIN, Cookie(COOKIE.pair, 1000))
    assert folder.load(ORIGIN) is None


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o500])
def test_a_folder_that_is_open_to_others_is_refused(mode: int, tmp_path: Path) -> None:
    folder = kept(tmp_path)
    folder.path.chmod(mode)
    with pytest.raises(CookieFileUnsafe, match="chmod 700"):
        folder.load(ORIGIN)
    with pytest.raises(CookieFileUnsafe, match="chmod 700"):
        folder.save(ORIGIN, COOKIE)


def test_a_folder_behind_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    kept(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "auth")
    with pytest.raises(CookieFileUnsafe, match="symbolic link"):
        CookieFolder(tmp_path / "link").load(ORIGIN)


def test_a_file_that_is_open_to_others_or_a_link_or_no_file_is_refused(tmp_path: Path) -> None:
    folder = kept(tmp_path)
    path = folder.file(ORIGIN)
    path.chmod(0o640)
    with pytest.raises(CookieFileUnsafe, match="chmod 600"):
        folder.load(ORIGIN)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CookieFileUnsafe, match="symbolic link"):
        folder.load(ORIGIN)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(CookieFileUnsafe, match="not a file"):
        folder.load(ORIGIN)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    folder = kept(tmp_path)
    os.chown(folder.path, 12345, 12345)
    with pytest.raises(CookieFileUnsafe, match="another user"):
        folder.load(ORIGIN)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"origin": "http://elsewhere"},
        {"cookie": "dsh-auth-abc=v1\r\nx-evil: 1"},
        {"cookie": "session=1"},
        {"cookie": None},
        {"expiresAt": "soon"},
    ],
)
def test_a_damaged_file_is_refused_without_showing_it(change: dict[str, Any], tmp_path: Path) -> None:
    folder = kept(tmp_path)
    content = {"version": 1, "origin": ORIGIN, "cookie": COOKIE.pair, "expiresAt": LATER}
    folder.file(ORIGIN).write_bytes(msgspec.json.encode({**content, **change}))
    with pytest.raises(CookieFileUnsafe, match="damaged") as refused:
        folder.load(ORIGIN)
    assert "payload" not in refused.value.message


def test_half_a_file_is_damaged(tmp_path: Path) -> None:
    folder = kept(tmp_path)
    folder.file(ORIGIN).write_bytes(folder.file(ORIGIN).read_bytes()[:20])
    with pytest.raises(CookieFileUnsafe, match="damaged"):
        folder.load(ORIGIN)


def test_the_environment_names_the_folder(tmp_path: Path) -> None:
    assert CookieFolder.of({"HTUI_AUTH_DIR": str(tmp_path)}).path == tmp_path
    assert CookieFolder.of({}).path.name == "auth"
    assert "payload" not in repr(COOKIE)


def test_the_login_cookie_is_found_in_its_header() -> None:
    cookie = cookie_of("dsh-auth-a_b-C=v1.p.s; Max-Age=60; Path=/; HttpOnly")
    assert cookie is not None
    assert cookie.pair == "dsh-auth-a_b-C=v1.p.s"
    assert cookie.expires_at == pytest.approx(time.time() * 1000 + 60_000, abs=5_000)
    dated = cookie_of("dsh-auth-a=v; Expires=Wed, 30 Dec 2026 19:49:57 GMT")
    assert dated is not None
    assert dated.expires_at == 1798660197000
    assert cookie_of("dsh-auth-a=v; Path=/") == Cookie("dsh-auth-a=v", None)
    assert cookie_of("dsh-auth-a=v; Max-Age=soon") == Cookie("dsh-auth-a=v", None)
    assert cookie_of("session=v; Max-Age=60") is None


@given(st.text(max_size=30))
def test_a_pair_never_holds_what_could_break_a_header(text: str) -> None:
    pair = f"dsh-auth-{text}=v{text}"
    assert not is_pair(pair) or not set(pair) & set('\r\n;, \t"')
