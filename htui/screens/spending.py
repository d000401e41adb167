"""What all sessions of the host cost, read when that may have changed."""

from collections.abc import Callable, Mapping
from typing import Any

from htui.errors import HtuiError
from htui.screens.desk import Desk


class Spending:
    """`summary` is the host's last `money/summary`, None before one came and where the host has none."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self.summary: Mapping[str, Any] | None = None
        self._desk = desk
        self._told = told
        self._seen: tuple[str, bool] | None = None

    def due(self, *, running: bool) -> bool:
        """True once a connection, and each time that a turn has ended."""
        link = self._desk.link
        if link.status.phase != "online":
            return False
        before, self._seen = self._seen, (link.host.client_id, running)
        return before is None or before[0] != link.host.client_id or (before[1] and not running)

    async def read(self) -> None:
        """Asks the host; one that cannot answer tells less."""
        try:
            summary = await self._desk.link.call("money/summary")
        except HtuiError:
            return
        if isinstance(summary, Mapping):
            self.summary = summary
            self._told()
