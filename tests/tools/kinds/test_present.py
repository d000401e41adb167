"""present: files that are there, by their paths in the workspace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from hd.files.layer import FileLayer
from hd.tools.base import Access, InvalidArguments, ToolContext, ToolError
from hd.tools.kinds.present import Present


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "workspace"
    (workspace / "out").mkdir(parents=True)
    (workspace / "out" / "report.md").write_text("text")
    (workspace / ".env").write_text("A=b")
    (tmp_path / "outside.md").write_text("text")

    async def ask(questions: Any) -> Mapping[str, Any]:
        raise AssertionError("nobody is asked")

    return ToolContext(workspace, FileLayer(workspace), cast(Any, None), ask, "call_1")


async def test_presented_files_are_a_fact_of_the_session(context: ToolContext) -> None:
    arguments = {"files": ["out/report.md", str(context.workspace / "out/report.md")]}
    outcome = await Present().run(arguments, context)
    assert outcome.events == (("deliverables/presented", {"files": [{"path": "out/report.md"}]}),)
    assert outcome.text == "Presented: out/report.md."
    assert Present().plan(arguments, context).access is Access.READ


@pytest.mark.parametrize("path", ["out/gone.md", "out", "../outside.md", ".env", "/etc/hostname"])
async def test_only_files_that_may_be_seen(context: ToolContext, path: str) -> None:
    with pytest.raises(ToolError) as caught:
        await Present().run({"files": ["out/report.md", path]}, context)
    assert caught.value.name == "FsError"


@pytest.mark.parametrize("files", [[], "out/report.md", [""], [1.5]])
def test_arguments_that_do_not_fit_are_refused(context: ToolContext, files: Any) -> None:
    with pytest.raises(InvalidArguments):
        Present().plan({"files": files}, context)
