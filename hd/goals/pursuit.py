"""Who pursues the goal of one session: keeps whether it is armed, and gives the next round when a turn is over.

Armed means that rounds start by themselves. That is no fact of the log: a daemon that starts finds every goal parked,
and a person's cancel parks it, until somebody resumes it.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from hd.goals import changes
from hd.goals.changes import Change
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import text_block, user_message
from hd.protocol.projections.goal import Goal
from hd.protocol.projections.inbox import Inbox
from hd.session.live import LiveSession
from hd.session.registry import Announce

ACTIVATION = "goal/activation-changed"


class Pursuit:
    """The goal of one session. Every change is recorded at once; what it means for the turn is the agent's matter."""

    def __init__(self, session: LiveSession, announce: Announce) -> None:
        self._session = session
        self._announce = announce
        goal = self._goal
        self._parked = None if goal is None else goal.id
        self._told: tuple[str, int] | None = None

    @property
    def _goal(self) -> Goal | None:
        goal: Goal | None = self._session.value("goal").goal
        return goal

    @property
    def in_round(self) -> bool:
        """Whether the running turn is a round."""
        return bool(self._session.value("goal").in_round)

    @property
    def armed(self) -> bool:
        goal = self._goal
        return goal is not None and goal.phase == "active" and goal.id != self._parked

    def wire(self) -> dict[str, Any] | None:
        """The goal as `goals/*` answer it; None without one."""
        goal = self._goal
        if goal is None:
            return None
        return {
            **goal.to_wire(),
            "roundsStarted": goal.rounds,
            "createdAt": goal.created_at,
            "updatedAt": goal.updated_at,
            "activation": "armed" if self.armed else "disarmed",
        }

    def create(self, objective: str, max_rounds: int | None = None) -> None:
        self._record(changes.create(self._goal, objective, max_rounds, self._session.now()))

    def edit(self, ref: Mapping[str, Any], objective: str | None, max_rounds: int | None) -> None:
        self._record(changes.edit(changes.checked(self._goal, ref), objective, max_rounds, self._session.now()))

    def pause(self, ref: Mapping[str, Any]) -> None:
        self._record(changes.pause(changes.checked(self._goal, ref), self._session.now()))

    def resume(self, ref: Mapping[str, Any]) -> None:
        change = changes.resume(changes.checked(self._goal, ref), self._session.now())
        self._parked = None
        self._record(change)

    def complete(self, ref: Mapping[str, Any]) -> None:
        self._record(changes.complete(changes.checked(self._goal, ref), self._session.now()))

    def clear(self, ref: Mapping[str, Any]) -> dict[str, Any]:
        """Gives the ref of what is gone."""
        change = changes.clear(changes.checked(self._goal, ref), self._session.now())
        self._record(change)
        return dict(change["cleared"])

    def park(self) -> None:
        """No further round starts by itself until somebody resumes the goal."""
        goal = self._goal
        if goal is not None:
            self._parked = goal.id
        self._tidy()
        self._tell()

    def advance(self) -> bool:
        """After a completed turn: puts the next round into the inbox, or blocks a goal that has no rounds left.

        Says whether there is a round to run.
        """
        self._tidy()
        goal = self._goal
        if goal is None or not self.armed:
            self._tell()
            return False
        if goal.rounds >= goal.max_rounds:
            text = f"All {goal.max_rounds} rounds were used without reaching the goal."
            self._record(changes.block(goal, changes.ROUND_LIMIT, text, self._session.now()))
            return False
        self._tell()
        waiting: Inbox = self._session.value("inbox")
        data = {"target": "next-turn", "start": len(waiting.next_turn), "inserted": [_round(goal)]}
        self._session.record(Draft(ev.AGENT_INBOX_SPLICED, data))
        return True

    def _record(self, change: Change) -> None:
        self._session.record(Draft(ev.GOAL_CHANGE, change))
        self._tidy()
        self._tell()

    def _tidy(self) -> None:
        """Takes rounds out of the inbox that the goal, as it is now, does not ask for."""
        goal = self._goal if self.armed else None
        waiting: Inbox = self._session.value("inbox")
        stale = [place for place, message in enumerate(waiting.next_turn) if _is_stale(message, goal)]
        # From the end, so that each place still counts when its turn comes.
        for place in reversed(stale):
            data = {"target": "next-turn", "start": place, "removedCount": 1, "inserted": [], "outcome": "canceled"}
            self._session.record(Draft(ev.AGENT_INBOX_SPLICED, data))

    def _tell(self) -> None:
        """Tells every client when the goal was armed, disarmed, or changed while armed."""
        goal = self._goal
        now = (goal.id, goal.revision) if goal is not None and self.armed else None
        if now == self._told:
            return
        self._told = now
        told: dict[str, Any] = {"sessionId": self._session.id}
        if goal is not None:
            activation = "armed" if now is not None else "disarmed"
            told["goal"] = {"id": goal.id, "revision": goal.revision, "activation": activation}
        self._announce(ACTIVATION, [told])


def _is_stale(message: Mapping[str, Any], goal: Goal | None) -> bool:
    source = message.get("source") or {}
    if source.get("kind") != "goal":
        return False
    return goal is None or (source.get("goalId"), source.get("revision")) != (goal.id, goal.revision)


def _round(goal: Goal) -> dict[str, Any]:
    number = goal.rounds + 1
    text = files(__package__).joinpath("round.md").read_text(encoding="utf-8").strip()
    said = text.format(round=number, limit=goal.max_rounds, objective=goal.objective)
    source = {"kind": "goal", "goalId": goal.id, "revision": goal.revision, "round": number}
    return user_message([text_block(said)], source)
