"""What a person may do about the goal of a session, with what it means for the agent's turns (WIRE 10.3)."""

from collections.abc import Mapping
from typing import Any

from hd.agent.agent import Agent

Ref = Mapping[str, Any]


async def create(agent: Agent, objective: str, max_rounds: int | None = None) -> dict[str, Any]:
    """A new goal, whose first round starts at once, or when the running turn is over."""
    agent.pursuit.create(objective, max_rounds)
    agent.wake()
    return await _kept(agent)


async def edit(agent: Agent, ref: Ref, objective: str | None, max_rounds: int | None) -> dict[str, Any]:
    agent.pursuit.edit(ref, objective, max_rounds)
    return await _kept(agent)


async def pause(agent: Agent, ref: Ref) -> dict[str, Any]:
    """Stops the round that runs; a turn that a person asked for goes on."""
    agent.pursuit.pause(ref)
    await _stop_round(agent)
    return await _kept(agent)


async def resume(agent: Agent, ref: Ref) -> dict[str, Any]:
    agent.pursuit.resume(ref)
    agent.wake()
    return await _kept(agent)


async def complete(agent: Agent, ref: Ref) -> dict[str, Any]:
    """The round that runs comes to its own end; none follows."""
    agent.pursuit.complete(ref)
    return await _kept(agent)


async def clear(agent: Agent, ref: Ref) -> dict[str, Any]:
    """Gives the ref of what is gone. A round that runs is stopped: it has nothing left to work for."""
    cleared = agent.pursuit.clear(ref)
    await _stop_round(agent)
    await agent.session.written(durable=True)
    return cleared


async def _stop_round(agent: Agent) -> None:
    if agent.pursuit.in_round:
        await agent.cancel()


async def _kept(agent: Agent) -> dict[str, Any]:
    """The goal as this change left it, once that is on disk: a round may have begun by then."""
    goal = agent.pursuit.wire() or {}
    agent.session.save_projections()
    await agent.session.written(durable=True)
    return goal
