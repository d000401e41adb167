"""`money/*`: what all sessions cost."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hd.ledger.accounts import Accounts
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary
from pricing import plain


class MoneyRoutes:
    """`cap` is what today may cost in CNY, None for no bound."""

    def __init__(self, accounts: Accounts, cap: Callable[[], Decimal | None]) -> None:
        self._accounts = accounts
        self._cap = cap

    def unary(self) -> dict[str, Unary]:
        return {"money/explain": self.explain, "money/summary": self.summary}

    def streams(self) -> dict[str, Stream]:
        return {}

    async def summary(self) -> dict[str, Any]:
        cap = self._cap()
        return {**await self._accounts.summary(), "dayCap": None if cap is None else plain(cap)}

    async def explain(self, request: SessionRequest) -> dict[str, Any]:
        return await self._accounts.explain(request["sessionId"])
