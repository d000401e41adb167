"""On what disk a folder lies, by the text of the mount table."""

from pathlib import Path

import pytest

from hd.config.disks import disk_type, network_disk, shared_type

MOUNTS = r"""
1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw
2 1 0:40 / /home rw - nfs4 server:/home rw
3 1 0:41 / /home/me/disk rw master:1 - xfs /dev/sdb1 rw
4 1 0:42 / /mnt/with\040blank rw - fuse.sshfs me@host:/ rw
5 1 0:43 / /mnt/over rw - ext4 /dev/sdc1 rw
6 1 0:44 / /mnt/over rw - cifs //server/share rw
7 1 0:45 / /mnt/fuse rw - fuse.ntfs /dev/sdd1 rw
torn line
"""


@pytest.mark.parametrize(
    ("path", "kind", "shared"),
    [
        ("/", "ext4", None),
        ("/etc", "ext4", None),
        ("/home", "nfs4", "nfs4"),
        ("/home/me/.h/run/lock", "nfs4", "nfs4"),
        ("/home/me/disk/.h", "xfs", None),
        ("/homestead", "ext4", None),
        ("/mnt/with blank/.h", "fuse.sshfs", "fuse.sshfs"),
        ("/mnt/over/x", "cifs", "cifs"),
        ("/mnt/fuse/x", "fuse.ntfs", None),
    ],
)
def test_the_nearest_mount_counts_and_of_two_on_one_place_the_last(path: str, kind: str, shared: str | None) -> None:
    assert disk_type(path, MOUNTS) == kind
    assert shared_type(disk_type(path, MOUNTS)) == shared


def test_without_a_mount_table_nothing_is_said() -> None:
    assert disk_type("/", "") is None
    assert shared_type(None) is None


def test_this_machine_s_own_table_can_be_read() -> None:
    assert disk_type("/proc", Path("/proc/self/mountinfo").read_text()) == "proc"
    assert network_disk(Path("/proc")) is None
