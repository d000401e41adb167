"""What would become of a path or a command, and by which rule: the answer to "why", without doing anything."""

from collections.abc import Sequence
from functools import partial

from hd.files.errors import FileRefused
from hd.files.layer import FileLayer
from hd.permit import reading
from hd.permit.look import DiskLook
from hd.permit.policy import Allow, Ask, decide, rules_count
from hd.permit.presets import PresetName
from hd.permit.reveal import reveal
from hd.permit.rules import Rule
from hd.tools.base import Access, Plan


def why_path(path: str, files: FileLayer) -> str:
    """Whether the file tools may have a path, and the rule that decides. It blocks."""
    shown = reveal(path, one_line=True)
    try:
        real = files.resolve(path)
    except FileRefused as error:
        return f"{shown}: refused by the file tools. {reveal(error.message, one_line=True)}"
    ruled = files.guard.own.judge(files.name(real))
    if ruled is not None:
        return f"{shown}: open to the file tools, by your exception `{reveal(ruled.pattern, one_line=True)}`."
    return f"{shown}: open to the file tools; no rule is against it."


def why_command(
    command: str, preset: PresetName, files: FileLayer, *, planning: bool, rules: Sequence[Rule] = ()
) -> str:
    """Whether a command would run, and what decides; `rules` are those that cover it. It blocks."""
    plan = Plan(Access.EXECUTE, "run", detail=command)
    doubt = partial(reading.doubt, look=DiskLook(files))
    verdict = decide(preset, plan, files.root, planning=planning, doubt=doubt)
    shown = f"`{reveal(command, one_line=True)}`"
    if isinstance(verdict, Ask) and rules and rules_count(preset, planning=planning):
        return f"{shown}: runs without asking although it {verdict.reason.en}, by {named(rules)}."
    if not isinstance(verdict, Allow):
        becomes = "asks a person first" if isinstance(verdict, Ask) else "is denied"
        return f"{shown}: {becomes}, because it {verdict.reason.en}."
    if preset == "danger-full-access" and not planning:
        return f"{shown}: runs, because {preset} never asks."
    only_reads = planning or preset == "read-only"
    because = "every part of it is known to only read" if only_reads else "nothing in it deletes or reaches beyond"
    return f"{shown}: runs without asking, because {because}."


def named(rules: Sequence[Rule]) -> str:
    """The rules as the one that decided: `your rule 2 (…)`."""
    return " and ".join(f"your rule {rule.number} ({rule.text})" for rule in rules)
