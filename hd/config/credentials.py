"""The credentials by their references, as clients set and ask for them (WIRE 10.4). None is ever given out."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from hd.config.keys import VARIABLE, Keys, KeyStatus
from hd.errors import HdError, KeyUnusable

UPDATED: Final = "credentials/reference-updated"


class CredentialRejected(HdError):
    """A credential that cannot be set or removed here."""

    code = "credential/rejected"


class Credentials:
    """The credentials of a home: one, the API key, known by the name of its variable.

    `changed` is called with the reference behind each change.
    """

    def __init__(self, keys: Keys, changed: Callable[[str], None]) -> None:
        self._keys = keys
        self._changed = changed

    async def status(self) -> KeyStatus:
        """Of the API key, as this process sees it: its environment counts first."""
        return await asyncio.to_thread(self._keys.status)

    async def described(self, refs: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {ref: await self._one(ref) for ref in dict.fromkeys(refs)}

    async def _one(self, ref: str) -> dict[str, Any]:
        if ref != VARIABLE:
            return {"configured": False, "writable": False}
        status = await self.status()
        wire: dict[str, Any] = {"configured": status.configured, "writable": not self._from_environment()}
        if status.source is not None:
            wire["source"] = "env" if status.source == "environment" else "store"
        return wire

    async def set(self, ref: str, value: str) -> None:
        """Keeps a credential, encrypted; `CredentialRejected` leaves the old one."""
        self._writable(ref)
        try:
            await asyncio.to_thread(self._keys.save, value)
        except KeyUnusable as error:
            raise CredentialRejected(error.message, {"ref": ref}) from error
        self._changed(ref)

    async def unset(self, ref: str) -> None:
        """Forgets a credential; one that is not there is no error."""
        self._writable(ref)
        if await asyncio.to_thread(self._keys.remove):
            self._changed(ref)

    def _from_environment(self) -> bool:
        return bool(self._keys.environment.get(VARIABLE, "").strip())

    def _writable(self, ref: str) -> None:
        if ref != VARIABLE:
            raise CredentialRejected(f"There is no credential “{ref}”; there is {VARIABLE}.", {"ref": ref})
        if self._from_environment():
            raise CredentialRejected(
                f"{VARIABLE} comes from the daemon's environment, which counts first. Change it there.", {"ref": ref}
            )
