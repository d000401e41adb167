"""What began beside the turns and has no end yet: commands and compactions. Private: it never crosses the wire.

Repair ends by it what a killed daemon left open, so that no client shows it as running for ever.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


class Begun(Struct, frozen=True):
    """`commands` has the name of each open command by its id, `compactions` the data of each open one by its id."""

    commands: Mapping[str, str] = field(default_factory=dict)
    compactions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _commanded(state: Begun, event: Event) -> Begun:
    opened = {str(event.data.get("commandId")): str(event.data.get("name") or "")}
    return replace(state, commands={**state.commands, **opened})


def _command_done(state: Begun, event: Event) -> Begun:
    command_id = str(event.data.get("commandId"))
    return replace(state, commands=_without(state.commands, command_id)) if command_id in state.commands else state


def _compacting(state: Begun, event: Event) -> Begun:
    return replace(state, compactions={**state.compactions, str(event.data.get("compactionId")): event.data})


def _compacted(state: Begun, event: Event) -> Begun:
    compaction_id = str(event.data.get("compactionId"))
    if compaction_id not in state.compactions:
        return state
    return replace(state, compactions=_without(state.compactions, compaction_id))


def _without(open_ones: Mapping[str, Any], ended: str) -> dict[str, Any]:
    return {known: what for known, what in open_ones.items() if known != ended}


BEGUN = Projection(
    "begun",
    Begun(),
    {
        ev.COMMAND_RUN: _commanded,
        ev.COMMAND_DONE: _command_done,
        ev.COMPACTION_START: _compacting,
        ev.COMPACTION_END: _compacted,
    },
)
