"""Projections whose state is one small value: title, model selection, permissions, todos, list metadata."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class Title(Struct, frozen=True):
    """`pinned` once a person named the session: no generated title replaces that."""

    text: str | None = None
    pinned: bool = False


def _titled(state: Title, event: Event) -> Title:
    by_person = (event.data.get("source") or {}).get("kind") == "user"
    if state.pinned and not by_person:
        return state
    new = Title(event.data.get("title"), by_person)
    return state if new == state else new


TITLE = Projection("title", Title(), {ev.SESSION_TITLE: _titled}, lambda state: state.text)


class ModelSelection(Struct, frozen=True):
    """`next` is what the next request will use, `last_used` what the latest one did use."""

    last_used: Mapping[str, Any] | None = None
    next: Mapping[str, Any] | None = None


def selection(config: Mapping[str, Any]) -> dict[str, Any]:
    """Provider, model and effort out of a `request/header` config or a `model/selection`."""
    return {key: config[key] for key in ("provider", "model", "reasoningEffort") if config.get(key) is not None}


def _selected(state: ModelSelection, event: Event) -> ModelSelection:
    return replace(state, next=selection(event.data))


def _requested(state: ModelSelection, event: Event) -> ModelSelection:
    used = selection(event.data.get("header", {}).get("config", {}))
    if used == state.last_used and state.next is not None:
        return state
    return ModelSelection(used, state.next or used)


MODEL_SELECTION = Projection(
    "modelSelection",
    ModelSelection(),
    {ev.MODEL_SELECTION: _selected, ev.REQUEST_HEADER: _requested},
    lambda state: {"lastUsed": state.last_used, "next": state.next},
)


PRESET_OPTIONS: tuple[dict[str, str], ...] = (
    {
        "value": "read-only",
        "name": "Read only",
        "description": "Reads freely; every change asks first, and every command that does more than surely read.",
    },
    {
        "value": "workspace-write",
        "name": "Workspace write",
        "description": "Changes files and runs commands in the workspace; deleting and reaching beyond it ask first.",
    },
    {
        "value": "danger-full-access",
        "name": "Full access",
        "description": "Never asks. Secret files and paths outside stay closed to the file tools.",
    },
)

STRICTEST = "read-only"
"""What counts where the log does not say, or says what nobody knows: then a session asks, and goes on."""

_KNOWN = frozenset(option["value"] for option in PRESET_OPTIONS)


def _preset(state: str, event: Event) -> str:
    preset = event.data.get("preset")
    return preset if preset in _KNOWN else STRICTEST


PRESET: Projection[str] = Projection("preset", STRICTEST, {ev.PERMISSION_PRESET: _preset})
"""The preset's id alone; `permissions` is the same with the options that 0.1.5 clients expect beside it."""

PERMISSIONS: Projection[str] = Projection(
    "permissions",
    STRICTEST,
    {ev.PERMISSION_PRESET: _preset},
    lambda state: {"currentValue": state, "options": list(PRESET_OPTIONS)},
)


def _todos(state: tuple[Mapping[str, Any], ...] | None, event: Event) -> tuple[Mapping[str, Any], ...] | None:
    return tuple(event.data.get("todos") or ())


TODOS: Projection[tuple[Mapping[str, Any], ...] | None] = Projection(
    "todos", None, {ev.TODO_WRITE: _todos}, lambda state: None if state is None else list(state)
)


class ListMetadata(Struct, frozen=True):
    """What a session list needs: `blank` until a turn ran, the time (ms) of the last prompt of a person."""

    blank: bool = True
    last_prompt_at: int | None = None


def _begun(state: ListMetadata, event: Event) -> ListMetadata:
    return replace(state, blank=False) if state.blank else state


def _prompted(state: ListMetadata, event: Event) -> ListMetadata:
    if (event.data.get("source") or {}).get("kind") != "user":
        return state
    return replace(state, last_prompt_at=event.time)


SESSION_LIST_METADATA = Projection(
    "sessionListMetadata",
    ListMetadata(),
    {ev.TURN_START: _begun, ev.USER_MESSAGE: _prompted},
    lambda state: {"blank": state.blank, "lastPromptAt": state.last_prompt_at},
)
