"""A session that is followed, and the address that hosts want for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hd.protocol import codes
from htui.errors import HtuiError, Lagging, ProtocolBroken, RemoteError
from htui.mirror import SessionEntry, SessionMirror

WINDOW = 80
"""Messages of a snapshot and of a page."""

SUBAGENT = "subagent"
UNAUTHORIZED = "subagent/unauthorized"


@dataclass(eq=False, slots=True)
class Following:
    """`form` is the place in `addresses` of the form that the host took last."""

    mirror: SessionMirror
    addresses: tuple[Mapping[str, Any], ...] = ()
    form: int = 0
    paging: bool = False

    @property
    def address(self) -> Mapping[str, Any]:
        return self.addresses[self.form]

    def next_form(self) -> bool:
        """Goes on to the next form; False when there is none left."""
        if self.form + 1 >= len(self.addresses):
            return False
        self.form += 1
        return True

    def follow_request(self) -> dict[str, Any]:
        return {"address": self.address, "maxMessages": WINDOW, "assistantStream": True}

    def page_request(self) -> dict[str, Any]:
        mirror = self.mirror
        return {
            "address": self.address,
            "throughSeq": mirror.cursor,
            "beforeSeq": mirror.first_seq,
            "maxMessages": WINDOW,
        }


def addresses(session_id: str, entry: SessionEntry | None) -> tuple[Mapping[str, Any], ...]:
    """The forms to try in order: children of an agent have one of their own, in two modes (WIRE 7.1)."""
    if entry is None or entry.origin != SUBAGENT or entry.parent is None:
        return ({"kind": "session", "sessionId": session_id},)
    child = {"kind": SUBAGENT, "parentSessionId": entry.parent, "childSessionId": session_id}
    return ({**child, "mode": "continuable"}, {**child, "mode": "one-shot"})


def is_lag(error: HtuiError) -> bool:
    """Whether a follower was given up because it was too slow, here or at the host; following again helps."""
    return isinstance(error, Lagging) or (isinstance(error, RemoteError) and error.code == codes.FOLLOWER_LAGGING)


def broken(error: ProtocolBroken) -> ProtocolBroken:
    """Why a session is not followed any more, for its screen."""
    why = error.message[:1].lower() + error.message[1:].rstrip(".")
    return ProtocolBroken(f"What is new here is not shown: {why}; /resume opens the session again.")
