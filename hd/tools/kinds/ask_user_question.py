"""ask_user_question: questions that only the person can answer."""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hd.protocol.tools import ToolSpec
from hd.tools.arguments import Arguments, decode, schema
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext


class Option(Arguments, frozen=True):
    label: Annotated[str, Meta(min_length=1, description="The answer, in a few words.")]
    description: Annotated[str, Meta(description="What choosing it means.")] | None = None


class Question(Arguments, frozen=True):
    id: Annotated[str, Meta(min_length=1, description="Comes back with the answer.")]
    question: Annotated[str, Meta(min_length=1)]
    header: Annotated[str, Meta(description="One to three words.")] | None = None
    options: list[Option] | None = None
    multi_select: Annotated[bool, Meta(description="Whether several options may be chosen.")] = False


class AskUserQuestionArguments(Arguments, frozen=True):
    questions: Annotated[list[Question], Meta(min_length=1)]


class AskUserQuestion:
    def __init__(self) -> None:
        self.spec = ToolSpec(
            name="ask_user_question",
            description=files("hd.tools.kinds").joinpath("ask_user_question.md").read_text(encoding="utf-8").strip(),
            parameters=schema(AskUserQuestionArguments),
        )

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        questions = _parsed(arguments)
        summary = "ask a question" if len(questions) == 1 else f"ask {len(questions)} questions"
        return Plan(Access.TALK, summary, detail="\n".join(one.question for one in questions))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        answers = await context.ask([_to_wire(one) for one in _parsed(arguments)])
        return Outcome(msgspec.json.encode(answers).decode())


def _parsed(arguments: Mapping[str, Any]) -> list[Question]:
    questions = decode(AskUserQuestionArguments, arguments).questions
    if twice := _repeated(one.id for one in questions):
        raise InvalidArguments(f"Each question needs an `id` of its own; {twice} stands more than once.")
    for one in questions:
        if twice := _repeated(option.label for option in one.options or ()):
            raise InvalidArguments(f"The options of {one.id} need labels of their own; {twice} stands more than once.")
    return questions


def _repeated(names: Iterable[str]) -> str:
    return ", ".join(name for name, times in Counter(names).items() if times > 1)


def _to_wire(question: Question) -> dict[str, Any]:
    """As clients get it (WIRE 5.4): what was not given is left out."""
    wire: dict[str, Any] = {"id": question.id, "question": question.question}
    if question.header:
        wire["header"] = question.header
    if question.options:
        wire["options"] = [
            {"label": one.label, **({"description": one.description} if one.description else {})}
            for one in question.options
        ]
    if question.multi_select:
        wire["multiSelect"] = True
    return wire
