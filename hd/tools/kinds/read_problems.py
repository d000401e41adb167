"""read_problems: runs the check that fits the project, and keeps how many errors it found."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hd.files.errors import FileError
from hd.files.layer import FileLayer
from hd.projects.catalogue import Check, Signs, file_check, project_check
from hd.projects.verdict import Verdict, verdict
from hd.protocol.events import PROBLEMS_READ
from hd.tools.arguments import Arguments, decode
from hd.tools.base import Access, Outcome, Plan, ToolContext, ToolError
from hd.tools.bounds import DISTILLED, LIMIT, bound
from hd.tools.distil import distil
from hd.tools.kinds import fs_errors, spec_of

TIMEOUT_S = 300.0
_INTERPRETERS = (".venv/bin/python", "venv/bin/python")


class ReadProblemsArguments(Arguments, frozen=True):
    path: Annotated[str, Meta(min_length=1, description="One file; the whole project if not given.")] | None = None


class ReadProblems:
    def __init__(self) -> None:
        self.spec = spec_of("read_problems", ReadProblemsArguments)

    def plan(self, arguments: Mapping[str, Any], context: ToolContext) -> Plan:
        path = decode(ReadProblemsArguments, arguments).path
        check = _check(path, context.files)
        return Plan(Access.EXECUTE, f"check {path or 'the project'}: {check.command}", detail=check.command)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Outcome:
        path = decode(ReadProblemsArguments, arguments).path
        check = await asyncio.to_thread(_check, path, context.files)
        try:
            ran = await context.runner.run(
                check.command,
                cwd=context.workspace,
                run_id=context.call_id,
                timeout_s=TIMEOUT_S,
                mode=context.mode,
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"The check could not be started: {error}. Nothing is known of errors.") from error
        found = verdict(ran.exit_code, ran.output)
        fact = {"errors": found.errors, "command": check.command, **({"path": path} if path else {})}
        number = ran.number if ran.spill is not None else None
        return Outcome(
            report(check, found, ran.output, number), {"kind": "problems", **fact}, events=((PROBLEMS_READ, fact),)
        )


def report(check: Check, found: Verdict, output: str, number: int | None = None) -> str:
    """What the model is told: the verdict first, then the output where it says more.

    `number` is that of the command where the model can read the whole output by it.
    """
    if found.errors is None:
        head = f"The check for {check.language} could not be done: {found.reason}. Nothing is known of errors."
    elif found.errors:
        head = f"{found.errors} error{'s' if found.errors > 1 else ''} found."
    else:
        head = "No errors found."
    text = output.strip()
    shown = bound(text, LIMIT - 500) if number is None else distil(text, DISTILLED)
    lines = [f"{head} Command: {check.command}", *([shown] if shown else [])]
    if number is not None and shown != text:
        lines.append(f"[`read_command_output` with cmd_id {number} reads all of it, in pages or by a filter]")
    return "\n".join(lines)


def _check(path: str | None, layer: FileLayer) -> Check:
    with fs_errors():
        signs = _signs(layer)
        if path is None:
            check = project_check(signs)
        else:
            name = layer.name(layer.resolve(path))
            if layer.kind(path) is None:
                raise ToolError(f"There is no {path} to check.", code="NOT_FOUND")
            check = file_check(name, signs)
    if check is None:
        what = f"for {path}" if path else "for what is in this folder"
        raise ToolError(
            f"There is no known check {what}. Find out how the project is built or tested, and use `run_command`.",
            code="NO_CHECK",
        )
    return check


def _signs(layer: FileLayer) -> Signs:
    names = frozenset(item.entry.base for item in layer.list(".").items)
    python = next((path for path in _INTERPRETERS if (layer.root / path).exists()), "python3")
    return Signs(names, _scripts(layer) if "package.json" in names else frozenset(), python)


def _scripts(layer: FileLayer) -> frozenset[str]:
    """The names of the scripts of `package.json`; none where it cannot be read."""
    try:
        described = msgspec.json.decode(layer.read("package.json").text)
    except (FileError, msgspec.DecodeError):
        return frozenset()
    scripts = described.get("scripts") if isinstance(described, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else frozenset()
