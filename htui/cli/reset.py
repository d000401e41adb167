"""`htui --reset`: puts a terminal in order after an htui that was killed could not do it itself."""

import os
import subprocess
import sys

from htui.errors import DONE, USAGE

_MODES_OFF = "".join(f"\x1b[?{mode}l" for mode in (2026, 1000, 1002, 1003, 1004, 1006, 2004))
_KITTY_POPPED = "\x1b[<u"

SEQUENCES = f"{_MODES_OFF}{_KITTY_POPPED}\x1b[?1049l{_KITTY_POPPED}\x1b[?25h\x1b[0m"
"""Mouse, focus, paste and synchronised output off; the keyboard protocol popped on both screens, as each has its own
stack; back on the main screen with a cursor and without attributes."""


def reset() -> int:
    """Writes the sequences to the controlling terminal, or to stdout where that is one."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        if not sys.stdout.isatty():
            print("htui: there is no terminal to reset.", file=sys.stderr)
            return USAGE
        terminal = os.dup(sys.stdout.fileno())
    try:
        os.write(terminal, SEQUENCES.encode())
        subprocess.run(["stty", "sane"], stdin=terminal, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        pass  # no stty here: the sequences are written
    finally:
        os.close(terminal)
    return DONE
