"""The namespaces of settings that there are: the model and the permissions that a new session begins with, what holds
the commands of all sessions, and a person's own rules on which files are secret."""

import datetime
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

import msgspec

from hd.config.document import Namespace
from hd.errors import BadRequest
from hd.files.errors import FileError
from hd.files.rules import MOST_RULES, OwnRules, compiled

DEFAULT_MODEL: Final = "agent-default-model"
PERMISSION: Final = "permission"
SANDBOX: Final = "sandbox"
SECRET_FILES: Final = "secret-files"
SESSION_TITLE: Final = "session-title"
SPENDING: Final = "spending"

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


Pattern = Annotated[str, msgspec.Meta(min_length=1)]


class _SecretFiles(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    deny: Annotated[list[Pattern], msgspec.Meta(max_length=MOST_RULES)] | msgspec.UnsetType = msgspec.UNSET
    allow: Annotated[list[Pattern], msgspec.Meta(max_length=MOST_RULES)] | msgspec.UnsetType = msgspec.UNSET


class _SessionTitle(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`generate`: a model names a session after its first turn."""

    generate: bool | msgspec.UnsetType = msgspec.UNSET


class _Allowed(msgspec.Struct, forbid_unknown_fields=True):
    date: datetime.date
    amount: str


class _Spending(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`day`: what all sessions may cost in a day, in CNY, as text; `allowed`: what a person let one day cost."""

    day: str | msgspec.UnsetType = msgspec.UNSET
    allowed: _Allowed | msgspec.UnsetType = msgspec.UNSET


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


def session_title(base: bool, want: Callable[[bool], None]) -> Namespace:
    """Whether sessions are named by a model. `base` is what the environment says, and where that says no it is no;
    `want` makes it count from the next one on."""
    default = {"generate": base}
    return Namespace(
        SESSION_TITLE,
        _SessionTitle,
        lambda: default,
        lambda section: None,
        lambda section: want(base and bool(section.get("generate", True))),
    )


def spending(
    parse: Callable[[str], Decimal],
    parse_kept: Callable[[str], Decimal],
    bind: Callable[[Decimal | None, tuple[datetime.date, Decimal] | None], None],
) -> Namespace:
    """The cap of a day, and what was allowed for one; both parsers raise a ValueError for what is no amount, the first
    one of what a person types. `bind` makes both count."""

    def check(section: Mapping[str, Any]) -> None:
        try:
            parse(section.get("day", "0"))
            parse_kept(section.get("allowed", {}).get("amount", "0"))
        except ValueError as error:
            raise BadRequest(str(error)) from error

    def apply(section: Mapping[str, Any]) -> None:
        allowed = section.get("allowed")
        one = None if allowed is None else (datetime.date.fromisoformat(allowed["date"]), parse_kept(allowed["amount"]))
        bind(parse(section["day"]) if "day" in section else None, one)

    return Namespace(SPENDING, _Spending, dict, check, apply)


def secret_files(rules: OwnRules) -> Namespace:
    """Patterns of files that the file tools refuse, and of those that they may have all the same."""

    def check(section: Mapping[str, Any]) -> None:
        try:
            compiled([*section.get("deny", ()), *section.get("allow", ())])
        except FileError as error:
            raise BadRequest(error.message) from error

    def apply(section: Mapping[str, Any]) -> None:
        rules.change(section.get("deny", ()), section.get("allow", ()))

    return Namespace(SECRET_FILES, _SecretFiles, lambda: {"deny": [], "allow": []}, check, apply)
