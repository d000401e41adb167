"""`hd key`: a key comes in by standard input, is never shown again, and what cannot be one is refused in a sentence."""

import os
import pty
from pathlib import Path

import msgspec
import pytest

from tests.cli.command import finish, hd, start
from tests.support.daemon import LIMIT

KEY = "sk-0123456789abcdef"


def test_a_key_is_stored_found_and_removed(home: Path) -> None:
    status = hd("key", "status", home=home)
    assert (status.code, status.err) == (1, "")
    assert "hd key set" in status.out
    stored = hd("key", "set", home=home, typed=f"{KEY}\n")
    assert (stored.code, stored.err) == (0, "")
    status = hd("key", "status", home=home)
    assert (status.code, status.out) == (0, "A key is set, from the store.\n")
    (document,) = hd("status", "--json", home=home).lines()
    assert document["key"] == {"configured": True, "source": "store", "problem": None}
    assert KEY not in stored.out + status.out
    assert KEY.encode() not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert hd("key", "remove", home=home).out == "Removed.\n"
    assert hd("key", "remove", home=home).out == "There was no stored key.\n"


def test_the_environment_comes_before_the_store(home: Path) -> None:
    status = hd("key", "status", home=home, more={"DEEPSEEK_API_KEY": KEY})
    assert (status.code, status.out) == (0, "A key is set, from the environment.\n")


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "\n",
        "   \n",
        "two words",
        f"{KEY}\nsecond line\n",
        f"{KEY}\r\nsecond line",
        "sk-ключ",
        "k" * 513,
        "k" * 1_000_000,
        f"{KEY}\x07",
        f"{KEY}\0",
        "sk-\udcff",
    ],
)
def test_what_cannot_be_a_key_is_refused_and_the_old_one_kept(home: Path, typed: str) -> None:
    hd("key", "set", home=home, typed=KEY)
    before = (home / "store" / "key.json").read_bytes()
    ran = hd("key", "set", home=home, typed=typed, errors="surrogateescape")
    assert ran.code == 2
    assert KEY not in ran.sentence()
    assert typed.strip() == "" or typed.strip() not in ran.err
    assert (home / "store" / "key.json").read_bytes() == before


def test_a_key_may_end_in_a_line_break_of_any_kind(home: Path) -> None:
    for end in ("", "\n", "\r\n", "\n\n"):
        assert hd("key", "set", home=home, typed=KEY + end).code == 0


@pytest.mark.parametrize("argv", [[], ["sell"], ["set", KEY]])
def test_a_key_is_never_taken_from_the_command_line(home: Path, argv: list[str]) -> None:
    ran = hd("key", *argv, home=home)
    assert (ran.code, "hd key --help" in ran.sentence() or "hd --help" in ran.sentence()) == (2, True)
    assert not home.exists()


def tamper(home: Path, how: str) -> None:
    path = home / "store" / "key.json"
    sealed = msgspec.json.decode(path.read_bytes())
    match how:
        case "garbage":
            path.write_bytes(b"\x00garbage")
        case "emptied":
            path.write_bytes(b"")
        case "another nonce":
            path.write_bytes(msgspec.json.encode({**sealed, "nonce": "AAAAAAAAAAAAAAAA"}))
        case "not base64":
            path.write_bytes(msgspec.json.encode({**sealed, "sealed": "!"}))
        case "a later version":
            path.write_bytes(msgspec.json.encode({**sealed, "version": 2}))
        case "no machine key":
            (home / ".key").unlink()
        case "another machine key":
            (home / ".key").write_bytes(b"k" * 32)
        case "a short machine key":
            (home / ".key").write_bytes(b"k")
        case "open to others":
            path.chmod(0o644)
        case "a folder":
            path.unlink()
            path.mkdir()


@pytest.mark.parametrize(
    "how",
    [
        "garbage",
        "emptied",
        "another nonce",
        "not base64",
        "a later version",
        "no machine key",
        "another machine key",
        "a short machine key",
        "open to others",
        "a folder",
    ],
)
def test_a_stored_key_that_was_changed_is_told_and_never_guessed(home: Path, how: str) -> None:
    hd("key", "set", home=home, typed=KEY)
    tamper(home, how)
    status = hd("key", "status", home=home)
    assert (status.code, status.err) == (1, "")
    assert status.out.count("\n") == 1
    assert "key" in status.out
    if how != "a folder":
        # Entering it again mends all of these.
        assert hd("key", "set", home=home, typed=KEY).code == 0
        assert hd("key", "status", home=home).code == 0
    else:
        assert hd("key", "set", home=home, typed=KEY).code == 1
        assert hd("key", "remove", home=home).code == 1


def test_on_a_terminal_a_key_is_not_shown_and_an_end_without_one_is_told(home: Path) -> None:
    for typed, code in ((f"{KEY}\n", 0), ("\x04", 2), ("\x03", 130)):
        ours, theirs = pty.openpty()
        process = start("key", "set", home=home, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        shown = bytearray()
        while b"API key: " not in shown:
            shown += os.read(ours, 1000)
        os.write(ours, typed.encode())
        if code == 130:
            # The session has no controlling terminal that would turn the key into a signal.
            process.send_signal(2)
        assert process.wait(LIMIT) == code
        try:
            while piece := os.read(ours, 1000):
                shown += piece
        except OSError:
            pass
        os.close(ours)
        assert KEY.encode() not in shown
        assert b"Traceback" not in shown
    finish(start("stop", home=home))
