"""The surroundings of a session, told to the model in a message: once at the start, and again what has changed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

SOURCE_KIND: Final = "runtime-context"

GONE: Final = "none"

PROJECT: Final = "Project"
"""The section that says what kind of project it is; it also calls for guidance (`hd.prompt.guidance`)."""

PLAN_MODE: Final = (
    "on. Only reading is possible: every change, and every command that does more than read, is refused. Read what "
    "matters, ask what only the person knows, then call `exit_plan_mode` with the whole plan. Begin with the work only "
    "when it is approved."
)

Sections = dict[str, str]


def runtime_context(
    *,
    workspace: Path,
    preset: str,
    preset_description: str,
    platform: str,
    shell: str,
    date: str,
    tools: Sequence[str] = (),
    planning: bool = False,
    undone: str | None = None,
    sandbox: str | None = None,
    project: str | None = None,
    untold: str | None = None,
) -> Sections:
    """The sections by title. `date` is a day such as `2026-03-01 (Sunday)`: a clock would change with every request.

    `tools` names what is on the machine and worth knowing (`git`, `uv`, `node`), not the model's own tools.
    `undone` says what of the model's work the person took back.
    `sandbox` says what holds the commands, None where nothing does.
    `project` says what kind of project it is, as far as that shows, `untold` why its tree is not told, if it is not.
    """
    sections = {
        "Workspace": str(workspace),
        "Permissions": f"{preset}: {preset_description}",
        "System": f"{platform}; commands run in {shell}",
        "Date": date,
    }
    if sandbox is not None:
        sections["Sandbox"] = sandbox
    if project:
        sections[PROJECT] = project
    if untold:
        sections["Tree"] = untold
    if tools:
        sections["Programs found"] = ", ".join(tools)
    if planning:
        sections["Plan mode"] = PLAN_MODE
    if undone:
        sections["Undone by the person"] = undone
    return sections


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> Sections:
    """The sections of `after` that are new or other than before, and the ones that are gone, as `none`."""
    gone = {title: GONE for title, text in before.items() if title not in after and text != GONE}
    return {**{title: text for title, text in after.items() if before.get(title) != text}, **gone}


def render(sections: Mapping[str, str], *, update: bool = False) -> str:
    """One text for the model; empty for no sections. `update` says that these replace what was said before."""
    if not sections:
        return ""
    opening = "The surroundings have changed; this counts from here on." if update else "The surroundings."
    return "\n".join([opening, *(f"{title}: {text}" for title, text in sections.items())])
