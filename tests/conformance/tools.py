"""What the recorded client and its prompts name, in the words of hd: tools and presets, each row with its reason.

The tools' names are no part of the wire (DESIGN 7 fixes hd's own), so the mock model is told hd's, and the comparison
then sees the same turn.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Arguments = dict[str, Any]


def _renamed(**names: str) -> Callable[[Arguments], Arguments]:
    """Arguments under other names; what is not named here has no counterpart and is left out."""
    return lambda given: {names[name]: value for name, value in given.items() if name in names}


ESCALATED: Final = {"sandbox_permissions": "danger-full-access"}
"""The arguments by which the official model asks to leave the sandbox."""


def _command(given: Arguments) -> Arguments:
    """A call that asks to leave the sandbox becomes one that hd asks about: it removes a file beyond the workspace.

    The official model itself requests the escalation; in hd the command decides, so that a model cannot talk its way.
    """
    command = given["command"]
    if ESCALATED.items() <= given.items():
        command = f"rm -f ../hd-conformance-not-there; {command}"
    return {"command": command}


def _todos(given: Arguments) -> Arguments:
    rows = [{"id": str(n), "text": row["content"], "status": row["status"]} for n, row in enumerate(given["todos"], 1)]
    return {"todos": rows}


def _vain_search(given: Arguments) -> Arguments:
    """The official machine had no search program, so both searches failed there; here they fail in a missing folder."""
    return {"pattern": given["pattern"], "path": "no-such-folder"}


TOOLS: Final[Mapping[str, tuple[str, Callable[[Arguments], Arguments], str]]] = {
    "bash": (
        "run_command",
        _command,
        "hd's name for running a command, which it waits for; it has no `description` and no sandbox fields",
    ),
    "read": ("read_file", _renamed(file_path="path", offset="offset", limit="limit"), "hd says `path` everywhere"),
    "edit": (
        "edit_file",
        _renamed(file_path="path", old_string="old_string", new_string="new_string", replace_all="replace_all"),
        "hd says `path` everywhere",
    ),
    "write": ("write_file", _renamed(file_path="path", content="content"), "hd says `path` everywhere"),
    "glob": ("search_files", _vain_search, "hd's name for finding files by name"),
    "grep": ("grep", _vain_search, "the same tool"),
    "todo_write": ("write_todos", _todos, "hd's items have an id and `text`"),
}

PRESETS: Final[Mapping[str, tuple[str, str]]] = {
    "minimal": ("standard", "hd has one agent preset, and selecting it again is a selection as well"),
}

_COMMAND: Final = re.compile(r"\[\[(tool|tools|seq) (.*)\]\]", re.DOTALL)

_LATER: Final = re.compile(r"\[\[err (\d+) \d+\]\]")
_SOON: Final = r"[[err \1 0.05]]"
"""A provider that asks for a second of patience asks for a moment here: that it is waited for is the same."""


def in_our_words(name: str, arguments: Arguments) -> tuple[str, Arguments]:
    """A call of the official model as hd's model would make it; a tool that is not in the table keeps its name."""
    if name == "write" and ESCALATED.items() <= arguments.items():
        # hd's file tools never leave the workspace, whoever allows it; a command does, after a person was asked.
        name, arguments = "bash", {"command": f"printf x > {arguments['file_path']}", **ESCALATED}
    if name not in TOOLS:
        return name, arguments
    ours, translate, _ = TOOLS[name]
    try:
        return ours, translate(arguments)
    except (KeyError, TypeError):
        return ours, arguments  # a call that is wrong on purpose stays wrong


def translated(prompt: str, place: Callable[[str], str]) -> str:
    """A recorded prompt with hd's calls in its `[[…]]` command; `place` puts recorded paths where the test runs."""
    prompt = _LATER.sub(_SOON, prompt)
    found = _COMMAND.search(prompt)
    if found is None:
        return place(prompt)
    kind, rest = found[1], found[2]
    if kind == "tool":
        name, _, text = rest.partition(" ")
        ours, arguments = _call(name, text, place)
        inner = f"{ours} {arguments}"
    else:
        calls = json.loads(rest if rest.startswith("[") else base64.b64decode(rest))
        encoded = [list(_call(name, given, place)) for name, given in calls]
        inner = base64.b64encode(json.dumps(encoded).encode()).decode()
    return f"{place(prompt[: found.start()])}[[{kind} {inner}]]{place(prompt[found.end() :])}"


def _call(name: str, given: Any, place: Callable[[str], str]) -> tuple[str, str]:
    """Name and arguments as JSON text; arguments that are no object go as they are."""
    text = place(given if isinstance(given, str) else json.dumps(given))
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return TOOLS[name][0] if name in TOOLS else name, text
    ours, translated_arguments = in_our_words(name, arguments)
    return ours, json.dumps(translated_arguments)
