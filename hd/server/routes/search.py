"""`session/search`."""

from typing import Any

from hd.protocol.endpoints import sessions as ep
from hd.server.rpc import Stream, Unary
from hd.server.services import Services
from hd.session.search import MOST_FOUND, snippet, words_of


class SearchRoutes:
    def __init__(self, services: Services) -> None:
        self._store = services.registry.store

    def unary(self) -> dict[str, Unary]:
        return {"session/search": self.search}

    def streams(self) -> dict[str, Stream]:
        return {}

    async def search(self, request: ep.SearchRequest) -> dict[str, Any]:
        words = words_of(request["query"])
        hits = await self._store.search(words, MOST_FOUND + 1)
        items = [{"sessionId": hit.session_id, "snippet": snippet(hit.text, words)} for hit in hits[:MOST_FOUND]]
        return {"items": items, "hasMore": len(hits) > MOST_FOUND}
