"""Makes `docs/htui.md` of the code: `python -m tests.support.htui_doc` writes it, a test compares it."""

from collections.abc import Iterable, Iterator, Mapping

from htui.composer.editor import ACTIONS
from htui.screens.command_table import COMMANDS
from htui.screens.help_text import KEYS
from tests.support.daemon import ROOT

TARGET = ROOT / "docs" / "htui.md"
_COMMAND = "python -m tests.support.htui_doc"

EXPECTED = (
    "ws resume model new compact cancel queue plan goal permission feedback loop export export-html coredump older "
    "history prompt search copy latest ssearch wsearch allow deny status cost think help quit"
)
"""The commands that people know from the client which this one is to replace."""

EXPECTED_KEYS = (
    "up down ctrl+p ctrl+n ctrl+a ctrl+e home end ctrl+b ctrl+f left right alt+b alt+f ctrl+left ctrl+right ctrl+k "
    "ctrl+u ctrl+w alt+backspace alt+d ctrl+y ctrl+h backspace ctrl+d delete"
)
"""Its keys for editing, by Textual's names."""

NOT_YET: Mapping[str, str] = {
    "loop": "Rounds of work that are scored; a room of its own.",
}
"""What is missing of `EXPECTED`, and why."""

_NAMES = {"underscore": "_", "slash": "/", "left": "←", "right": "→", "up": "↑", "down": "↓"}

_HEAD = f"""# htui

Made of the code by `{_COMMAND}`; do not edit it by hand. `/help` shows the same in the program.
"""


def key_name(key: str) -> str:
    """A key as people write it: `Ctrl+K`, `Alt+←`."""
    parts = [_NAMES.get(part, part.capitalize()) for part in key.split("+")]
    return "+".join(parts)


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"| {head[0]} | {head[1]} |"
    yield "|---|---|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def lines() -> Iterator[str]:
    yield _HEAD
    yield "## Keys\n"
    yield from _table(("keys", "what they do"), KEYS)
    yield "\n## Keys while writing\n"
    yield "A character is what one takes for it, however many code points it has.\n"
    yield from _table(("keys", "what they do"), ((", ".join(map(key_name, keys)), text) for text, _, keys in ACTIONS))
    yield "\n## Commands\n"
    yield "The beginning of a name is enough where it is clear. Those marked *in full* have to be typed whole.\n"
    yield from _table(
        ("command", "what it does"),
        (
            (
                f"`/{command.name} {command.args}".rstrip() + "`",
                command.summary + (" (*in full*)" if command.exact else ""),
            )
            for command in COMMANDS
        ),
    )
    yield "\nThe host has commands of its own, as `/plan` or `/undo`, which `/help` lists too.\n"
    yield "## Not there yet\n"
    yield from _table(("command", "why"), ((f"`/{name}`", reason) for name, reason in NOT_YET.items()))


def document() -> str:
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document())
