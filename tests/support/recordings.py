"""Recordings of official harnesses, which lie beside the repository and are never copied into it."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

RECORDINGS = Path(__file__).parents[3] / "shared" / "recordings"
VERSIONS = ("0.1.5-rc.1", "0.2.1-rc.2")


@dataclass
class RecordedStream:
    """A stream of a recording; `error` and `ended` say how it went on after its items."""

    client: str
    endpoint: str
    args: Mapping[str, Any]
    items: list[Any] = field(default_factory=list)
    error: Mapping[str, Any] | None = None
    ended: bool = False

    @property
    def session_id(self) -> str | None:
        address = (self.args.get("request") or {}).get("address") or {}
        found = address.get("sessionId") or address.get("childSessionId")
        return found if isinstance(found, str) else None


@dataclass(frozen=True, eq=False)
class Arrival:
    """What one client saw, in the order in which it saw it.

    `item` is an item of `stream`; `listed` the answer of `session/list`; `answered` the id of an ask whose answer the
    host took; `prompted` the request id, the text and the session of a prompt that was sent.
    """

    client: str
    kind: Literal["item", "listed", "answered", "prompted"]
    value: Any
    stream: RecordedStream | None = None


@dataclass
class Recording:
    """What a host sent: the streams in the order of their opening, the results of calls by method, and all in order."""

    streams: list[RecordedStream] = field(default_factory=list)
    results: dict[str, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    arrivals: list[Arrival] = field(default_factory=list)

    @staticmethod
    def load(version: str, name: str) -> "Recording":
        """Reads `name` (as `05_shell_turn`); the test is skipped, and says so, where the recordings are not there."""
        path = RECORDINGS / version / f"{name}.jsonl"
        if not path.exists():
            pytest.skip(f"the recordings are not at {RECORDINGS}: {version}/{name} was NOT replayed")
        found = Recording()
        live: dict[tuple[str, str], RecordedStream] = {}
        calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for line in path.read_text().splitlines():
            found._take(json.loads(line), live, calls)
        return found

    def _take(
        self,
        row: Mapping[str, Any],
        live: dict[tuple[str, str], RecordedStream],
        calls: dict[str, tuple[str, Mapping[str, Any]]],
    ) -> None:
        frame, body, client = row.get("frame"), row.get("body"), row.get("client", "")
        if isinstance(frame, dict) and isinstance(frame.get("streamId"), str):
            key = (client, frame["streamId"])
            if row["dir"] == "c2s":
                if frame.get("type") == "open" and isinstance((frame.get("payload") or {}).get("args"), dict):
                    live[key] = RecordedStream(client, frame["endpoint"], frame["payload"]["args"])
                    self.streams.append(live[key])
            elif key in live:
                stream = live[key]
                if frame["type"] == "item":
                    stream.items.append(frame["value"])
                    self.arrivals.append(Arrival(client, "item", frame["value"], stream))
                else:
                    stream.ended, stream.error = True, frame.get("error")
        elif isinstance(body, dict) and isinstance(body.get("rpcId"), str):
            if body.get("type") == "client-request":
                self._called(client, body, calls)
            elif body.get("type") == "server-response" and body["rpcId"] in calls:
                method, args = calls[body["rpcId"]]
                self.results[method].append(body["result"])
                self._answered(client, method, args, body["result"])

    def _called(self, client: str, body: Mapping[str, Any], calls: dict[str, tuple[str, Mapping[str, Any]]]) -> None:
        payload = body.get("payload")
        args = payload.get("args") if isinstance(payload, dict) else None
        calls[body["rpcId"]] = (str(body.get("method")), args if isinstance(args, dict) else {})
        if body.get("method") == "session/prompt" and isinstance(args, dict):
            request = args["request"]
            text = "".join(block.get("text", "") for block in request.get("content", ()))
            self.arrivals.append(Arrival(client, "prompted", (request.get("requestId"), text, request["sessionId"])))

    def _answered(self, client: str, method: str, args: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        if result["ok"] and method == "$events/result":
            self.arrivals.append(Arrival(client, "answered", args["eventId"]))
        elif result["ok"] and method == "session/list":
            self.arrivals.append(Arrival(client, "listed", result["value"]))

    def clients(self) -> list[str]:
        """Those that opened a stream, in the order in which they came."""
        return list(dict.fromkeys(stream.client for stream in self.streams))

    def seen_by(self, client: str) -> list[Arrival]:
        return [arrival for arrival in self.arrivals if arrival.client == client]

    def follows(self) -> list[RecordedStream]:
        """The followed sessions that were sent at least a snapshot."""
        return [stream for stream in self.streams if stream.endpoint == "session/follow" and stream.items]


def every_recording() -> list[tuple[str, str]]:
    """(version, name) of all that are there; one made-up entry otherwise, so that a test can say that they are not."""
    found = [(path.parent.name, path.stem) for version in VERSIONS for path in _files(version)]
    return sorted(found) or [(VERSIONS[0], "04_text_turn")]


def _files(version: str) -> Iterator[Path]:
    return (RECORDINGS / version).glob("*.jsonl")
