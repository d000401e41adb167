"""`permissionRules/*`: the rules of a session's workspace; each change is in the session's log."""

from pathlib import Path
from typing import Any

from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.permit.rulebook import Rulebook
from hd.permit.rules import Rule
from hd.protocol import events as ev
from hd.protocol.endpoints import permission_rules as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.protocol.events import Draft
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.session.live import LiveSession


class PermissionRuleRoutes:
    def __init__(self, services: Services, rules: Rulebook, guard: Guard) -> None:
        self._registry = services.registry
        self._rules = rules
        self._guard = guard

    def unary(self) -> dict[str, Unary]:
        return {
            "permissionRules/allow": self.allow,
            "permissionRules/forget": self.forget,
            "permissionRules/list": self.listed,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def listed(self, request: SessionRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            rules = await self._rules.rules(self._files(session).root)
        return {"rules": [rule.to_wire() for rule in rules]}

    async def allow(self, request: ep.AllowRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            files = self._files(session)
            drawn = await self._rules.draw_up(request["command"], request.get("use", "command"), files)
            rule = await self._rules.keep(drawn, files.root, session.id)
            await self._record(session, "made", rule)
        return {"rule": rule.to_wire()}

    async def forget(self, request: ep.ForgetRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            rule = await self._rules.forget(request["number"], self._files(session).root)
            await self._record(session, "forgotten", rule)
        return {"rule": rule.to_wire()}

    async def _record(self, session: LiveSession, change: str, rule: Rule) -> None:
        session.record(Draft(ev.PERMISSION_RULE, {"change": change, "rule": rule.named()}))
        await session.written(durable=True)

    def _files(self, session: LiveSession) -> FileLayer:
        return FileLayer(Path(session.header.cwd), self._guard)
