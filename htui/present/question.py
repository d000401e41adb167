"""Answering questions of the model: a pure state that keys move (CLIENT 3).

Several questions are answered one after the other and sent together. The last choice of each is to answer in one's own
words; a question without options has only that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from htui.present.safe import one_line, safe

CANCELLED: Mapping[str, Any] = {
    "kind": "rejected",
    "error": {
        "name": "UserQuestionError",
        "message": "the user cancelled ask_user_question",
        "code": "ASK_CANCELLED",
    },
}


@dataclass(frozen=True, slots=True)
class Option:
    """`label` is what is sent back, the shown texts are safe."""

    label: str
    shown: str
    description: str


@dataclass(frozen=True, slots=True)
class Question:
    """`approve` is the label that agrees to a plan, where the question is the review of one (WIRE 5.4)."""

    id: str
    text: str
    header: str
    detail: str
    options: tuple[Option, ...]
    multiple: bool
    approve: str = ""

    @property
    def other(self) -> str:
        """What the last choice is called."""
        if self.approve:
            return "Keep planning, with a comment …"
        return "Other answer …" if self.options else "Write the answer …"


@dataclass(frozen=True, slots=True)
class Asking:
    """`index` is the question at hand, `cursor` the highlighted choice, `chosen` the toggled ones of a multiple choice.

    `writing` means that the answer is written in the composer. `answers` are those of the questions before.
    """

    questions: tuple[Question, ...]
    index: int = 0
    cursor: int = -1
    chosen: frozenset[int] = frozenset()
    writing: bool = False
    answers: tuple[Mapping[str, Any], ...] = ()

    @property
    def question(self) -> Question:
        return self.questions[min(self.index, len(self.questions) - 1)]

    @property
    def done(self) -> bool:
        return self.index >= len(self.questions)

    @property
    def outcome(self) -> Mapping[str, Any]:
        """What is sent when all are answered."""
        return {"kind": "result", "value": {"answers": [dict(answer) for answer in self.answers]}}


def begin(request: Mapping[str, Any]) -> Asking:
    """The state for the request of a `user-questions/request`."""
    wire = request.get("questions")
    found = tuple(_question(q) for q in wire if isinstance(q, Mapping)) if isinstance(wire, Sequence) else ()
    return _at(Asking(found), 0)


def press(state: Asking, key: str) -> Asking:
    """The state after a key: digits, `up`, `down`, `space`, `enter`. Keys without a meaning give it back as it is."""
    if state.done or state.writing:
        return state
    count = len(state.question.options) + 1
    if key in ("up", "down"):
        step = 1 if key == "down" else -1
        return replace(
            state, cursor=(state.cursor + step) % count if state.cursor >= 0 else (0 if step > 0 else count - 1)
        )
    if len(key) == 1 and key.isdigit() and 1 <= int(key) <= count:
        return _pick(replace(state, cursor=int(key) - 1), confirm=not state.question.multiple)
    if key == "space" and state.cursor >= 0:
        return _pick(state, confirm=False)
    if key == "enter":
        return _confirm(state)
    return state


def write(state: Asking, text: str) -> Asking:
    """The question at hand answered in one's own words, beside what was chosen."""
    return _answered(state, custom=text)


def approves(before: Asking, after: Asking) -> bool:
    """Whether a plan was agreed to between the two states."""
    approve = before.question.approve
    return bool(approve) and len(after.answers) > len(before.answers) and approve in after.answers[-1]["selected"]


def back(state: Asking) -> Asking:
    """Back from writing to the choices."""
    return replace(state, writing=False) if state.writing else state


def _pick(state: Asking, *, confirm: bool) -> Asking:
    if state.cursor == len(state.question.options):
        return replace(state, writing=True)
    if state.question.multiple:
        return replace(state, chosen=state.chosen ^ {state.cursor})
    return _answered(replace(state, chosen=frozenset({state.cursor}))) if confirm else state


def _confirm(state: Asking) -> Asking:
    if state.question.multiple and state.chosen:
        return replace(state, writing=True) if state.cursor == len(state.question.options) else _answered(state)
    return state if state.cursor < 0 or state.question.multiple else _pick(state, confirm=True)


def _answered(state: Asking, custom: str = "") -> Asking:
    options, approve = state.question.options, state.question.approve
    selected = [options[i].label for i in sorted(state.chosen)]
    if custom and approve and not selected:
        selected = [option.label for option in options if option.label != approve][:1]
    answer: dict[str, Any] = {"id": state.question.id, "selected": selected}
    if custom:
        answer["custom"] = custom
    return _at(replace(state, answers=(*state.answers, answer)), state.index + 1)


def _at(state: Asking, index: int) -> Asking:
    return replace(state, index=index, cursor=-1, chosen=frozenset(), writing=False)


def _question(wire: Mapping[str, Any]) -> Question:
    options, intent = wire.get("options"), wire.get("intent")
    review = isinstance(intent, Mapping) and intent.get("kind") == "plan-review"
    return Question(
        id=str(wire.get("id")),
        text=safe(str(wire.get("question") or "")),
        header=one_line(str(wire.get("header") or ""), 80),
        detail=str(wire.get("detail") or ""),
        options=tuple(_option(o) for o in options if isinstance(o, Mapping)) if isinstance(options, list) else (),
        multiple=bool(wire.get("multiSelect", wire.get("multi_select"))),
        approve=str(intent.get("approve") or "Approve") if review and isinstance(intent, Mapping) else "",
    )


def _option(wire: Mapping[str, Any]) -> Option:
    label = str(wire.get("label") or "")
    return Option(label, one_line(label, 200), one_line(str(wire.get("description") or ""), 400))
