"""`process/*`: running commands, by the numbers that the model and people know them by."""

from collections.abc import AsyncGenerator
from typing import Any, Final

from hd.jobs.standing import processes
from hd.protocol.endpoints import processes as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary
from hd.server.services import Services

DEFAULT_LINES: Final = 40


class ProcessRoutes:
    def __init__(self, services: Services) -> None:
        self._registry = services.registry
        self._jobs = services.jobs
        self._background = services.background
        self._terminals = services.terminals

    def unary(self) -> dict[str, Unary]:
        return {
            "process/input": self.input,
            "process/keep": self.keep,
            "process/kill": self.kill,
            "process/list": self.listed,
            "process/resize": self.resize,
            "process/tail": self.tail,
        }

    def streams(self) -> dict[str, Stream]:
        return {"process/attach": self.attach, "process/screen": self.screen}

    async def listed(self, request: SessionRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            running = self._jobs.running(session.id)
            found = await processes(running)
        return {
            "commands": [
                {
                    **job.row(),
                    "processes": [
                        {"pid": one.pid, "command": one.command, "ports": list(one.ports)} for one in found[job.id]
                    ],
                }
                for job in running
            ]
        }

    async def tail(self, request: ep.ProcessTail) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            text = job.tail(request.get("lines", DEFAULT_LINES))
            return {"text": text, "line": self._terminals.line(session.id, job.id), "status": job.status}

    async def keep(self, request: ep.ProcessRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            return {"outcome": self._background.keep(session, request["number"])}

    async def kill(self, request: ep.ProcessRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            return {"outcome": self._jobs.kill(session.id, job.id)}

    async def input(self, request: ep.ProcessInput) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            taken = self._terminals.type(session.id, job.id, request.get("text", ""), request.get("keys", ()))
        return {"taken": taken}

    async def resize(self, request: ep.ProcessSize) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            self._terminals.resize(session.id, job.id, request["columns"], request["rows"])
        return {}

    async def screen(self, request: ep.ProcessRequest) -> AsyncGenerator[list[bytes], None]:
        """What a terminal shows, as it changes; ends with its last picture."""
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            async for batch in self._terminals.watched(session.id, job.id):
                yield batch

    async def attach(self, request: ep.ProcessRequest) -> AsyncGenerator[list[bytes], None]:
        """As `job/follow`."""
        async with self._registry.hold(request["sessionId"]) as session:
            job = self._jobs.numbered(session.id, request["number"])
            async for batch in self._jobs.followed(job, None):
                yield batch
