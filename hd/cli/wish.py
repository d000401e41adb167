"""What a command line of `hd run` asks for."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from hd.errors import UsageError
from hd.ledger.caps import parse
from pricing import plain


@dataclass(frozen=True, slots=True)
class Wish:
    """None leaves the choice to the settings of the home; `budget` is in CNY.

    `record` is a file for what goes to the provider and comes back. `more` are prompts for the same session, each said
    when the turn before it is complete.
    """

    prompt: str
    folder: str
    permission: str | None = None
    model: str | None = None
    budget: Decimal | None = None
    demo: bool = False
    record: Path | None = None
    more: tuple[str, ...] = ()

    def session(self, workspace_id: str) -> dict[str, Any]:
        """The request for the session, in the shape of `session/create`."""
        request: dict[str, Any] = {"workspaceId": workspace_id}
        if self.permission is not None:
            request["permissionPreset"] = self.permission
        if self.budget is not None:
            request["budget"] = plain(self.budget)
        model = {"provider": "demo" if self.demo else None, "model": self.model}
        named = {key: value for key, value in model.items() if value is not None}
        return {**request, "model": named} if named else request


def budget(given: str) -> Decimal:
    """An amount exactly as it was typed; money is never a float."""
    try:
        return parse(given)
    except ValueError as error:
        raise UsageError(f"--budget is in CNY. {error} Nothing was started.") from error
