"""How a home is, for the commands that tell about it: who has it, whether its daemon answers, and which key counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hd.config.home import Home
from hd.config.keys import Keys, KeyStatus
from hd.config.lock import Daemon, Holder, holder, running
from hd.errors import HdError

ANSWER_S = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """`key` is the running daemon's, which may have another environment than this command; without one, ours.

    `trouble` says why the daemon, although it runs, did not tell about itself; `key` then says nothing. `sandbox` is
    what the daemon tells of its own (`Sandbox.told`).
    """

    home: Home
    daemon: Daemon | None
    holder: Holder | None
    key: KeyStatus
    trouble: str | None = None
    sandbox: Mapping[str, Any] | None = None

    def who(self) -> str:
        """One sentence on who has the home."""
        if self.daemon is not None:
            return f"A daemon runs at {self.daemon.url} (process {self.daemon.pid})."
        if self.holder is None:
            return f"No daemon runs for {self.home.root}. Start one with `hd web`."
        return (
            f"No daemon runs for {self.home.root}, but `hd {self.holder.purpose}` (process {self.holder.pid}) has it."
        )

    def key_line(self) -> str:
        if self.trouble is not None:
            return "unknown, because the daemon does not answer"
        return f"from the {self.key.source}" if self.key.configured else self.key.problem or "none; the demo serves"


def look(home: Home, environment: Mapping[str, str]) -> Found:
    daemon = running(home)
    if daemon is None:
        return Found(home, None, holder(home), Keys(home, environment).status())
    import msgspec

    from hd.cli.local import Local

    try:
        said = Local.find(home).post("/api/local/status", timeout_s=ANSWER_S)
        return Found(home, daemon, None, msgspec.convert(said["key"], KeyStatus), sandbox=said.get("sandbox"))
    except HdError as error:
        return Found(home, daemon, None, KeyStatus(False), error.message)
