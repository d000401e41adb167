"""The instruction files of a project and of its person: every `AGENTS.md` that applies to a workspace.

The one in the daemon's home comes first, then one per folder from the top of the work tree down to the workspace, so
that the nearest comes last and has the last word.
"""

import codecs
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE_NAME: Final = "AGENTS.md"
LIMIT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Instruction:
    """One file's text without a byte order mark; `truncated` when the file goes on after the first 64 KiB."""

    path: Path
    text: str
    truncated: bool


def find(workspace: Path, home: Path, stop: Path | None = None) -> list[Instruction]:
    """The instructions for a workspace, the nearest last; files that are empty or cannot be read are left out.

    The top of the tree is the nearest folder upwards that holds `.git`, or the workspace itself where there is none;
    the search does not go above `stop`. A link is followed only within the tree (or the home) that it stands in.
    """
    top = work_tree(workspace, stop)
    places = [(home, home), *((folder, top) for folder in _down(top, workspace))]
    found: list[Instruction] = []
    met: set[Path] = set()
    for folder, tree in places:
        instruction = _read(folder / FILE_NAME, tree)
        if instruction is None or (real := instruction.path.resolve()) in met:
            continue
        met.add(real)
        found.append(instruction)
    return found


def render(instructions: Sequence[Instruction]) -> str:
    """One text for the model; empty when there are no instructions."""
    if not instructions:
        return ""
    parts = ["Standing instructions of the person and the project. Where two differ, the later one counts."]
    for one in instructions:
        cut = f"\n[cut after {LIMIT // 1024} KiB; read the file for the rest]" if one.truncated else ""
        parts.append(f"# {one.path}\n\n{one.text.strip()}{cut}")
    return "\n\n".join(parts)


def work_tree(workspace: Path, stop: Path | None = None) -> Path:
    """The top of the git work tree around a workspace; the workspace itself where there is none up to `stop`."""
    for folder in (workspace, *workspace.parents):
        if os.path.lexists(folder / ".git"):
            return folder
        if folder == stop:
            break
    return workspace


def _down(top: Path, workspace: Path) -> Iterator[Path]:
    yield top
    folder = top
    for part in workspace.relative_to(top).parts:
        folder = folder / part
        yield folder


def _read(path: Path, tree: Path) -> Instruction | None:
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(tree.resolve()):
            return None
        # Not blocking: somebody may have put a pipe there. Not following: the links are resolved already.
        opened = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(opened, "rb") as file:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                return None
            content = file.read(LIMIT + 1)
    except (OSError, RuntimeError):  # RuntimeError: a circle of links
        return None
    truncated = len(content) > LIMIT
    # Not final where it was cut: half a character at the end is dropped and not replaced.
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    text = decoder.decode(content[:LIMIT], final=not truncated)
    return Instruction(path, text, truncated) if text.strip() else None
