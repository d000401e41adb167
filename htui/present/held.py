"""What holds the commands of a session, in the words of the status panel: pure."""

from collections.abc import Mapping
from typing import Any

from htui.present.safe import one_line


def held_words(hold: object, host: str) -> str:
    """What was chosen for the session (the value of its projection `sandbox`), then what the host says of all; empty
    for a host that says nothing."""
    here = _here(hold) if isinstance(hold, Mapping) else ""
    everywhere = one_line(host, 300)
    return f"{here} (all sessions: {everywhere})" if here and everywhere else here or everywhere


def _here(hold: Mapping[str, Any]) -> str:
    mode, network = hold.get("mode"), hold.get("network")
    held = "off in this session" if mode == "off" else f"held as {one_line(mode, 40)}" if isinstance(mode, str) else ""
    cut = "" if network is None else "network on" if network else "network off"
    return ", ".join(filter(None, (held, cut)))
