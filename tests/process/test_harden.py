"""The daemon's own environment is not to be read from a command it runs, whoever runs it."""

import os
import subprocess
import sys

PROGRAM = """
import os, subprocess
from hd.process.harden import hide_environment
hide_environment()
shown = subprocess.run(["sh", "-c", "tr '\\\\0' '\\\\n' < /proc/$PPID/environ"], env={"PATH": "/usr/bin:/bin"},
                       capture_output=True, text=True)
print(shown.stdout + shown.stderr)
print("own:", os.environ["DEEPSEEK_API_KEY"], os.environ["HARMLESS"])
print("child:", subprocess.run(["env"], env={"A": "b"}, capture_output=True, text=True).stdout.strip())
import ctypes
print("dumpable:", ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


def test_d07_the_daemon_s_environment_cannot_be_read_from_a_child() -> None:
    secrets = {
        "DEEPSEEK_API_KEY": "hidden-1",
        "GH_TOKEN": "hidden-2",
        "DATABASE_URL": "postgres://u:hidden-3@h/x",
        "HD_TOKEN": "hidden-4",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **secrets, "HARMLESS": "kept"},
        capture_output=True,
        text=True,
        check=True,
    )
    shown, _, rest = done.stdout.partition("own:")
    assert "hidden" not in shown
    assert ("HARMLESS=kept" in shown) or ("denied" in shown)
    assert rest.splitlines()[0].strip() == "hidden-1 kept"
    assert "child: A=b" in rest
    assert "dumpable: 0" in rest
