"""The API key: kept, tampered with, refused, and never shown."""

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hd.config.home import Home
from hd.config.keys import Keys
from hd.errors import KeyUnusable

KEY = "sk-0123456789abcdef"


def test_a_key_is_kept_encrypted_and_private(home: Home) -> None:
    keys = Keys(home, {})
    assert keys.load() is None
    assert (keys.status().configured, keys.status().source) == (False, None)
    keys.save(KEY)
    assert Keys(home, {}).load() == KEY
    assert (keys.status().configured, keys.status().source) == (True, "store")
    for file in (home.key, home.machine_key):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert b"0123456789" not in file.read_bytes()
    assert keys.remove()
    assert not keys.remove()
    assert keys.load() is None


def test_saving_again_replaces_the_key_under_the_same_machine_key(home: Home) -> None:
    keys = Keys(home, {})
    keys.save(KEY)
    machine_key, first = home.machine_key.read_bytes(), home.key.read_bytes()
    keys.save(KEY)
    assert home.machine_key.read_bytes() == machine_key
    assert home.key.read_bytes() != first
    keys.save("sk-another-key")
    assert keys.load() == "sk-another-key"


def test_the_environment_wins(home: Home) -> None:
    Keys(home, {}).save(KEY)
    keys = Keys(home, {"DEEPSEEK_API_KEY": "sk-environment"})
    assert keys.load() == "sk-environment"
    assert keys.status().source == "environment"
    assert Keys(home, {"DEEPSEEK_API_KEY": "  "}).load() == KEY


def flip(home: Home) -> None:
    kept = json.loads(home.key.read_bytes())
    kept["sealed"] = ("B" if kept["sealed"][0] == "A" else "A") + kept["sealed"][1:]
    home.key.write_text(json.dumps(kept))


def older_nonce(home: Home) -> None:
    kept = json.loads(home.key.read_bytes())
    kept["nonce"] = "AAAA"
    home.key.write_text(json.dumps(kept))


TAMPERINGS: list[Callable[[Home], object]] = [
    flip,
    older_nonce,
    lambda home: home.key.write_bytes(b""),
    lambda home: home.key.write_bytes(b"\xff\x00 no JSON"),
    lambda home: home.key.write_bytes(b'{"version":1}'),
    lambda home: home.key.write_bytes(home.key.read_bytes()[:-9]),
    lambda home: home.machine_key.write_bytes(b"x" * 32),
    lambda home: home.machine_key.write_bytes(b"short"),
    lambda home: home.machine_key.unlink(),
    lambda home: home.machine_key.chmod(0o644),
    lambda home: home.key.chmod(0o666),
]


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_a_tampered_key_is_told_and_costs_nothing_else(home: Home, tamper: Callable[[Home], object]) -> None:
    other = home.root / "store" / "hd.db"
    other.write_bytes(b"sessions")
    keys = Keys(home, {})
    keys.save(KEY)
    tamper(home)
    with pytest.raises(KeyUnusable) as caught:
        keys.load()
    assert KEY not in caught.value.message
    status = keys.status()
    assert (status.configured, status.source, status.problem) == (False, "store", caught.value.message)
    assert other.read_bytes() == b"sessions"
    keys.save("sk-entered-again")
    assert keys.load() == "sk-entered-again"


def test_a_symbolic_link_in_the_place_of_the_key_is_not_followed(home: Home, tmp_path: Path) -> None:
    keys = Keys(home, {})
    keys.save(KEY)
    home.key.rename(tmp_path / "elsewhere")
    home.key.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyUnusable):
        keys.load()


UNUSABLE = {
    "": "is empty",
    "  ": "is empty",
    "sk-a b": "has a blank",
    "sk-a\tb": "has a blank",
    "sk-a\nb": "has a line break",
    "sk-abc\n": "has a line break",
    "sk-ключ": "not plain ASCII",
    "sk-a\u200bb": "not plain ASCII",
    "sk-\x07": "not plain ASCII",
    "k" * 513: "longer than 512",
}


@pytest.mark.parametrize("key", UNUSABLE)
def test_an_unusable_key_is_refused_in_one_sentence_that_does_not_show_it(home: Home, key: str) -> None:
    keys = Keys(home, {})
    keys.save(KEY)
    with pytest.raises(KeyUnusable, match=UNUSABLE[key]) as caught:
        keys.save(key)
    assert caught.value.message.count(". ") == 0
    assert not key.strip() or key not in caught.value.message
    assert keys.load() == KEY


def test_an_unusable_key_in_the_environment_is_told_and_not_passed_over(home: Home) -> None:
    Keys(home, {}).save(KEY)
    keys = Keys(home, {"DEEPSEEK_API_KEY": "sk-with blank"})
    with pytest.raises(KeyUnusable, match="DEEPSEEK_API_KEY has a blank"):
        keys.load()
    assert (keys.status().configured, keys.status().source) == (False, "environment")


def test_the_longest_key_is_kept(home: Home) -> None:
    keys = Keys(home, {})
    keys.save("k" * 512)
    assert keys.load() == "k" * 512


def test_importing_the_settings_does_not_load_the_cipher() -> None:
    script = "import sys, hd.config.settings, hd.config.keys; print('cryptography' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
