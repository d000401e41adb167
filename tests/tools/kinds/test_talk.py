"""The tools that change nothing outside the session: the todo list, questions and presented files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from hd.tools.base import Access, InvalidArguments, ToolContext, ToolError
from hd.tools.kinds.ask_user_question import AskUserQuestion
from hd.tools.kinds.write_todos import WriteTodos

ANSWERS = {"answers": [{"id": "db", "selected": ["SQLite"], "custom": "with WAL"}]}


class Person:
    """Notes what it is asked and gives one answer."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []

    async def __call__(self, questions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        self.asked.extend(questions)
        return ANSWERS


def context_for(person: Person) -> ToolContext:
    return ToolContext(Path("/"), cast(Any, None), cast(Any, None), person, "call_1")


CONTEXT = context_for(Person())


async def test_the_todo_list_is_a_fact_of_the_session() -> None:
    arguments = {
        "todos": [
            {"id": "1", "text": "read", "status": "completed"},
            {"id": "2", "text": "write", "status": "in_progress"},
            {"id": "3", "text": "test", "status": "pending"},
        ]
    }
    outcome = await WriteTodos().run(arguments, CONTEXT)
    assert outcome.events == (
        (
            "todo/write",
            {
                "todos": [
                    {"id": "1", "content": "read", "status": "completed"},
                    {"id": "2", "content": "write", "status": "in_progress"},
                    {"id": "3", "content": "test", "status": "pending"},
                ]
            },
        ),
    )
    assert outcome.text == "The todo list is written: 1 completed, 1 in progress, 1 pending."
    assert WriteTodos().plan(arguments, CONTEXT).access is Access.TALK
    emptied = await WriteTodos().run({"todos": []}, CONTEXT)
    assert emptied.events == (("todo/write", {"todos": []}),)


@pytest.mark.parametrize(
    "todos",
    [
        None,
        "read",
        [{"id": "1", "text": "read"}],
        [{"id": "1", "text": "read", "status": "done"}],
        [{"id": "1", "text": "", "status": "pending"}],
        [{"id": "1", "text": "a", "status": "pending"}, {"id": "1", "text": "b", "status": "pending"}],
    ],
)
async def test_a_todo_list_that_does_not_fit_is_refused(todos: Any) -> None:
    with pytest.raises(InvalidArguments):
        await WriteTodos().run({"todos": todos}, CONTEXT)


async def test_questions_go_out_as_the_wire_names_them_and_answers_come_back_as_json() -> None:
    person = Person()
    arguments = {
        "questions": [
            {
                "id": "db",
                "question": "Which database?",
                "header": "Database",
                "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
                "multi_select": True,
            },
            {"id": "name", "question": "Which name?"},
        ]
    }
    outcome = await AskUserQuestion().run(arguments, context_for(person))
    assert person.asked == [
        {
            "id": "db",
            "question": "Which database?",
            "header": "Database",
            "options": [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}],
            "multiSelect": True,
        },
        {"id": "name", "question": "Which name?"},
    ]
    assert msgspec.json.decode(outcome.text) == ANSWERS
    plan = AskUserQuestion().plan(arguments, CONTEXT)
    assert (plan.access, plan.summary) == (Access.TALK, "ask 2 questions")


@pytest.mark.parametrize(
    "questions",
    [
        [],
        [{"id": "", "question": "What?"}],
        [{"id": "a"}],
        [{"id": "a", "question": "What?"}, {"id": "a", "question": "Why?"}],
        [{"id": "a", "question": "What?", "options": [{"label": "x"}, {"label": "x"}]}],
        [{"id": "a", "question": "What?", "options": [{"description": "x"}]}],
        [{"id": "a", "question": "What?", "multiSelect": True}],
    ],
)
async def test_questions_that_do_not_fit_are_refused(questions: Any) -> None:
    with pytest.raises(InvalidArguments):
        AskUserQuestion().plan({"questions": questions}, CONTEXT)


async def test_a_question_that_nobody_answers_is_the_asker_s_error() -> None:
    async def refuse(questions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        raise ToolError("the person closed it", code="ASK_CANCELLED")

    context = ToolContext(Path("/"), cast(Any, None), cast(Any, None), refuse, "call_1")
    with pytest.raises(ToolError, match="closed"):
        await AskUserQuestion().run({"questions": [{"id": "a", "question": "What?"}]}, context)
