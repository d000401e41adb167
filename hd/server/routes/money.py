"""`money/*`: what all sessions cost."""

from typing import Any

from hd.ledger.accounts import Accounts
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary


class MoneyRoutes:
    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def unary(self) -> dict[str, Unary]:
        return {"money/explain": self.explain, "money/summary": self._accounts.summary}

    def streams(self) -> dict[str, Stream]:
        return {}

    async def explain(self, request: SessionRequest) -> dict[str, Any]:
        return await self._accounts.explain(request["sessionId"])
