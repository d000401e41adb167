"""task_complete: the end of work, which is refused while something known is open."""

from collections.abc import Mapping
from typing import Any

from hd.protocol.events import TASK_COMPLETE
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext, ToolError
from hd.tools.kinds import spec_of

_NAMED = 5


class TaskCompleteArguments(Arguments, frozen=True):
    pass


class TaskComplete:
    def __init__(self) -> None:
        self.spec = spec_of("task_complete", TaskCompleteArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        decode(TaskCompleteArguments, arguments)
        return Plan(Access.TALK, "complete the task")

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        decode(TaskCompleteArguments, arguments)
        open_ones = still_open(context.value("completion") or {}, context.value("todos") or ())
        if open_ones:
            raise ToolError(f"The task is not complete. {' '.join(open_ones)}", code="NOT_COMPLETE")
        return Outcome("The task is complete.", {"kind": "complete"}, events=((TASK_COMPLETE, {}),))


def still_open(completion: Mapping[str, Any], todos: Any) -> list[str]:
    """What stands against the end, a sentence each (seed: summary lock, todos, problem lock)."""
    found = []
    errors = (completion.get("problems") or {}).get("errors") or 0
    if errors:
        found.append(
            f"The last check found {errors} error{'s' if errors > 1 else ''} (`{completion['problems']['command']}`): "
            "mend them, then call `read_problems` again."
        )
    undone = [str(todo.get("content", "")) for todo in todos if todo.get("status") != "completed"]
    if undone:
        named = ", ".join(f"“{text}”" for text in undone[:_NAMED]) + (" …" if len(undone) > _NAMED else "")
        found.append(f"Of the todo list {len(undone)} not completed: {named}. Do them, or change the list.")
    if not completion.get("summary"):
        found.append("There is no summary of this turn: call `write_summary` first.")
    return found
