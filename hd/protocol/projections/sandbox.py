"""How a person wants the commands of a session held, in place of what the settings say. Our own projection
(`sandbox`)."""

from typing import Any, Final, Literal

from msgspec import Struct

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

Held = Literal["off", "read-only", "workspace-write"]
_HELD: Final[dict[str, Held]] = {"off": "off", "read-only": "read-only", "workspace-write": "workspace-write"}


class Hold(Struct, frozen=True):
    """`mode` holds every command of the session at least so, or none where it is `off`; `network` says whether they
    have one. None leaves it to the settings and to the preset."""

    mode: Held | None = None
    network: bool | None = None

    def to_wire(self) -> dict[str, Any]:
        return {"mode": self.mode, "network": self.network}


def _held(state: Hold, event: Event) -> Hold:
    mode, network = event.data.get("mode"), event.data.get("network")
    # What a later version may mean by another word is not known to be less than the strictest.
    new = Hold(
        None if mode is None else _HELD.get(str(mode), "read-only"),
        network if isinstance(network, bool) else None,
    )
    return state if new == state else new


SANDBOX: Final = Projection("sandbox", Hold(), {ev.SANDBOX_HOLD: _held}, Hold.to_wire)
