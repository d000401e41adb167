"""What a recording calls one thing and the running daemon another: ids, paths, seqs (pure)."""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, Final

from tests.conformance.tokens import Frame, token
from tests.conformance.tools import PRESETS, translated

UUID: Final = re.compile(r"(?:[a-z]+-)*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""An id of either side, with the words in front of it (`session-…`, `goal-…`)."""

_SEQS: Final = ("throughSeq", "beforeSeq", "atSeq")


class Names:
    """Recorded → live. Ids are learnt by laying a live answer beside the recorded one; paths are given.

    `places` are (recorded path, live path), the longest first.
    """

    def __init__(self, places: Sequence[tuple[str, str]]) -> None:
        self._places = sorted(places, key=lambda pair: -len(pair[0]))
        self._ids: dict[str, str] = {}
        self._seqs: dict[int, int] = {}

    def learn(self, recorded: Any, live: Any) -> None:
        """Takes the ids that stand at the same place of two like values. What is known already stays."""
        if isinstance(recorded, dict) and isinstance(live, dict):
            for key in recorded.keys() & live.keys():
                self.learn(recorded[key], live[key])
        elif isinstance(recorded, list) and isinstance(live, list):
            for one, other in zip(recorded, live, strict=False):
                self.learn(one, other)
        elif isinstance(recorded, str) and isinstance(live, str) and UUID.fullmatch(recorded):
            self._ids.setdefault(recorded, live)

    def pin(self, *chosen: str) -> None:
        """Ids that the client itself made up: they are the same on both sides."""
        for one in chosen:
            self._ids.setdefault(one, one)

    def learn_stream(self, endpoint: str, recorded: Sequence[Frame], live: Sequence[Frame]) -> None:
        """Lays like frames of a stream beside each other in their order, and takes their ids and ends."""
        known: defaultdict[str, deque[Frame]] = defaultdict(deque)
        for frame in live:
            known[token(endpoint, frame)].append(frame)
        for frame in recorded:
            word = token(endpoint, frame)
            if known[word] and not word.startswith(("chunk", "projection")):
                found = known[word].popleft()
                self.learn(frame, found)
                self.learn_ends(frame, found)

    def learn_ends(self, recorded: Any, live: Any) -> None:
        """Where a page or a snapshot begins and ends: by that a client asks for the page before it."""
        for one, other in zip(ends(recorded), ends(live), strict=False):
            self._seqs[one] = other

    def id(self, recorded: str) -> str:
        return self._ids.get(recorded, recorded)

    def place(self, text: str) -> str:
        """The text with the paths of this run and the ids of this daemon."""
        for recorded, live in self._places:
            text = text.replace(recorded, live)
        return UUID.sub(lambda found: self.id(found[0]), text)

    def request(self, value: Any) -> Any:
        """What the recorded client sent, as it has to be said to the live daemon."""
        if isinstance(value, dict):
            return {key: self._member(key, member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.request(member) for member in value]
        return self.place(value) if isinstance(value, str) else value

    def _member(self, key: str, value: Any) -> Any:
        if key in _SEQS and isinstance(value, int):
            return self._seqs.get(value, value)
        if key == "agentPreset" and value in PRESETS:
            return PRESETS[value][0]
        if key in ("text", "line") and isinstance(value, str):
            return translated(value, self.place)
        return self.request(value)


def ends(value: Any) -> list[int]:
    """(first seq, cursor) of a snapshot or a page."""
    value = (value.get("result") or value) if isinstance(value, dict) else {}
    value = value.get("value") or {}
    records = value.get("records") if isinstance(value, dict) else None
    if not records:
        return []
    return [records[0]["event"]["seq"], value.get("cursor", records[-1]["event"]["seq"])]


def chosen(body: Any) -> list[str]:
    """The ids in a call that the client made up: its own, that of a prompt, that of a session it wants to have."""
    if not isinstance(body, dict):
        return []
    request = ((body.get("payload") or {}).get("args") or {}).get("request") or {}
    names = ("requestId", "sessionId") if body.get("method") == "session/create" else ("requestId",)
    found = [body.get("rpcId"), *(request.get(name) for name in names if isinstance(request, dict))]
    return [one for one in found if isinstance(one, str)]
