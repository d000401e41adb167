"""One answer of the model: attempts, their deltas, and what is kept of each (WIRE 7.4, 8.1, 8.3)."""

import asyncio
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Any

from hd.agent.waits import Waits
from hd.llm import retry
from hd.llm.base import Provider, ProviderError, Request
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.protocol.messages import assistant_message
from hd.session.live import Attempt, LiveSession
from hd.session.repair import interrupted_answer


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer that is in the log: the calls in it, and the kind of its finish reason."""

    calls: tuple[dict[str, Any], ...]
    finish: str


Passing = Callable[[], AbstractAsyncContextManager[None]]
"""The gate for one request (`hd.agent.gate`)."""


async def answer(
    session: LiveSession, provider: Provider, request: Request, passing: Passing, *, turn: int, step: int
) -> Answer:
    """Asks the provider until it answers or no retry makes sense; the last `ProviderError` then goes up.

    Every try is a request of its own, which goes through the gate. Cancelled in the middle, it records what was
    received as an interrupted message and lets the cancellation go on.
    """
    failures = 0
    while True:
        async with passing():
            attempt = session.begin_attempt(turn, step)
            try:
                await _receive(attempt, provider, request, Waits(session.record, session.now, turn, step))
            except ProviderError as error:
                _record_failure(session, attempt, error)
                failures += 1
                delay = retry.next_delay(error, failures, random.random())
                if delay is None:
                    raise
                failed = error
            except BaseException:
                _record_interruption(session, attempt, provider, request)
                raise
            else:
                return _record_answer(session, attempt, provider, request)
        await _pause(session, attempt, provider, failed, failures, delay)


async def _receive(attempt: Attempt, provider: Provider, request: Request, waits: Waits) -> None:
    async with aclosing(provider.stream(request, waits)) as batches:
        async for chunks in batches:
            attempt.publish(chunks)


def _record_answer(session: LiveSession, attempt: Attempt, provider: Provider, request: Request) -> Answer:
    blocks = _with_unique_ids(attempt.partial.blocks())
    data: dict[str, Any] = {
        "turn": attempt.turn,
        "step": attempt.step,
        "message": assistant_message(blocks, provider.id, request.model),
    }
    if attempt.partial.usage is not None:
        data["usage"] = attempt.partial.usage
    data["stream"] = attempt.packed()
    (event,) = session.record(Draft(ev.ASSISTANT_MESSAGE, data, "append"))
    attempt.end({"kind": "committed", "eventType": ev.ASSISTANT_MESSAGE, "seq": event.seq})
    calls = tuple(block for block in blocks if block["type"] == "tool-call")
    return Answer(calls, str((attempt.partial.finish or {}).get("kind", "stop")))


def _with_unique_ids(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks whose calls have ids of their own within the message; a result is joined to its call by that id."""
    seen: set[str] = set()
    unique: list[dict[str, Any]] = []
    for block in blocks:
        if block["type"] == "tool-call":
            if not block["id"] or block["id"] in seen:
                block = {**block, "id": f"call_{new_id()}"}
            seen.add(block["id"])
        unique.append(block)
    return unique


def _record_failure(session: LiveSession, attempt: Attempt, error: ProviderError) -> None:
    attempt.publish([{"type": "finish", "reason": {"kind": "error", "failure": error.to_wire()}}])
    data: dict[str, Any] = {"turn": attempt.turn, "step": attempt.step, "stream": attempt.packed()}
    if attempt.partial.usage is not None:
        data["usage"] = attempt.partial.usage
    (event,) = session.record(Draft(ev.ASSISTANT_ATTEMPT, data))
    attempt.end({"kind": "committed", "eventType": ev.ASSISTANT_ATTEMPT, "seq": event.seq})


def _record_interruption(session: LiveSession, attempt: Attempt, provider: Provider, request: Request) -> None:
    drafts = interrupted_answer(attempt.packed(), attempt.turn, attempt.step, provider.id, request.model)
    if not drafts:
        attempt.end({"kind": "abandoned"})
        return
    (event,) = session.record(*drafts)
    attempt.end({"kind": "committed", "eventType": ev.ASSISTANT_MESSAGE, "seq": event.seq})


async def _pause(
    session: LiveSession, attempt: Attempt, provider: Provider, error: ProviderError, failures: int, delay: int
) -> None:
    retry_id = new_id()
    where = {"turn": attempt.turn, "step": attempt.step, "retry": failures}
    session.record(
        Draft(
            ev.LLM_RETRY,
            {
                "retryId": retry_id,
                **where,
                "provider": provider.id,
                "mode": retry.MODE,
                "policyKey": retry.POLICY_KEY,
                "maxRetries": retry.max_retries(error),
                "delayMs": delay,
                "failure": error.to_wire(),
            },
        )
    )
    await asyncio.sleep(delay / 1000)
    session.record(Draft(ev.LLM_RETRY_STARTED, {"retryId": retry_id, **where}))
