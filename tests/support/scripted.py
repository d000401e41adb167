"""A link without a host: real mirrors, fed with wire items by hand or by a scene. For the screens and the PTY tests."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from htui.errors import RemoteError
from htui.link.address import Address
from htui.link.changes import Change, HostChanged, LinkChanged, LinkStatus, SessionChanged
from htui.link.stream import Stream
from htui.link.watch import Watch, ignored
from htui.mirror import HostMirror, SessionMirror

SESSION = "session-00000000-0000-4000-8000-000000000001"
WORKSPACE = "ws-1"
NOW = 1_800_000_000_000
ORIGIN = "http://127.0.0.1:3080"

CATALOGUE = {
    "default": {"provider": "deepseek-official", "model": "deepseek-v4-pro", "reasoningEffort": "high"},
    "routableProviders": ["deepseek-official"],
    "groups": [
        {
            "id": "deepseek-official",
            "name": "DeepSeek",
            "models": [
                {
                    "id": "deepseek-v4-pro",
                    "name": "DeepSeek V4 Pro",
                    "reasoning": {"efforts": [{"id": "high", "name": "High"}, {"id": "max", "name": "Max"}]},
                },
                {"id": "deepseek-v4-flash", "name": "DeepSeek V4 Flash"},
            ],
        }
    ],
    "failures": [],
}

Scene = Callable[["ScriptedLink"], Awaitable[None]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


class Log:
    """Writes the items of one session's follow stream, with dense numbers."""

    def __init__(self, link: "ScriptedLink", session_id: str) -> None:
        self._link = link
        self.session_id = session_id
        self.seq = -1
        self.revision = 0
        self.turn = 0
        self.time = NOW
        self._index = 0
        self._attempt = 0

    def event(self, kind: str, data: Mapping[str, Any], surface: str | None = None) -> dict[str, Any]:
        """The next event, not sent."""
        self.seq += 1
        self.time += 10
        event = {"type": kind, "seq": self.seq, "time": self.time, "data": data}
        return {"type": "event", "event": {**event, "surfaceOp": surface} if surface else event}

    def send(self, kind: str, data: Mapping[str, Any], surface: str | None = None) -> None:
        self._link.session_item(self.session_id, self.event(kind, data, surface))

    def user(self, words: str, request_id: str = "r", source: str = "user") -> dict[str, Any]:
        kind = {"kind": source, "rpcId": request_id} if source == "user" else {"kind": source}
        return {"role": "user", "id": f"m{self.seq}", "content": [text(words)], "source": kind}

    def answer(self, *content: Mapping[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "id": f"m{self.seq}", "content": list(content), "source": {"kind": "model"}}
        return {"turn": self.turn, "step": 1, "message": message, "stream": []}

    def begin(self, prompt: str, request_id: str = "r") -> None:
        self.turn += 1
        self.send("turn/start", {"turn": self.turn})
        self.send("user/message", self.user(prompt, request_id), "append")

    def say(self, words: str) -> None:
        self.send("assistant/message", self.answer(text(words)), "append")

    def call(self, name: str, arguments: str, call_id: str = "c1") -> None:
        block = {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}
        self.send("assistant/message", self.answer(block), "append")
        self.send("tool/call", {"callId": call_id, "name": name})

    def result(self, words: str, call_id: str = "c1", *, is_error: bool = False) -> None:
        message = {"role": "tool", "toolCallId": call_id, "content": [text(words)], "isError": is_error}
        self.send("tool/result", {"message": message}, "append")

    def end(self, kind: str = "completed") -> None:
        self.send("turn/end", {"turn": self.turn, "reason": {"kind": kind}})

    def snapshot(self, records: list[dict[str, Any]] | None = None, *, has_more: bool = False) -> None:
        item: dict[str, Any] = {
            "type": "snapshot",
            "header": {"version": 4, "id": self.session_id, "createdAt": NOW, "isSeeded": False},
            "cursor": self.seq,
            "records": records or [],
            "hasMore": has_more,
            "assistantStream": {"revision": self.revision},
        }
        self._link.session_item(self.session_id, item)

    def stream(self) -> None:
        """Begins an attempt."""
        self._attempt += 1
        self._index = 0
        self._frame("start", turn=self.turn, step=1, startedAfterSeq=self.seq)

    def delta(self, words: str, kind: str = "text-delta", block: int = 0) -> None:
        chunk = {"type": kind, "index": block, "text": words}
        self._frame("chunk", index=self._index, time=self.time, chunk=chunk)
        self._index += 1

    def settle(self, words: str) -> None:
        """Ends an attempt with its durable message."""
        self.say(words)
        self._frame("end", index=self._index, outcome={"kind": "committed"})

    def _frame(self, kind: str, **fields: Any) -> None:
        self.revision += 1
        attempt = f"{self.session_id}:{self._attempt}"
        frame = {"type": kind, "revision": self.revision, "attemptId": attempt, **fields}
        self._link.session_item(self.session_id, {"type": "assistant-stream", "frame": frame})


class ScriptedLink:
    """As `htui.link.link.Link`; `calls` are those that were made, `answers` what they give (a value or a function)."""

    def __init__(self, on_change: Callable[[Change], None], scene: Scene | None = None) -> None:
        self.address = Address(ORIGIN)
        self.status = LinkStatus()
        self.host = HostMirror()
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answered: list[tuple[str, Mapping[str, Any]]] = []
        self.answers: dict[str, Any] = {
            "session/create": {"sessionId": SESSION},
            "workspace/create": {"workspace": {"workspaceId": WORKSPACE, "path": "/home/me/proj", "sessionIds": []}},
            "session/prompt": {"accepted": True},
            "session/cancel": {"accepted": True},
        }
        self.streams: dict[str, list[Any]] = {}
        self.retries: list[str | None] = []
        self.watches: list[Watch] = []
        self.pages: list[list[dict[str, Any]]] = []
        self._values = 0
        self._on_change = on_change
        self._scene = scene
        self._mirrors: dict[str, SessionMirror] = {}
        self._logs: dict[str, Log] = {}

    async def run(self) -> None:
        if self._scene is not None:
            await self._scene(self)
        await asyncio.Event().wait()

    def log(self, session_id: str = SESSION) -> Log:
        return self._logs.setdefault(session_id, Log(self, session_id))

    def phase(self, status: LinkStatus) -> None:
        self.status = status
        self._on_change(LinkChanged(status))

    def online(
        self, *, sessions: list[dict[str, Any]] | None = None, workspaces: list[dict[str, Any]] | None = None
    ) -> None:
        """Comes online with these lists."""
        self.host.begin()
        self.phase(LinkStatus("online"))
        rows = workspaces if workspaces is not None else [{"workspaceId": WORKSPACE, "path": "/", "sessionIds": []}]
        self.host.workspace({"type": "baseline", "value": {"items": rows, "archivedSessionIds": []}})
        self.host.listed({"items": sessions or []}, self.host.asking())
        self.host.catalogued(CATALOGUE)
        self._on_change(HostChanged(frozenset({"workspaces", "sessions", "list", "catalogue"})))

    def session_item(self, session_id: str, item: dict[str, Any]) -> None:
        mirror = self._mirror(session_id)
        self._on_change(SessionChanged(session_id, mirror.apply(item)))

    def value(self, key: str, value: Any, session_id: str = SESSION) -> None:
        """A projection value of a session."""
        self._values += 1
        seq = 100_000 + self._values
        self.host.control({"type": "projection", "sessionId": session_id, "key": key, "seq": seq, "value": value})
        self._on_change(HostChanged(frozenset({"projections"}), frozenset({session_id})))

    def ask(self, event: str, request: Mapping[str, Any], event_id: str = "e1", session_id: str = SESSION) -> None:
        item = {"type": "waterfall", "event": event, "eventId": event_id, "agentId": session_id, "request": request}
        self.host.event(item, NOW)
        self._on_change(HostChanged(frozenset({"asks"})))

    def emit(self, event: str, args: list[Any]) -> None:
        """A host event, as every client gets it."""
        step = self.host.event({"type": "emit", "event": event, "args": args}, NOW)
        self._on_change(HostChanged(step.keys))

    def settled(self, event_id: str) -> None:
        self.host.settled(event_id)
        self._on_change(HostChanged(frozenset({"asks"})))

    def retry(self, token: str | None = None) -> None:
        self.retries.append(token)

    async def call(self, endpoint: str, /, **args: Any) -> Any:
        self.calls.append((endpoint, args))
        answer = self.answers.get(endpoint)
        if isinstance(answer, Exception):
            raise answer
        return answer(**args) if callable(answer) else answer

    def stream(self, endpoint: str, /, **args: Any) -> Stream:
        """The items that `streams` holds for the endpoint, and then its end."""
        stream = Stream(lambda _: None)
        for item in self.streams.get(endpoint, []):
            stream.put(item, 0)
        stream.finish(None)
        return stream

    def follow(self, session_id: str) -> SessionMirror:
        mirror = self._mirror(session_id)
        if not mirror.loaded:
            self.log(session_id).snapshot()
        return mirror

    def watch(
        self,
        endpoint: str,
        take: Callable[[list[Any]], None],
        refused: Callable[[RemoteError], None] = ignored,
        /,
        **args: Any,
    ) -> Watch:
        watch = Watch(endpoint, args, take, refused, self._ended)
        self.watches.append(watch)
        return watch

    def _ended(self, watch: Watch) -> None:
        if watch in self.watches:
            self.watches.remove(watch)

    def item(self, endpoint: str, *items: Any) -> None:
        """Gives items to whoever watches a stream."""
        for watch in [watch for watch in self.watches if watch.endpoint == endpoint]:
            watch.take(list(items))

    def unfollow(self, session_id: str) -> None:
        """Mirrors stay."""

    async def older(self, session_id: str) -> bool:
        if not self.pages:
            return False
        page = {"records": self.pages.pop(), "hasMore": bool(self.pages)}
        self._on_change(SessionChanged(session_id, self._mirror(session_id).prepend(page)))
        return True

    async def answer(self, event_id: str, outcome: Mapping[str, Any]) -> None:
        self.answered.append((event_id, outcome))
        self.settled(event_id)

    async def refresh_lists(self) -> None:
        """The lists are what they are."""

    def _mirror(self, session_id: str) -> SessionMirror:
        return self._mirrors.setdefault(session_id, SessionMirror(session_id, self.host.values(session_id)))
