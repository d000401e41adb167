"""write_todos: the list of tasks, a fact of the session."""

from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal

from msgspec import Meta

from hd.protocol.events import TODO_WRITE
from hd.protocol.tools import ToolSpec
from hd.tools.arguments import Arguments, decode, schema
from hd.tools.base import Access, InvalidArguments, Outcome, Plan, ToolContext


class Todo(Arguments, frozen=True):
    id: Annotated[str, Meta(min_length=1, description="Stays the same while the list changes.")]
    text: Annotated[str, Meta(min_length=1, description="What will be done.")]
    status: Literal["pending", "in_progress", "completed"]


class WriteTodosArguments(Arguments, frozen=True):
    todos: Annotated[list[Todo], Meta(description="The whole list; an empty one clears it.")]


class WriteTodos:
    def __init__(self) -> None:
        self.spec = ToolSpec(
            name="write_todos",
            description=files("hd.tools.kinds").joinpath("write_todos.md").read_text(encoding="utf-8").strip(),
            parameters=schema(WriteTodosArguments),
        )

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        todos = _parsed(arguments)
        return Plan(Access.TALK, "write the todo list", detail="\n".join(f"[{one.status}] {one.text}" for one in todos))

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        todos = _parsed(arguments)
        listed = [{"id": one.id, "content": one.text, "status": one.status} for one in todos]
        return Outcome(_counted(todos), events=((TODO_WRITE, {"todos": listed}),))


def _parsed(arguments: Mapping[str, Any]) -> list[Todo]:
    todos = decode(WriteTodosArguments, arguments).todos
    twice = [name for name, times in Counter(one.id for one in todos).items() if times > 1]
    if twice:
        raise InvalidArguments(f"Each todo needs an `id` of its own; {', '.join(twice)} stands more than once.")
    return todos


def _counted(todos: list[Todo]) -> str:
    if not todos:
        return "The todo list is empty now."
    times = Counter(one.status for one in todos)
    parts = [f"{times[status]} {status.replace('_', ' ')}" for status in ("completed", "in_progress", "pending")]
    return f"The todo list is written: {', '.join(parts)}."
