"""A context for the file tools, and how to call them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from hd.files.layer import FileLayer
from hd.tools.base import Outcome, Plan, Tool, ToolContext, ToolError
from hd.tools.kinds.create_directory import CreateDirectory
from hd.tools.kinds.delete_file import DeleteFile
from hd.tools.kinds.edit_file import EditFile
from hd.tools.kinds.grep import Grep
from hd.tools.kinds.list_files import ListFiles
from hd.tools.kinds.present import Present
from hd.tools.kinds.read_file import ReadFile
from hd.tools.kinds.read_problems import ReadProblems
from hd.tools.kinds.rename_file import RenameFile
from hd.tools.kinds.search_files import SearchFiles
from hd.tools.kinds.write_file import WriteFile

KINDS = (
    ReadFile, WriteFile, EditFile, ListFiles, SearchFiles, Grep, CreateDirectory, RenameFile, DeleteFile, ReadProblems,
    Present,
)  # fmt: skip


class Desk:
    """The tools that take a path, on one workspace and without a runner of commands."""

    def __init__(self, root: Path) -> None:
        async def ask(questions: Any) -> Mapping[str, Any]:
            raise AssertionError("nobody is asked")

        self.root = root
        self.files = FileLayer(root)
        self.context = ToolContext(root, self.files, cast(Any, None), ask, "call_1")
        self.tools: dict[str, Tool] = {tool.spec.name: tool for tool in (kind() for kind in KINDS)}

    def plan(self, name: str, **arguments: Any) -> Plan:
        return self.tools[name].plan(arguments, self.context)

    async def run(self, name: str, **arguments: Any) -> Outcome:
        """The outcome, which must be able to cross the wire."""
        outcome = await self.tools[name].run(arguments, self.context)
        msgspec.json.encode((outcome.text, outcome.meta))
        return outcome

    async def refusal(self, name: str, **arguments: Any) -> ToolError:
        """The error of the run; the plan must give the same or, where only the run can know, none."""
        with pytest.raises(ToolError) as caught:
            await self.run(name, **arguments)
        msgspec.json.encode(caught.value.message)
        return caught.value
