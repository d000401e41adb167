"""The API key: from the environment, or encrypted in the home.

`store/key.json` holds it by AES-256-GCM under the machine key `.key`, a random 32 bytes that never leave the machine.
That protects copies and backups of the store; somebody who can read the whole home as this user can read the key. No
text here holds a key: not an error, not a status, not a `repr`.
"""

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from hd.config.home import Home
from hd.config.private import read_private, write_private
from hd.errors import KeyUnusable

VARIABLE: Final = "DEEPSEEK_API_KEY"
LONGEST: Final = 512

_VERSION = 1
_PURPOSE = b"hd/api-key/1"
_AGAIN = "Enter it again with `hd key set`; sessions and settings are not touched."

Source = Literal["environment", "store"]


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Whether there is a usable key and where it comes from; `problem` says why one that is there is not usable."""

    configured: bool
    source: Source | None = None
    problem: str | None = None


class _Sealed(msgspec.Struct):
    version: int
    nonce: str
    sealed: str


@dataclass(frozen=True, slots=True)
class Keys:
    """The API key of a home, with the environment before the store."""

    home: Home
    environment: Mapping[str, str]

    def load(self) -> str | None:
        """The key; None when there is none; `KeyUnusable` when the one that would be used cannot be."""
        given = self.environment.get(VARIABLE, "")
        if given.strip():
            return check(given, VARIABLE)
        content = _read(self.home.key, "stored API key")
        return None if content is None else self._unseal(content)

    def status(self) -> KeyStatus:
        source: Source = "environment" if self.environment.get(VARIABLE, "").strip() else "store"
        try:
            key = self.load()
        except KeyUnusable as error:
            return KeyStatus(False, source, error.message)
        return KeyStatus(True, source) if key is not None else KeyStatus(False)

    def save(self, key: str) -> None:
        """Encrypts and keeps a key in place of the old one; `KeyUnusable` leaves the old one."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(12)
        sealed = AESGCM(self._machine_key()).encrypt(nonce, check(key, "API key").encode(), _PURPOSE)
        content = _Sealed(_VERSION, base64.b64encode(nonce).decode(), base64.b64encode(sealed).decode())
        write_private(self.home.key, msgspec.json.encode(content))

    def remove(self) -> bool:
        """Forgets the stored key; says whether there was one."""
        existed = self.home.key.exists()
        self.home.key.unlink(missing_ok=True)
        return existed

    def _unseal(self, content: bytes) -> str:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        machine_key = _read(self.home.machine_key, "machine key")
        if machine_key is None:
            raise KeyUnusable(f"The stored API key cannot be read: {self.home.machine_key} is gone. {_AGAIN}")
        try:
            sealed = msgspec.json.decode(content, type=_Sealed)
            if sealed.version != _VERSION:
                raise KeyUnusable(f"{self.home.key} was written by a newer hd. Install that, or: {_AGAIN}")
            key = AESGCM(machine_key).decrypt(
                base64.b64decode(sealed.nonce, validate=True), base64.b64decode(sealed.sealed, validate=True), _PURPOSE
            )
            return check(key.decode(), "stored API key")
        except (msgspec.DecodeError, ValueError, InvalidTag):
            raise KeyUnusable(
                f"The stored API key cannot be read: {self.home.key} or {self.home.machine_key} was changed. {_AGAIN}"
            ) from None

    def _machine_key(self) -> bytes:
        """The machine key, made when there is none that can be used."""
        try:
            existing = read_private(self.home.machine_key)
        except OSError:
            existing = None
        if existing is not None and len(existing) == 32:
            return existing
        made = os.urandom(32)
        write_private(self.home.machine_key, made)
        return made


def check(key: str, name: str) -> str:
    """The key as it is, or `KeyUnusable` in one sentence when no provider could have given it out."""
    if not key.strip():
        problem = "is empty"
    elif len(key) > LONGEST:
        problem = f"is longer than {LONGEST} characters"
    elif "\n" in key or "\r" in key:
        problem = "has a line break in it"
    elif any(letter.isspace() for letter in key):
        problem = "has a blank in it"
    elif not all("!" <= letter <= "~" for letter in key):
        problem = "has characters in it that are not plain ASCII"
    else:
        return key
    raise KeyUnusable(f"The {name} {problem}, so it cannot be used.")


def _read(path: Path, name: str) -> bytes | None:
    try:
        return read_private(path)
    except PermissionError as error:
        raise KeyUnusable(f"The {name} is not used: {error}.") from None
    except OSError as error:
        raise KeyUnusable(f"The {name} cannot be read: {path}: {error.strerror}. {_AGAIN}") from None
