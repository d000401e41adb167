"""`$events`, its answers, and what a client asks about the host itself."""

from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from hd.errors import HdError
from hd.permit.presets import options
from hd.protocol.endpoints import ENDPOINTS
from hd.protocol.endpoints import host as ep
from hd.server.login import Caller
from hd.server.rpc import NOTHING, Personal, Stream, Unary
from hd.server.services import Services


class InteractionsForbidden(HdError):
    """A caller that said at its login that it would not answer."""

    code = "gateway/interactions-forbidden"


class HostRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {
            "$events/result": Personal(self.answer),
            "host/describe": self.describe,
            "permissionPresets/catalog": self.permission_presets,
        }

    def streams(self) -> dict[str, Stream]:
        return {"$events": Personal(self.events)}

    async def events(self, caller: Caller) -> AsyncGenerator[list[bytes], None]:
        if not caller.interactions:
            raise InteractionsForbidden(
                "This login is not asked what a person is asked. Log in by /connect with interactions=answer.",
                {"endpoint": "$events"},
            )
        peer = self._services.broker.connect(caller.operator, caller.connection)
        try:
            ready = {"type": "ready", "clientId": peer.client_id, "host": {"home": self._services.home}}
            yield [msgspec.json.encode(ready)]
            async for item in peer.items():
                yield [msgspec.json.encode(item)]
        finally:
            peer.close()

    async def answer(self, caller: Caller, clientId: str, eventId: str, outcome: ep.Outcome) -> Any:  # noqa: N803
        self._services.broker.answer(clientId, eventId, dict(outcome), caller.operator)
        return NOTHING

    async def describe(self) -> dict[str, Any]:
        return {
            "name": "hd",
            "version": self._services.version,
            "sandbox": self._services.sandbox.told(),
            "endpoints": [{"name": endpoint.name, "stream": endpoint.stream} for endpoint in ENDPOINTS],
        }

    async def permission_presets(self) -> dict[str, Any]:
        return {"options": options()}
