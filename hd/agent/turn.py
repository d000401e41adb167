"""One turn of an agent: steps until one of them ends it.

A step is everything up to a request, the request, and the calls of its answer. What comes next is decided by
`hd.agent.decide`, each result is a fact in the log.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hd.agent import inbox as box
from hd.agent import request as req
from hd.agent.compaction.compact import Occasion, SummaryUnusable, compact
from hd.agent.compaction.cut import cut
from hd.agent.compaction.prune import prune
from hd.agent.compaction.room import fits, full, next_move
from hd.agent.decide import Claim, EndTurn, RunStep, StepEnd, within_turn
from hd.agent.dispatch import CUT_CALLS, FILTERED, Call, Dispatch
from hd.agent.off_peak import Pause
from hd.agent.outfit import Outfit
from hd.agent.step import Answer, answer
from hd.errors import BudgetReached, ModelUnavailable, ProviderFailed
from hd.ledger.budget import Sending
from hd.llm.base import Model, ProviderError
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import text_of
from hd.protocol.projections.pressure import CONTEXT_FULL
from hd.session.live import LiveSession


class Turn:
    """The next turn of a session. `instructions` stand at the head of its first one."""

    def __init__(self, session: LiveSession, outfit: Outfit, instructions: str | None) -> None:
        self.session = session
        self.number: int = session.value("turn").number + 1
        self._outfit = outfit
        self._instructions = instructions
        self._squeezed = 0
        self._pause = Pause(session, outfit.off_peak, self.number)

    async def run(self, first: Claim) -> tuple[Mapping[str, Any], list[Draft]]:
        """From the start to where it has to end: gives the reason, and what closes its last step."""
        with self._outfit.gate.turn(self.session, self.number):
            return await self._steps(first)

    async def _steps(self, first: Claim) -> tuple[Mapping[str, Any], list[Draft]]:
        step, cut_calls = 0, 0
        claim: Claim | None = first
        before = [Draft(ev.TURN_START, {"turn": self.number})]
        while True:
            step += 1
            end = await self._begin_step(step, claim, before) or await self._step(step)
            cut_calls += end.kind == "cut-calls"
            before = [Draft(ev.STEP_END, {"turn": self.number, "step": step})]
            decision = within_turn(self.session.value("inbox"), step, end, cut_calls)
            if isinstance(decision, RunStep) and await self._pause.waited(step):
                decision = within_turn(self.session.value("inbox"), step, end, cut_calls)
            if isinstance(decision, EndTurn):
                return decision.reason, before
            claim = decision.claim

    async def _begin_step(self, step: int, claim: Claim | None, before: Sequence[Draft]) -> StepEnd | None:
        """Everything up to the request; an end where there will be none.

        A claimed prompt leaves the inbox and enters the log in one record, and nothing in that can fail; what asks the
        outside comes after it, so that a failure there ends a turn that everybody sees.
        """
        session = self.session
        drafts = list(before)
        claimed: list[Mapping[str, Any]] = []
        if claim is not None:
            claimed, splice = box.claim(session.value("inbox"), claim)
            drafts.append(splice)
        drafts.append(Draft(ev.STEP_START, {"turn": self.number, "step": step}))
        drafts += req.opening_messages(
            session.value("history"), self._outfit.system_prompt, self._instructions, self.number
        )
        drafts += req.user_messages(claimed)
        recorded = session.record(*drafts)
        self._pause.entered(claimed)
        selection = self._selection()
        _, model = self._outfit.providers.resolve(selection)
        full = await self._make_room(model.context_window)
        self._tell_request(selection, model)
        self._after_claim(recorded)
        return full

    def _tell_request(self, selection: Mapping[str, Any], model: Model) -> None:
        """Records what the request holds besides the conversation, where that is not in the log yet."""
        session, around = self.session, self._outfit.surroundings
        history, size = session.value("history"), session.value("contextPressure").projected
        session.record(*req.context_message(history, around.sections(session)), *req.tree_message(around.tree(session)))
        goes_on = session.value("cache").continues((selection["provider"], selection["model"]))
        tools = req.settled_tools(history, self._outfit.bench.tools.specs(), goes_on=goes_on)
        session.record(
            *req.guidance_message(session.value("guidance"), tools),
            *req.header_drafts(history, selection, model, tools, size),
        )

    async def _make_room(self, window: int) -> StepEnd | None:
        """Sums up the history where it comes near the window; an end where that does not help any more."""
        pressure, history = self.session.value("contextPressure"), self.session.value("history")
        move = next_move(pressure, window, lambda: cut(history) is not None or prune(history) is not None)
        if move == "compact":
            return await self._compact(window, overflown=False)
        return self._failed(full(pressure, window), CONTEXT_FULL) if move == "stop" else None

    async def _compact(self, window: int, *, overflown: bool) -> StepEnd | None:
        """One compaction; an end where it failed and the request does not fit without it."""
        occasion = Occasion(turn=self.number, overflown=overflown)
        try:
            await compact(self.session, self._outfit.providers.resolve, self._outfit.gate, occasion, window)
        except BudgetReached as error:
            return self._failed(error.message, "BUDGET")
        except (ProviderFailed, SummaryUnusable) as error:
            if overflown or not fits(self.session.value("contextPressure"), window):
                return self._failed(error.message, error.code)
        return None

    def _selection(self) -> dict[str, Any]:
        """What the next request uses. `ModelUnavailable` where nobody can ask the chosen model any more: another one,
        at another price or the scripted one, is for a person to choose."""
        chosen = self.session.value("modelSelection").next or self._outfit.default_selection()
        try:
            return self._outfit.providers.complete(chosen)
        except ModelUnavailable:
            # It may be its effort that is unknown by now.
            return self._outfit.providers.complete({key: chosen.get(key) for key in ("provider", "model")})

    def _after_claim(self, recorded: Sequence[Any]) -> None:
        for event in recorded:
            if event.type == ev.USER_MESSAGE and (event.data.get("source") or {}).get("kind") == "user":
                self._outfit.announce("api-session/activity", [self.session.id, event.time])
                if self.session.value("title").text is None:
                    title = req.title_draft(text_of(event.data.get("content") or ()), event.seq)
                    if title is not None:
                        self.session.record(title)

    async def _step(self, step: int) -> StepEnd:
        try:
            got = await self._ask(step)
        except BudgetReached as error:
            return self._failed(error.message, "BUDGET")
        except ProviderError as error:
            if error.code != "CONTEXT_OVERFLOW" or self._squeezed == step:
                return self._refused(error)
            return await self._squeeze(step, error)
        return await self._act(got, step)

    async def _ask(self, step: int) -> Answer:
        session, gate = self.session, self._outfit.gate
        request = req.build(session.value("history"))
        provider, _ = self._outfit.providers.resolve(session.value("modelSelection").last_used)
        goes_on = session.value("cache").continues((provider.id, request.model))
        sending = Sending(session.value("contextPressure").projected, provider.id, request.model, goes_on)
        passing = partial(gate.passing, session, sending)
        return await answer(session, provider, request, passing, turn=self.number, step=step)

    async def _squeeze(self, step: int, refused: ProviderError) -> StepEnd:
        """After the provider refused a request as too long: one compaction, and the request once more."""
        self._squeezed = step
        selection = self._selection()
        _, model = self._outfit.providers.resolve(selection)
        before = self.session.value("history")
        failed = await self._compact(model.context_window, overflown=True)
        if failed is not None or self.session.value("history") is before:
            return failed or self._refused(refused)
        self._tell_request(selection, model)
        return await self._step(step)

    def _refused(self, error: ProviderError) -> StepEnd:
        self._outfit.announce("api-session/error", [self.session.id, error.message])
        return StepEnd("failed", error.to_wire())

    async def _act(self, got: Answer, step: int) -> StepEnd:
        calls = [Call(str(c["id"]), str(c["name"]), str(c["arguments"])) for c in got.calls]
        if got.finish == "content-filter":
            return self._filtered(calls, step)
        cut = got.finish == "max-tokens"
        if not calls:
            return StepEnd("cut-text" if cut else "finished")
        dispatch = Dispatch(self.session, self._outfit.bench, self.number, step)
        if cut:
            dispatch.refuse(calls, CUT_CALLS)
            return StepEnd("cut-calls")
        if stopped := await dispatch.run(calls):
            return self._failed(stopped.message, stopped.code)
        return StepEnd("finished" if self.session.value("completion").complete else "called")

    def _filtered(self, calls: Sequence[Call], step: int) -> StepEnd:
        """The provider's filter cut the answer: nothing of it is run, and the turn does not look like a success."""
        Dispatch(self.session, self._outfit.bench, self.number, step).refuse(calls, FILTERED)
        return self._failed(FILTERED.message, FILTERED.code)

    def _failed(self, message: str, code: str) -> StepEnd:
        self._outfit.announce("api-session/error", [self.session.id, message])
        return StepEnd("failed", {"message": message, "code": code})
