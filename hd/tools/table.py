"""The tools of a session, in a fixed order: their schemas stand in every request, so they must not move."""

from collections.abc import Iterable

from hd.protocol.tools import ToolSpec
from hd.tools.base import Tool


class ToolTable:
    """Tools by name; ValueError for two of one name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        ordered = sorted(tools, key=lambda tool: tool.spec.name)
        self._tools = {tool.spec.name: tool for tool in ordered}
        if len(self._tools) != len(ordered):
            raise ValueError("two tools have the same name")

    def specs(self) -> list[ToolSpec]:
        """What the model is told, sorted by name."""
        return [tool.spec for tool in self._tools.values()]

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)


def default_tools() -> ToolTable:
    """All tools of the standard session."""
    from hd.tools.kinds.ask_user_question import AskUserQuestion
    from hd.tools.kinds.create_directory import CreateDirectory
    from hd.tools.kinds.delete_file import DeleteFile
    from hd.tools.kinds.edit_file import EditFile
    from hd.tools.kinds.exit_plan_mode import ExitPlanMode
    from hd.tools.kinds.grep import Grep
    from hd.tools.kinds.kill_terminal import KillTerminal
    from hd.tools.kinds.list_files import ListFiles
    from hd.tools.kinds.present import Present
    from hd.tools.kinds.read_command_output import ReadCommandOutput
    from hd.tools.kinds.read_file import ReadFile
    from hd.tools.kinds.read_problems import ReadProblems
    from hd.tools.kinds.rename_file import RenameFile
    from hd.tools.kinds.run_command import RunCommand
    from hd.tools.kinds.run_in_terminal import RunInTerminal
    from hd.tools.kinds.search_files import SearchFiles
    from hd.tools.kinds.task_complete import TaskComplete
    from hd.tools.kinds.update_goal import UpdateGoal
    from hd.tools.kinds.write_file import WriteFile
    from hd.tools.kinds.write_summary import WriteSummary
    from hd.tools.kinds.write_todos import WriteTodos

    return ToolTable(
        (
            AskUserQuestion(),
            CreateDirectory(),
            DeleteFile(),
            EditFile(),
            ExitPlanMode(),
            Grep(),
            KillTerminal(),
            ListFiles(),
            Present(),
            ReadCommandOutput(),
            ReadFile(),
            ReadProblems(),
            RenameFile(),
            RunCommand(),
            RunInTerminal(),
            SearchFiles(),
            TaskComplete(),
            UpdateGoal(),
            WriteFile(),
            WriteSummary(),
            WriteTodos(),
        )
    )
