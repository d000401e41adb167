"""`job/*`: commands while they run and after."""

from collections.abc import AsyncGenerator
from typing import Any

from hd.protocol.endpoints import jobs as ep
from hd.protocol.endpoints.shape import SessionRequest
from hd.server.rpc import Stream, Unary
from hd.server.services import Services


class JobRoutes:
    def __init__(self, services: Services) -> None:
        self._registry = services.registry
        self._jobs = services.jobs

    def unary(self) -> dict[str, Unary]:
        return {"job/kill": self.kill}

    def streams(self) -> dict[str, Stream]:
        return {"job/follow": self.follow, "job/list": self.listed}

    async def kill(self, request: ep.JobRequest) -> dict[str, Any]:
        async with self._registry.hold(request["sessionId"]) as session:
            return {"outcome": self._jobs.kill(session.id, request["jobId"])}

    async def listed(self, request: SessionRequest) -> AsyncGenerator[list[bytes], None]:
        async with self._registry.hold(request["sessionId"]) as session:
            async for batch in self._jobs.listed(session.id):
                yield batch

    async def follow(self, request: ep.JobFollow) -> AsyncGenerator[list[bytes], None]:
        job = self._jobs.get(request.get("sessionId"), request["jobId"])
        async for batch in self._jobs.followed(job, request.get("from")):
            yield batch
