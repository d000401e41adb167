"""Plays the client's side of a recording against a running daemon, and keeps what came back beside what was recorded.

The order is the recording's: before the client acts, the daemon must have said what the official server had said by
then (`tokens.milestones`), whatever the clock says.
"""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import msgspec

from tests.conformance.live import Answer, Line, Pair, call, pulse, refusal, until
from tests.conformance.names import Names, chosen
from tests.conformance.played import Exchange, Played
from tests.conformance.recorded import Row, frame_of, is_call, is_strange, told_over_http
from tests.conformance.tokens import milestones, questions
from tests.support.daemon import Daemon

PATIENCE: Final = 12.0
"""Seconds for the next thing to happen; the longest pause in a recording is a retry after eight."""

_BAD: Final = frozenset({"bad token"})
"""Notes behind which a masked token is a wrong one."""

_WITHOUT_COOKIE: Final = "upgrade without cookie"
_FOREIGN: Final = "upgrade with foreign Origin"
_OWN: Final = "upgrade with same Origin"
_PINGS: Final = "server pings"
"""Notes that stand for something of which the recording has only the answer."""

_HEARD: Final = 3
"""What of the pings is listened to: the upgrade, and two pings, whose distance is seen by then."""

_RESTARTED: Final = "after restart"
_ENDS: Final = {
    "server killed mid-turn (SIGKILL)": Daemon.kill,
    "graceful stop (SIGTERM) while connected": Daemon.stop,
}
"""Notes behind which the closing of a socket is the end of the server."""


@dataclass(frozen=True)
class Plan:
    """What is known beforehand: words that will not come, rows that count for nothing, outcomes to send in place."""

    waived: frozenset[str] = frozenset()
    left_out: frozenset[int] = frozenset()
    instead: Mapping[int, Any] = field(default_factory=dict)


