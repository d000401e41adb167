"""The namespaces of settings that there are: the model and the permissions that a new session begins with, and what
holds the commands of all sessions."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from hd.config.document import Namespace
from hd.errors import BadRequest

DEFAULT_MODEL: Final = "agent-default-model"
PERMISSION: Final = "permission"
SANDBOX: Final = "sandbox"

_Preset = Literal["read-only", "workspace-write", "danger-full-access"]


class _DefaultModel(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    provider: str | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    reasoningEffort: str | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Permission(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    defaultPreset: _Preset | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Sandbox(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`offline` are the presets in which commands have no network."""

    use: Literal["auto", "off", "required"] | msgspec.UnsetType = msgspec.UNSET
    offline: list[Literal["read-only", "workspace-write"]] | msgspec.UnsetType = msgspec.UNSET


def default_model(
    base: Callable[[], Mapping[str, Any]],
    complete: Callable[[Mapping[str, Any]], object],
    prefer: Callable[[Mapping[str, Any] | None], None],
    *,
    pinned: bool,
) -> Namespace:
    """The model of new sessions. `complete` raises for one that is not to be had, `prefer` makes one count."""

    def check(section: Mapping[str, Any]) -> None:
        if not section:
            return
        if "provider" not in section or "model" not in section:
            raise BadRequest("a model needs its provider, and a provider its model.")
        complete(section)

    return Namespace(DEFAULT_MODEL, _DefaultModel, base, check, lambda section: prefer(section or None), pinned=pinned)


def permission(default_preset: str) -> Namespace:
    return Namespace(PERMISSION, _Permission, lambda: {"defaultPreset": default_preset}, lambda section: None)


def sandbox(default_use: str, apply: Callable[[Mapping[str, Any]], None]) -> Namespace:
    """What holds commands; `apply` makes it count from the next command on."""
    return Namespace(SANDBOX, _Sandbox, lambda: {"use": default_use, "offline": []}, lambda section: None, apply)
