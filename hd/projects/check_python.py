"""Compiles Python files in memory and prints what does not compile; runs under the project's own interpreter.

Takes files and folders. It imports nothing of this package and keeps to what Python 3.6 can read.
"""

import os
import sys
import warnings
from typing import Iterator, List, Optional  # noqa: UP035 - the interpreter may be older than ours

MOST = 20000
SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def sources(start: str) -> Iterator[str]:
    if os.path.isfile(start):
        yield start
        return
    for folder, names, bases in os.walk(start):
        names[:] = sorted(n for n in names if not (n.startswith(".") or n in SKIPPED or is_environment(folder, n)))
        for base in sorted(bases):
            if base.endswith(".py"):
                yield os.path.normpath(os.path.join(folder, base))


def is_environment(folder: str, name: str) -> bool:
    return os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))


def fault(path: str) -> Optional[str]:  # noqa: UP045
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{path}:{error.lineno or 1}:{error.offset or 1}: {type(error).__name__}: {error.msg}"
    except (OSError, ValueError, MemoryError, RecursionError) as error:
        return f"{path}:1:1: {type(error).__name__}: {error}"
    return None


def main(starts: List[str]) -> int:  # noqa: UP006
    warnings.simplefilter("ignore")
    faults = 0
    for start in starts:
        for number, path in enumerate(sources(start)):
            if number >= MOST:
                sys.stdout.write(f"note: only the first {MOST} files were looked at\n")
                break
            text = fault(path)
            if text is not None:
                faults += 1
                sys.stdout.write(text + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["."]))
