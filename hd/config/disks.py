"""On what kind of disk a folder lies: a lock on a network disk may be seen by one machine only."""

import os
import re
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_SHARED: Final = frozenset(
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "ocfs2", "gfs2"]
)
_SHARED_FUSE: Final = frozenset(
    ["sshfs", "glusterfs", "cephfs", "ceph", "s3fs", "rclone", "davfs", "beegfs", "juicefs"]
)
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def network_disk(path: Path) -> str | None:
    """The type of the network disk that `path` lies on, such as `nfs4`; None for a local or an unknown one."""
    try:
        mounts = _MOUNTS.read_text(errors="surrogateescape")
    except OSError:
        return None
    return shared_type(disk_type(os.path.realpath(path), mounts))


def disk_type(path: str, mounts: str) -> str | None:
    """The file system of a real path, by the text of `/proc/self/mountinfo`. Of mounts on one place the last counts."""
    best, found = "", None
    for line in mounts.splitlines():
        before, separator, behind = line.partition(" - ")
        fields = before.split(" ")
        if not separator or len(fields) < 5:
            continue
        place = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
        if (path == place or path.startswith(place.rstrip("/") + "/")) and len(place) >= len(best):
            best, found = place, behind.split(" ")[0]
    return found


def shared_type(kind: str | None) -> str | None:
    """`kind` if other machines may have the same disk at the same time."""
    if kind is None:
        return None
    name = kind.removeprefix("fuse.")
    return kind if name in (_SHARED if name == kind else _SHARED_FUSE) else None
