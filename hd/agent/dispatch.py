"""Tool calls: validate, permit, run, bound, record (DESIGN 3), one after the other in the model's order."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec

from hd.agent import outside, repeats
from hd.agent.permission import Grounds, Wish, permit
from hd.errors import HdError, InputInvalid, StoreFull
from hd.permit.approvals import QUESTIONS_REQUEST, by, parse_answers
from hd.permit.reveal import reveal
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.ids import new_id
from hd.protocol.messages import tool_message
from hd.secrets.mask import Mask
from hd.session.live import LiveSession
from hd.tools.base import Access, Asker, InvalidArguments, Outcome, Plan, ToolContext, ToolError
from hd.tools.bounds import bound
from hd.tools.table import ToolTable

_log = logging.getLogger(__name__)

PREVIEW = 300

CUT_CALLS = ToolError(
    "Your answer hit the output limit before this call was complete, so no call of it was run. Do it in smaller parts.",
    name="OutputLimitError",
    code="OUTPUT_LIMIT",
)

FILTERED = ToolError(
    "The provider's content filter cut this answer, so nothing of it was run. Ask in another way.",
    name="ContentFilterError",
    code="CONTENT_FILTER",
)


ContextFor = Callable[[LiveSession, str, Asker], ToolContext]
"""The world as one call of a session may touch it: session, call id, and how to ask its person."""


MaskFor = Callable[[LiveSession], Mask]
"""What must not be shown of a session's surroundings, as of now; it looks at files, so it blocks."""


class Neighbours(Protocol):
    """What goes on beside the calls of a turn. Neither method raises; a cancelled caller waits for its end."""

    async def calls_begin(self, session: LiveSession) -> None:
        """Before the calls of a step."""
        ...

    async def turn_over(self, session: LiveSession) -> None:
        """Before the end of a turn is recorded: ends what its calls left running."""
        ...


