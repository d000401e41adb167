"""`$events`, its answers, and what a client asks about the host itself."""

from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from hd.permit.presets import facts, options, preset
from hd.protocol.endpoints import ENDPOINTS
from hd.protocol.endpoints import host as ep
from hd.server.rpc import NOTHING, Stream, Unary
from hd.server.services import Services

COMMANDS = (
    {
        "name": "permission",
        "description": "Shows or changes what this session may do without asking.",
        "input": {"hint": "[read-only|workspace-write|danger-full-access]"},
    },
)


class HostRoutes:
    def __init__(self, services: Services) -> None:
        self._services = services

    def unary(self) -> dict[str, Unary]:
        return {
            "$events/result": self.answer,
            "agentPresets/list": self.agent_presets,
            "commands/list": self.commands,
            "commands/execute": self.execute,
            "host/describe": self.describe,
            "permissionPresets/catalog": self.permission_presets,
        }

    def streams(self) -> dict[str, Stream]:
        return {"$events": self.events}

    async def events(self) -> AsyncGenerator[list[bytes], None]:
        peer = self._services.broker.connect()
        try:
            ready = {"type": "ready", "clientId": peer.client_id, "host": {"home": self._services.home}}
            yield [msgspec.json.encode(ready)]
            async for item in peer.items():
                yield [msgspec.json.encode(item)]
        finally:
            peer.close()

    async def answer(self, clientId: str, eventId: str, outcome: ep.Outcome) -> Any:  # noqa: N803
        self._services.broker.answer(clientId, eventId, dict(outcome))
        return NOTHING

    async def describe(self) -> dict[str, Any]:
        return {
            "name": "hd",
            "version": self._services.version,
            "endpoints": [{"name": endpoint.name, "stream": endpoint.stream} for endpoint in ENDPOINTS],
        }

    async def agent_presets(self) -> dict[str, Any]:
        return {"presets": [{"id": "standard", "isDefault": True, "name": "Standard", "order": 0}]}

    async def permission_presets(self) -> dict[str, Any]:
        return {"options": options()}

    async def commands(self, agentId: str) -> list[dict[str, Any]]:  # noqa: N803
        return [dict(command) for command in COMMANDS]

    async def execute(self, agentId: str, line: str, submittedAttachments: list[Any]) -> Any:  # noqa: N803
        """Runs a slash command of the host; no value at all when the line is none of ours (WIRE 10.2)."""
        name, _, argument = line.strip().partition(" ")
        if name != "/permission":
            return NOTHING
        session = await self._services.registry.get(agentId)
        kept = session.value("preset")
        before = preset(kept) if kept is not None else None
        wanted = argument.strip()
        if not wanted:
            text = "This session has no preset" if before is None else f"This session is in {before.name}"
            return _said(session.id, f"{text}: {before.description if before else 'everything asks first.'}")
        if wanted not in {option["value"] for option in options()}:
            names = ", ".join(option["value"] for option in options())
            text = f"There is no preset “{wanted}”; there are {names}. Nothing was changed."
            return {"commandId": session.id, "result": {"kind": "error", "text": text}}
        chosen = preset(wanted)
        session.record(*facts(chosen, before))
        session.save_projections()
        await session.written(durable=True)
        return _said(session.id, f"From now on: {chosen.name}. {chosen.description}")


def _said(command_id: str, text: str) -> dict[str, Any]:
    return {"commandId": command_id, "result": {"kind": "success", "text": text}}
