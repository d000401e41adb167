"""htui as a process in a terminal, with a scripted link."""

import sys
from pathlib import Path

from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[3]


def htui(scene: str, state: Path, **options: object) -> Terminal:
    """Runs a scene of `tests.support.htui_scene`."""
    environ = {"HTUI_STATE_DIR": str(state), "TERM": "xterm-256color"}
    given = options.pop("environ", None)
    if isinstance(given, dict):
        environ |= given
    argv = [sys.executable, "-m", "tests.support.htui_scene", scene]
    return Terminal(argv, cwd=ROOT, environ=environ, **options)  # type: ignore[arg-type]


def ready(terminal: Terminal) -> None:
    """Waits until a chat is open and nothing runs in it."""
    terminal.wait_for("● Ready")
    terminal.wait_for("❯")
