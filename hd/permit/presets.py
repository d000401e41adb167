"""The three permission presets, as the wire names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from hd.errors import InputInvalid
from hd.protocol.events import APPROVAL_POLICY, PERMISSION_PRESET, SANDBOX_MODE, Draft
from hd.protocol.projections.small import PRESET_OPTIONS

PresetName = Literal["read-only", "workspace-write", "danger-full-access"]
ApprovalPolicy = Literal["ask", "never"]


@dataclass(frozen=True, slots=True)
class Preset:
    """`sandbox` is the mode on the wire; `approval` says whether a person is asked at all."""

    name: PresetName
    description: str
    sandbox: PresetName
    approval: ApprovalPolicy


_DESCRIPTION: Final = {option["value"]: option["description"] for option in PRESET_OPTIONS}
_ALL: Final = (
    Preset("read-only", _DESCRIPTION["read-only"], "read-only", "ask"),
    Preset("workspace-write", _DESCRIPTION["workspace-write"], "workspace-write", "ask"),
    Preset("danger-full-access", _DESCRIPTION["danger-full-access"], "danger-full-access", "never"),
)
PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _ALL})
DEFAULT_PRESET: Final[PresetName] = "workspace-write"


def preset(name: str) -> Preset:
    """The preset by name; InputInvalid names the known ones."""
    try:
        return PRESETS[name]
    except KeyError:
        raise InputInvalid(f"There is no permission preset {name!r}; there are {', '.join(PRESETS)}.") from None


def options() -> list[dict[str, str]]:
    """The presets as clients list them."""
    return [dict(option) for option in PRESET_OPTIONS]


def facts(chosen: Preset, before: Preset | None = None) -> list[Draft]:
    """What choosing a preset records: preset, sandbox mode, and the approval policy where it is another than before."""

    def fact(kind: str, name: str, value: str) -> Draft:
        data: dict[str, Any] = {name: value}
        return Draft(kind, data)

    drafts = [fact(PERMISSION_PRESET, "preset", chosen.name), fact(SANDBOX_MODE, "mode", chosen.sandbox)]
    if before is None or before.approval != chosen.approval:
        drafts.append(fact(APPROVAL_POLICY, "policy", chosen.approval))
    return drafts
