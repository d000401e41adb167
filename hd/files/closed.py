"""What in a workspace a person's own rules close, for who keeps it from commands. The look is bounded: it comes before
each command, and what it does not find is found by no other."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hd.files.rules import OwnRules
from hd.files.scan import VCS, is_machine_made

MOST_ENTRIES: Final = 20_000
MOST_CLOSED: Final = 500
LONGEST_S: Final = 0.25


def closed(root: Path, rules: OwnRules, clock: Callable[[], float] = time.monotonic) -> tuple[Path, ...]:
    """The files and folders below `root` that a rule denies, links left out; of a folder not what is in it. It blocks.

    Folders of version control and those that programs fill are not entered.
    """
    if not rules.denies:
        return ()
    found: list[Path] = []
    until = clock() + LONGEST_S
    entries = 0
    for place, folders, names in os.walk(root):
        entries += len(folders) + len(names)
        if entries > MOST_ENTRIES or len(found) > MOST_CLOSED or clock() > until:
            break
        here = Path(place)
        inner = "" if here == root else f"{here.relative_to(root).as_posix()}/"
        denied = {name for name in (*folders, *names) if _denies(rules, inner + name)}
        found += [here / name for name in sorted(denied) if not os.path.islink(here / name)]
        folders[:] = [name for name in folders if name not in denied and name not in VCS and not is_machine_made(name)]
    return tuple(found[:MOST_CLOSED])


def _denies(rules: OwnRules, name: str) -> bool:
    ruled = rules.judge(name)
    return ruled is not None and ruled.verdict == "deny"
