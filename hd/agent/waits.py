"""What is recorded of a request that waits, so that people see why nothing comes and when it will.

A provider tells again and again; the log gets one event when a wait becomes worth telling, one when its reason or its
end changes, and one when it is over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hd.llm.base import Waiting
from hd.protocol import events as ev
from hd.protocol.events import Draft

WORTH_TELLING_S: Final = 1.0
"""Waits that are shorter as a whole are over before anybody has read of them."""
SAME_MS: Final = 1000
"""An end that moved by less is the same one."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was last recorded: the reason and the end in ms, where it is known."""

    reason: str
    until_ms: int | None


def news(told: Told | None, waiting: Waiting | None, now_ms: int) -> Told | None:
    """What counts as told after `waiting`; the same object where there is nothing to record."""
    if waiting is None:
        return None
    until = None if waiting.left is None else now_ms + round(waiting.left * 1000)
    if told is not None and told.reason == waiting.reason and abs((told.until_ms or 0) - (until or 0)) < SAME_MS:
        return told
    if told is None and waiting.waited + (waiting.left or 0) < WORTH_TELLING_S:
        return None
    return Told(waiting.reason, until)


class Waits:
    """Records the waits of one step; given to a provider as its `tell`."""

    def __init__(self, record: Callable[[Draft], object], now_ms: Callable[[], int], turn: int, step: int) -> None:
        self._record = record
        self._now_ms = now_ms
        self._where = {"turn": turn, "step": step}
        self._told: Told | None = None

    def __call__(self, waiting: Waiting | None) -> None:
        now = self._now_ms()
        told = news(self._told, waiting, now)
        if told is self._told:
            return
        self._told = told
        waited = 0.0 if waiting is None else waiting.waited
        data = {**self._where, "reason": told and told.reason, "sinceMs": now - round(waited * 1000)}
        if told is not None and told.until_ms is not None:
            data["untilMs"] = told.until_ms
        self._record(Draft(ev.LLM_WAITING, data))
