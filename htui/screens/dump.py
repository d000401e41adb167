"""`/coredump`: a private file about the program itself: sizes, counts and versions, and nothing that anybody wrote."""

import asyncio
import gc
import os
import platform
import re
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import msgspec

from htui.errors import HtuiError
from htui.new_file import new_file

_TYPES: Final = 60
"""Kinds of objects that are counted, the most frequent ones."""
_LIBRARIES: Final = ("hd-agent", "textual", "rich", "websockets", "msgspec", "markdown-it-py")


class DumpFailed(HtuiError):
    """The file was not written."""


def dump(folder: Path, tag: str, counts: dict[str, int]) -> Path:
    """Writes the file into `folder` and gives its path; `counts` are those that only the caller knows."""
    name = re.sub(r"[^\w\-]+", "-", tag).strip("-")[:40]
    path = folder / f"htui-{time.strftime('%Y%m%d-%H%M%S')}{f'-{name}' if name else ''}.json"
    try:
        with new_file(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(figures(counts))) + b"\n")
    except OSError as error:
        raise DumpFailed(f"{path} cannot be written: {error.strerror}. Nothing is left of it.") from None
    return path


def figures(counts: dict[str, int]) -> dict[str, Any]:
    """What is written: bytes are resident, `objects` are those that the collector knows by the name of their type."""
    objects = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "platform": platform.platform(),
        "resident": _resident(),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "counts": counts,
        "tasks": dict(Counter(task.get_name().rstrip("0123456789-") for task in asyncio.all_tasks())),
        "collections": gc.get_stats(),
        "objects": dict(objects.most_common(_TYPES)),
    }


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "?"
    return found


def _resident() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
