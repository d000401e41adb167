"""One turn of an agent: steps until one of them ends it.

A step is everything up to a request, the request, and the calls of its answer. What comes next is decided by
`hd.agent.decide`, each result is a fact in the log.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hd.agent import inbox as box
from hd.agent import request as req
from hd.agent.decide import Claim, EndTurn, StepEnd, within_turn
from hd.agent.dispatch import CUT_CALLS, FILTERED, Call, Dispatch
from hd.agent.outfit import Outfit
from hd.agent.step import Answer, answer
from hd.errors import ModelUnavailable
from hd.ledger.budget import Refusal, refusal
from hd.llm.base import ProviderError
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import text_of
from hd.session.live import LiveSession


class Turn:
    """The next turn of a session. `instructions` stand at the head of its first one."""

    def __init__(self, session: LiveSession, outfit: Outfit, instructions: str | None) -> None:
        self.session = session
        self.number: int = session.value("turn").number + 1
        self._outfit = outfit
        self._instructions = instructions

    async def run(self, first: Claim) -> tuple[Mapping[str, Any], list[Draft]]:
        """From the start to where it has to end: gives the reason, and what closes its last step."""
        step, cut_calls = 0, 0
        claim: Claim | None = first
        before = [Draft(ev.TURN_START, {"turn": self.number})]
        while True:
            step += 1
            self._begin_step(step, claim, before)
            end = await self._step(step)
            cut_calls += end.kind == "cut-calls"
            before = [Draft(ev.STEP_END, {"turn": self.number, "step": step})]
            decision = within_turn(self.session.value("inbox"), step, end, cut_calls)
            if isinstance(decision, EndTurn):
                return decision.reason, before
            claim = decision.claim

    def _begin_step(self, step: int, claim: Claim | None, before: Sequence[Draft]) -> None:
        """Everything up to the request.

        A claimed prompt leaves the inbox and enters the log in one record, and nothing in that can fail; what asks the
        outside comes after it, so that a failure there ends a turn that everybody sees.
        """
        session, outfit = self.session, self._outfit
        drafts = list(before)
        claimed: list[Mapping[str, Any]] = []
        if claim is not None:
            claimed, splice = box.claim(session.value("inbox"), claim)
            drafts.append(splice)
        drafts.append(Draft(ev.STEP_START, {"turn": self.number, "step": step}))
        drafts += req.opening_messages(session.value("history"), outfit.system_prompt, self._instructions, self.number)
        drafts += req.user_messages(claimed)
        recorded = session.record(*drafts)
        history = session.value("history")
        selection = self._selection()
        _, model = outfit.providers.resolve(selection)
        session.record(
            *req.context_message(history, outfit.sections(session)),
            *req.header_drafts(
                history,
                selection,
                model,
                outfit.bench.tools.specs(),
                session.value("contextPressure").projected or 0,
            ),
        )
        self._after_claim(recorded)

    def _selection(self) -> dict[str, Any]:
        """What the next request uses; the default where the chosen one is no longer to be had."""
        chosen = self.session.value("modelSelection").next
        try:
            return self._outfit.providers.complete(chosen or self._outfit.default_selection())
        except ModelUnavailable:
            return self._outfit.providers.default()

    def _after_claim(self, recorded: Sequence[Any]) -> None:
        for event in recorded:
            if event.type == ev.USER_MESSAGE and event.data["source"].get("kind") == "user":
                self._outfit.announce("api-session/activity", [self.session.id, event.time])
                if self.session.value("title").text is None:
                    title = req.title_draft(text_of(event.data["content"]), event.seq)
                    if title is not None:
                        self.session.record(title)

    async def _step(self, step: int) -> StepEnd:
        if (refused := self._over_budget()) is not None:
            return self._failed(refused.sentence(), "BUDGET")
        request = req.build(self.session.value("history"))
        provider, _ = self._outfit.providers.resolve(self.session.value("modelSelection").last_used)
        try:
            got = await answer(self.session, provider, request, turn=self.number, step=step)
        except ProviderError as error:
            self._outfit.announce("api-session/error", [self.session.id, error.message])
            return StepEnd("failed", error.to_wire())
        return await self._act(got, step)

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

    def _over_budget(self) -> Refusal | None:
        session, chosen = self.session, self.session.value("modelSelection").last_used or {}
        size = session.value("contextPressure").projected or 0
        route = (str(chosen.get("provider")), str(chosen.get("model")))
        return refusal(session.value("cost"), session.value("budget"), size=size, route=route, now=session.now())

    def _failed(self, message: str, code: str) -> StepEnd:
        self._outfit.announce("api-session/error", [self.session.id, message])
        return StepEnd("failed", {"message": message, "code": code})