@dataclass(frozen=True, slots=True)
class Bench:
    """What dispatch works with."""

    tools: ToolTable
    grounds: Grounds
    context_for: ContextFor
    mask_for: MaskFor
    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the model: `arguments` is its JSON text."""

    id: str
    name: str
    arguments: str


class Dispatch:
    """The calls of one step."""

    def __init__(self, session: LiveSession, bench: Bench, turn: int, step: int) -> None:
        self._session = session
        self._bench = bench
        self._where = {"turn": turn, "step": step}

    async def run(self, calls: Sequence[Call]) -> ToolError | None:
        """Runs all calls; an error when the person stopped the turn at one of them, and those behind it were not run.

        Cancelled in the middle it leaves the open ones to whoever closes the turn.
        """
        await self._bench.neighbours.calls_begin(self._session)
        for place, call in enumerate(calls):
            seq = self._begin(call)
            # The call is on disk before it takes effect, so that after a kill it is known as begun and never repeated.
            await self._session.written(durable=True)
            outcome, error = await self._outcome(call)
            self._finish(call, seq, *await self._masked(outcome, error))
            if isinstance(error, repeats.Stopped):
                self.refuse(calls[place + 1 :], error)
                await self._session.written(durable=True)
                return error
        await self._session.written(durable=True)
        return None

    def refuse(self, calls: Sequence[Call], error: ToolError) -> None:
        """Answers all calls with an error without running any."""
        for call in calls:
            self._finish(call, self._begin(call), None, error)

    def _begin(self, call: Call) -> int:
        data = {**self._where, "callId": call.id, "name": call.name, "arguments": call.arguments}
        (event,) = self._session.record(Draft(ev.TOOL_CALL, data))
        return event.seq

    def _finish(self, call: Call, seq: int, outcome: Outcome | None, error: ToolError | None) -> None:
        text = outcome.text if outcome is not None else f"Error: {error.message if error else 'no result'}"
        told = repeats.note(self._session.value("repeats").last)
        data: dict[str, Any] = {
            **self._where,
            "message": tool_message(call.id, bound(text) + told, is_error=error is not None),
        }
        if error is not None:
            data["error"] = {"name": error.name, "code": error.code}
        drafts: list[Draft] = []
        if outcome is not None:
            drafts += [Draft(kind, body) for kind, body in outcome.events]
            if outcome.meta is not None:
                data["meta"] = outcome.meta
        self._session.record(*drafts, Draft(ev.TOOL_RESULT, data, "append", (seq,)))

    async def _outcome(self, call: Call) -> tuple[Outcome | None, ToolError | None]:
        try:
            return await self._perform(call), None
        except ToolError as error:
            return None, error
        except StoreFull:
            raise
        except HdError as error:
            return None, ToolError(error.message, name=type(error).__name__, code=error.code)
        except Exception as error:
            _log.exception("the tool %s failed", call.name)
            text = (
                f"The tool {call.name} failed with an internal error ({type(error).__name__}). Nothing else is known."
            )
            return None, ToolError(text, name="InternalError", code="TOOL_DEFECT")

    async def _masked(
        self, outcome: Outcome | None, error: ToolError | None
    ) -> tuple[Outcome | None, ToolError | None]:
        """The same without the secret values of the workspace: neither the log nor the model ever holds them."""
        mask = await asyncio.to_thread(self._bench.mask_for, self._session)
        if not mask:
            return outcome, error
        if outcome is not None:
            outcome = replace(outcome, text=mask.hide(outcome.text), meta=mask.hide_in(outcome.meta))
        if error is not None:
            error = ToolError(mask.hide(error.message), name=error.name, code=error.code)
        return outcome, error

    async def _perform(self, call: Call) -> Outcome:
        tool = self._bench.tools.get(call.name)
        if tool is None:
            known = ", ".join(spec.name for spec in self._bench.tools.specs())
            raise ToolError(
                f"There is no tool {call.name!r}. There are: {known}.", name="ToolNotFoundError", code="UNKNOWN_TOOL"
            )
        arguments = decode_arguments(call)
        context = self._bench.context_for(self._session, call.id, self._asker(call))
        plan = await asyncio.to_thread(tool.plan, arguments, context)
        if plan.access not in (Access.READ, Access.TALK):
            await self._unmasked(arguments)
        await self._repeated(call, plan)
        wish = Wish(call.id, tool, arguments, plan, context)
        grounds = self._bench.grounds
        mode = await permit(self._session, grounds, wish)
        try:
            return await outside.run(self._session, grounds, wish, mode)
        finally:
            # However the call ended: what it changed on disk is a fact.
            if (changes := context.traced()) is not None:
                self._session.record(Draft(ev.UNDO_CHANGED, changes))

    async def _repeated(self, call: Call, plan: Plan) -> None:
        """Asks the person at a call that was made too often; `Stopped` when they do not want it to go on."""
        number = self._session.value("repeats").last
        if not repeats.must_ask(number):
            return
        asked = repeats.question(call.name, number, reveal(plan.summary, one_line=True))
        answer = (await self._asker(call)([asked]))["answers"][0]
        if repeats.GO_ON not in answer["selected"]:
            raise repeats.Stopped

    async def _unmasked(self, arguments: Mapping[str, Any]) -> None:
        """A `ToolError` where the model takes the mark of a hidden value for the value: a file would lose it."""
        mask = await asyncio.to_thread(self._bench.mask_for, self._session)
        marks = mask.worn_in(msgspec.json.encode(arguments).decode()) if mask else []
        if marks:
            raise ToolError(
                f"The arguments hold {', '.join(marks)}, which stands where you were not shown a secret value. Nothing "
                "was done. Leave that part of a file as it is by editing around it, and let programs read the value "
                "from where it is kept.",
                name="SecretError",
                code="MASKED",
            )

    def _asker(self, call: Call) -> Asker:
        async def ask(questions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
            ask_id = new_id()
            asked = [dict(question) for question in questions]
            data = {"id": ask_id, "callId": call.id, "questions": asked}
            self._session.record(Draft(ev.QUESTION_ASKED, data))
            await self._session.written(durable=True)
            request = {"questions": asked}
            people = self._bench.grounds.people
            outcome = await people.ask(self._session.id, QUESTIONS_REQUEST, request, call_id=call.id)
            return self._answers(ask_id, outcome, asked)

        return ask

    def _answers(
        self, ask_id: str, outcome: Mapping[str, Any], asked: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        def decided(how: str, **more: Any) -> None:
            self._session.record(Draft(ev.QUESTION_DECIDED, {"id": ask_id, "outcome": how, **by(outcome), **more}))

        if outcome["kind"] == "rejected":
            decided("rejected")
            error = outcome.get("error") or {}
            raise ToolError(
                str(error.get("message") or "The person did not answer."),
                name=str(error.get("name") or "UserQuestionError"),
                code=str(error.get("code") or "ASK_CANCELLED"),
            )
        try:
            answers = parse_answers(outcome.get("value"), asked)
        except InputInvalid as error:
            decided("unavailable")
            raise ToolError(error.message, name="UserQuestionError", code="ASK_INVALID") from error
        decided("answered", answers=answers["answers"])
        return answers


def decode_arguments(call: Call) -> Mapping[str, Any]:
    """The arguments as an object; `InvalidArguments` says what is wrong with a bounded look at them.

    No arguments at all count as an empty object: some models write nothing for a tool without parameters.
    """
    if not call.arguments.strip():
        return {}
    try:
        decoded = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
        shown = call.arguments[:PREVIEW] + ("…" if len(call.arguments) > PREVIEW else "")
        raise InvalidArguments(f"The arguments are not valid JSON ({error}). They began: {shown}") from error
    if not isinstance(decoded, dict):
        raise InvalidArguments(f"The arguments must be a JSON object, not {type(decoded).__name__}.")
    return decoded
