"""What a session is and how it works now: plan mode, agent preset, folder, and what the dialect wants said of them.

`agentPreset` and `workingDirectory` begin with what the header says, which whoever loads a session gives to its state.
"""

from typing import Any

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection


def _planned(state: bool, event: Event) -> bool:
    return bool(event.data.get("active"))


PLAN: Projection[bool] = Projection(
    "plan", False, {ev.PLAN_MODE: _planned}, lambda state: {"active": state, "pending": False}
)
"""Whether only reading is allowed. A change counts from the moment it is recorded, so none is ever pending."""


def _selected(state: str | None, event: Event) -> str | None:
    preset = event.data.get("agentPreset")
    return preset if isinstance(preset, str) else state


AGENT_PRESET: Projection[str | None] = Projection(
    "agentPreset", None, {ev.AGENT_PRESET_SELECTED: _selected}, lambda state: state
)

WORKING_DIRECTORY: Projection[str | None] = Projection("workingDirectory", None, {}, lambda state: state)

_IMAGE_LIMITS = {
    "maxImageBytes": 20 * 1024 * 1024,
    "maxImagesPerMessage": 20,
    "maxMessageImageBytes": 200 * 1024 * 1024,
    "maxImagePixels": 64_000_000,
    "maxImageDimension": 8192,
    "mediaTypes": ["image/png", "image/jpeg", "image/webp", "image/gif"],
}


def _fixed(key: str, value: Any) -> Projection[None]:
    return Projection(key, None, {}, lambda state: value)


IMAGE_LIMITS = _fixed("imageLimits", _IMAGE_LIMITS)
SUBAGENT = _fixed("subagent", None)
SUBAGENT_CATALOG = _fixed("subagentCatalog", [])
SUBAGENT_TIMING = _fixed("subagentTiming", {"settledMs": 0})
"""No session is a child and none has children."""