class Replay:
    """One recording against one daemon."""

    def __init__(self, daemon: Daemon, places: list[tuple[str, str]], plan: Plan) -> None:
        self._daemon = daemon
        self._token = daemon.token
        self._waived = set(plan.waived)
        self._plan = plan
        self._settled: set[str] = set()
        self._names = Names(places)
        self._cookie = ""
        self._news = asyncio.Event()
        self._lines: dict[str, Line] = {}
        self._open: dict[tuple[str, str], Pair] = {}
        self._calls: defaultdict[str, deque[tuple[Row, asyncio.Task[Answer]]]] = defaultdict(deque)
        self._refused: deque[tuple[int, str]] = deque()
        self._note = ""
        self.played = Played(names=self._names)

    async def run(self, rows: tuple[Row, ...]) -> Played:
        await self._prepare(rows)
        try:
            told = told_over_http(rows)
            for row in rows:
                if row["n"] not in self._plan.left_out and not is_strange(row, told):
                    await self._take(row)
            await self._reach("the end")
            await self._settle()
        finally:
            for line in self._lines.values():
                await line.close()
            for waiting in self._calls.values():
                for _, task in waiting:
                    task.cancel()
        return self.played

    async def _prepare(self, rows: tuple[Row, ...]) -> None:
        """Registers the workspaces that the official server had from an earlier recording (`created` false)."""
        asked: dict[str, str] = {}
        ours: set[str] = set()
        for row in rows:
            body = row.get("body")
            if not isinstance(body, dict) or not isinstance(body.get("rpcId"), str):
                continue
            if body.get("method") == "workspace/create":
                asked[body["rpcId"]] = body["payload"]["args"]["request"]["path"]
            elif body["rpcId"] in asked and body["result"].get("ok"):
                workspace = body["result"]["value"]
                if not workspace["created"] and workspace["workspace"]["workspaceId"] not in ours:
                    path = self._names.place(asked[body["rpcId"]])
                    await self._daemon.acall("workspace/create", request={"path": path})
                ours.add(workspace["workspace"]["workspaceId"])

    async def _take(self, row: Row) -> None:
        if row["dir"] == "note":
            await self._noted(row["text"])
        elif row["dir"] == "c2s":
            await self._reach(f"row {row['n']}")
            await self._act(row)
        elif row.get("ch") == "http":
            await self._answered(row)
        elif row.get("ch") == "ws-raw":
            self.played.raw[-1][0].append(_raw(row))
        elif isinstance(frame_of(row), dict):
            self._open[row["client"], row["frame"]["streamId"]].recorded.append(row["frame"])
        elif row.get("event") == "closed":
            await self._ended(row)
        elif self._refused:
            body = row.get("body", "") if row["event"] == "rejected" else ""
            status, text = self._refused.popleft()
            self.played.raw.append(([str(row.get("status", 101)), body], [str(status), text]))

    async def _noted(self, text: str) -> None:
        self._note = text
        port = self._daemon.port
        if text == _WITHOUT_COOKIE:
            self._refused.append(await refusal(port, {}))
        elif text in (_FOREIGN, _OWN):
            origin = "http://evil.example" if text == _FOREIGN else f"http://127.0.0.1:{port}"
            self._refused.append(await refusal(port, {"Cookie": self._cookie, "Origin": origin}))
        elif text.startswith(_PINGS):
            self.played.raw.append(([], await pulse(port, self._cookie, _HEARD, PATIENCE)))
        elif text.startswith(_RESTARTED):
            await asyncio.to_thread(self._daemon.start, port=port)

    async def _act(self, row: Row) -> None:
        client = row["client"]
        if is_call(row):
            asked = partial(call, self._daemon.port, row["method"], *self._request(row), PATIENCE * 2)
            self._calls[client].append((row, asyncio.create_task(asyncio.to_thread(asked), name=row["path"])))
        elif row.get("event") == "connect":
            self._lines[client] = await Line.open(self._daemon.port, {"Cookie": self._cookie}, self._news)
        else:
            await self._send(client, row["frame"])

    def _request(self, row: Row) -> tuple[str, dict[str, str], bytes | None]:
        """(path, headers, body) of a recorded call, for this daemon."""
        token = "A" * 43 if self._note in _BAD else self._token
        path = self._names.place(row["path"].replace("<masked>", token))
        headers = {name: self._names.place(value) for name, value in row["headers"].items() if name != "content-length"}
        if "cookie" in headers:
            headers["cookie"] = self._cookie
        body = row["body"]
        if body is None:
            return path, headers, None
        self._names.pin(*chosen(body))
        if row["n"] in self._plan.instead:
            args = {**body["payload"]["args"], "outcome": self._plan.instead[row["n"]]}
            body = {**body, "payload": {"args": args}}
        sent = body.encode() if isinstance(body, str) else msgspec.json.encode(self._names.request(body))
        return path, headers, sent

    async def _answered(self, row: Row) -> None:
        request, task = self._calls[row["client"]].popleft()
        try:
            live = await task
        except TimeoutError:
            live = None
        if live is not None:
            self._cookie = live.headers.get("set-cookie", self._cookie).partition(";")[0]
            self._names.learn(row["body"], live.body)
            self._names.learn_ends(row["body"], live.body)
        self.played.exchanges.append(Exchange(request, row, live))

    async def _send(self, client: str, frame: Any) -> None:
        line = self._lines[client]
        if not isinstance(frame, dict):
            await line.connection.send(b"\x01\x02" if frame.startswith("<binary") else frame)
            return
        if frame["type"] == "open":
            pair = Pair(client, frame["endpoint"])
            self.played.pairs.append(pair)
            self._open[client, frame["streamId"]] = line.streams[frame["streamId"]] = pair
        await line.connection.send(msgspec.json.encode(self._names.request(frame)).decode())

    async def _ended(self, row: Row) -> None:
        """A socket that the server closed is waited for; one that the client closed is closed."""
        line = self._lines.get(row["client"])
        if line is None:
            return
        if row["code"] == 1000:
            await self._reach(f"row {row['n']}")
            if not any(later for later in self._calls[row["client"]]):
                await self._settle()
            await line.close()
            return
        if self._note in _ENDS:
            await self._reach(f"row {row['n']}")
            await self._settle()
            await asyncio.to_thread(_ENDS[self._note], self._daemon)
        await until(lambda: line.closed is not None, self._news, PATIENCE)
        self.played.closed.append(((row["code"], row["reason"]), line.closed))

    async def _reach(self, where: str) -> None:
        """Waits until every open stream has said what it had said in the recording by now."""
        for pair in self.played.pairs:
            line = self._lines[pair.client]
            if line.closed is not None or pair not in line.streams.values():
                continue
            due = milestones(pair.endpoint, pair.recorded) + questions(pair.recorded)
            if not await self._comes(pair, due):
                for word in self._lacks(pair, due):
                    self.played.waited.append(f"{where}: {word} on {pair.endpoint}")
                    self._waived.add(word)
            self._names.learn_stream(pair.endpoint, pair.recorded, pair.live)

    async def _comes(self, pair: Pair, due: Counter[str]) -> bool:
        def come() -> bool:
            return not self._lacks(pair, due) or bool(self._surplus())

        while await until(come, self._news, PATIENCE):
            if not self._surplus():
                return True
            await self._settle_surplus()
        return False

    def _surplus(self) -> list[tuple[str, Mapping[str, Any]]]:
        """(client id, what is asked): what the daemon asks and the official server had not asked by now."""
        found: list[tuple[str, Mapping[str, Any]]] = []
        for pair in self.played.pairs:
            recorded, live = ([f["value"] for f in side if _is_waterfall(f)] for side in (pair.recorded, pair.live))
            found += [(pair.live[0]["value"]["clientId"], asked) for asked in live[len(recorded) :]]
        return [one for one in found if one[1]["eventId"] not in self._settled]

    async def _settle_surplus(self) -> None:
        """Answers so that the turn goes on as it did: there a sandbox refused a file, and let a command start."""
        for client, asked in self._surplus():
            self._settled.add(asked["eventId"])
            value = "allowed-once" if asked["request"].get("toolName") == "run_command" else "rejected"
            args = {"clientId": client, "eventId": asked["eventId"], "outcome": {"kind": "result", "value": value}}
            await asyncio.to_thread(self._daemon.result, "$events/result", **args)

    def _lacks(self, pair: Pair, due: Counter[str]) -> list[str]:
        missing = due - milestones(pair.endpoint, pair.live)
        return [word for word in missing if word not in self._waived]

    def _told(self, session: str, values: Mapping[str, Any]) -> bool:
        return self.played.known(session) == values

    async def _settle(self) -> None:
        """Waits until the control stream has said all that is so: its values are those of the sessions."""
        control = self.played.last_control()
        if control is None or self._lines[control.client].closed is not None:
            return
        for session in sorted(self.played.told_sessions()):
            answer = await asyncio.to_thread(self._daemon.result, "session/projections", request={"sessionId": session})
            if answer["ok"]:
                values = answer["value"]["values"]
                self.played.state[session] = values
                await until(partial(self._told, session, values), self._news, 3.0)


def _is_waterfall(frame: Mapping[str, Any]) -> bool:
    return bool(frame["type"] == "item" and frame["value"]["type"] == "waterfall")


def _raw(row: Row) -> str:
    if row["eof"]:
        return "end"
    return str(row["hex"].split()[1] if row["hex"].startswith("HTTP") else row["hex"])
