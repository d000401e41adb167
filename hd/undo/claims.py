"""What the daemon itself knows of claims that files were changed (case A18)."""

import os
from collections.abc import Iterable
from pathlib import Path

from hd.files import disk
from hd.files.guard import Guard
from hd.files.scan import VCS, is_machine_made, scope_above


def borne_out(claimed: Iterable[str], changed: frozenset[str], root: Path, guard: Guard) -> frozenset[str]:
    """Those of the claimed paths that changed, or of which it could not have been seen; looks at the disk.

    `changed` are relative to `root`; a claim may be absolute. What is ignored, secret or outside is never seen.
    """
    found: set[str] = set()
    for claim in claimed:
        name = os.path.relpath(os.path.join(root, claim), root)
        if name in changed or not is_seen(name, root, guard):
            found.add(claim)
    return frozenset(found)


def is_seen(name: str, root: Path, guard: Guard) -> bool:
    """Whether a change of this path would be noticed: no folder above it is ignored, nor it, and it is no secret."""
    if name.split("/")[0] == ".." or guard.why(root / name, root) is not None:
        return False
    scope, base = scope_above(root, root), ""
    for part in name.split("/"):
        try:
            with disk.folder_of(root, root / base / part) as folder:
                scope = scope.inside(folder, base)
        except OSError:
            # A folder that is gone: what was in it is told by its changes, as far as it was seen.
            return True
        base = f"{base}/{part}" if base else part
        directory = (root / base).is_dir()
        inner = f"{scope.prefix}/{base}" if scope.prefix else base
        if part in VCS or (directory and is_machine_made(part)) or scope.ignores.ignored(inner, directory=directory):
            return False
    return True
