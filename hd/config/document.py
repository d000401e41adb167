"""The settings that can be changed while the daemon runs, by namespace (WIRE 10.4, `settings/*`).

A namespace has a base, which comes from the environment and the code, and what a person set on top of it; each change
raises its revision, so that whoever changes what they saw changes nothing else. What was set is kept in the store.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from hd.errors import HdError

KEY: Final = "settings"
UPDATED: Final = "settings/document-updated"

Section = dict[str, Any]


class SettingsRejected(HdError):
    """A change that the namespace does not allow; nothing of it was kept."""

    code = "settings/rejected"


class SettingsConflict(HdError):
    """The namespace was changed since it was read."""

    code = "settings/conflict"


class Kept(Protocol):
    """Where JSON values are kept by key."""

    async def load_setting(self, key: str) -> Any: ...

    async def save_setting(self, key: str, value: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace. `shape` describes what can be set, all of it optional; `base` gives the values below that.

    `check` raises an `HdError` for a section that cannot be used; `apply` makes one count. `pinned` says that the
    environment decides at the start: what was kept then counts again only when it is set anew.
    """

    name: str
    shape: type[msgspec.Struct]
    base: Callable[[], Mapping[str, Any]]
    check: Callable[[Mapping[str, Any]], object]
    apply: Callable[[Mapping[str, Any]], None] = lambda section: None
    pinned: bool = False


@dataclass(slots=True)
class _State:
    user: Section
    revision: int = 0


class SettingsDocument:
    """All namespaces of a home. `announce` tells every client a host event."""

    def __init__(self, kept: Kept, namespaces: Sequence[Namespace], announce: Callable[[str, list[Any]], None]) -> None:
        self._kept = kept
        self._namespaces = {namespace.name: namespace for namespace in namespaces}
        self._states = {namespace.name: _State({}) for namespace in namespaces}
        self._announce = announce
        self._changing = asyncio.Lock()

    async def load(self) -> None:
        """Takes up what was kept; a section that cannot be used any more is passed over."""
        stored = await self._kept.load_setting(KEY)
        for name, entry in (stored if isinstance(stored, dict) else {}).items():
            namespace = self._namespaces.get(name)
            if namespace is None or not isinstance(entry, dict):
                continue
            self._states[name].revision = int(entry.get("revision") or 0)
            section = dict(entry.get("user") or {})
            if namespace.pinned or self._problem(namespace, section) is not None:
                continue
            self._states[name].user = section
            namespace.apply(section)

    def value(self, name: str) -> Section:
        """What counts now."""
        return {**self._namespaces[name].base(), **self._states[name].user}

    def described(self) -> dict[str, Any]:
        return {
            "writable": True,
            "hasDocument": any(state.revision for state in self._states.values()),
            "namespaces": [self._view(name) for name in self._namespaces],
        }

    async def update(self, name: str, patch: Mapping[str, Any], expected: int | None = None) -> dict[str, Any]:
        """Sets the fields of `patch`; a null takes one back to its base."""
        ops = [
            {"op": "unset" if value is None else "set", "path": [key], "value": value} for key, value in patch.items()
        ]
        return await self.mutate(name, ops, expected)

    async def mutate(self, name: str, ops: Sequence[Mapping[str, Any]], expected: int | None = None) -> dict[str, Any]:
        """Does `{op: "set", path, value}` and `{op: "unset", path}` in order, all or none."""
        return await self._change(name, lambda section: _done(name, section, ops), expected)

    async def replace(self, name: str, section: Mapping[str, Any], expected: int | None = None) -> dict[str, Any]:
        """Puts `section` in the place of all that was set."""
        return await self._change(name, lambda _: dict(section), expected)

    async def _change(self, name: str, change: Callable[[Section], Section], expected: int | None) -> dict[str, Any]:
        namespace = self._namespaces.get(name)
        if namespace is None:
            known = ", ".join(self._namespaces)
            raise SettingsRejected(f"There is no settings namespace “{name}”; there are: {known}.", {"ns": name})
        async with self._changing:
            state = self._states[name]
            if expected is not None and expected != state.revision:
                raise SettingsConflict(
                    f"The settings “{name}” were changed since they were read (revision {expected}, now "
                    f"{state.revision}). Read them again; nothing was changed.",
                    {"ns": name, "expected": expected, "actual": state.revision},
                )
            section = change(dict(state.user))
            problem = self._problem(namespace, section)
            if problem is not None:
                raise SettingsRejected(f"The settings “{name}” are not changed: {problem}", {"ns": name})
            if section != state.user:
                await self._keep(name, section, state.revision + 1)
                self._states[name] = _State(section, state.revision + 1)
                namespace.apply(section)
                self._announce(UPDATED, [name, state.revision + 1])
        return self._view(name)

    async def _keep(self, name: str, section: Section, revision: int) -> None:
        stored = await self._kept.load_setting(KEY)
        document = dict(stored) if isinstance(stored, dict) else {}
        document[name] = {"user": section, "revision": revision}
        await self._kept.save_setting(KEY, document)

    def _problem(self, namespace: Namespace, section: Section) -> str | None:
        try:
            msgspec.convert(section, namespace.shape)
            namespace.check(section)
        except msgspec.ValidationError as error:
            return f"{error}."
        except HdError as error:
            return error.message
        return None

    def _view(self, name: str) -> dict[str, Any]:
        namespace, state = self._namespaces[name], self._states[name]
        return {
            "autoGenerate": False,
            "ns": name,
            "schema": msgspec.json.schema(namespace.shape),
            "value": self.value(name),
            "base": dict(namespace.base()),
            "user": state.user,
            "applies": "live",
            "secrets": [],
            "revision": state.revision,
        }


def _done(name: str, section: Section, ops: Sequence[Mapping[str, Any]]) -> Section:
    """`section` after `ops`. All settings are flat, so a path has one part."""
    for op in ops:
        path = op["path"]
        if len(path) != 1:
            raise SettingsRejected(f"“{'.'.join(path)}” is no setting of “{name}”. Nothing was changed.", {"ns": name})
        if op["op"] == "unset":
            section.pop(path[0], None)
        else:
            section[path[0]] = op.get("value")
    return section
