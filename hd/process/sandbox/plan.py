"""What a command may write, read and reach, by the mode of its session; pure.

Everything may be read and run but what is hidden; nothing may be written but what is listed. How that is enforced, and
what of it cannot be, is a mechanism's own concern.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Mode = Literal["read-only", "workspace-write", "danger-full-access"]
"""As the wire names it (`sandbox/mode`). The last is no sandbox at all."""

SECRETS: Final = (
    ".ssh",
    ".gnupg",
    ".password-store",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".docker/config.json",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".pypirc",
    ".pgpass",
    ".vault-token",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
)
"""In a person's home; the rules of `hd.files.guard` as places. `.npmrc` is left out: npm reads it at every start."""

CACHES: Final = (
    ".cache",
    ".npm",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".yarn/berry/cache",
    ".bun/install/cache",
    ".deno",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    "go/pkg",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/wrapper",
    ".m2/repository",
    ".nuget/packages",
)
"""In a person's home, where package tools keep what they fetched. None holds programs that a shell finds by itself."""

TEMPORARY: Final = ("/tmp", "/var/tmp", "/dev/shm")

DEVICES: Final = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/dri",
    "/dev/kfd",
    "/dev/nvidia0",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
)
"""Written to in every mode: what holds nothing, terminals, and the devices that compute."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What there is around a workspace. All paths are absolute, resolved, and there.

    `repository` are folders of git that the workspace belongs to and that lie outside it, as with a worktree. `denied`
    are files and folders in the workspace that a person's own rules close.
    """

    workspace: Path
    own: Path
    """The daemon's home."""
    secrets: tuple[Path, ...] = ()
    caches: tuple[Path, ...] = ()
    temporary: tuple[Path, ...] = ()
    repository: tuple[Path, ...] = ()
    denied: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`hidden` may not even be read, `own` among it is the daemon's home. `network` says whether there is one. With
    `private` the command gets a temporary folder of its own, which is writable besides what is listed."""

    mode: Mode
    writable: tuple[Path, ...]
    hidden: tuple[Path, ...]
    network: bool = True
    private: bool = False
    own: Path | None = None

    @property
    def exposed(self) -> tuple[Path, ...]:
        """What should be hidden and lies in a writable folder; a list of what is allowed cannot leave it out."""
        return tuple(place for place in self.hidden if any(_within(place, folder) for folder in self.writable))

    def may_write(self, path: Path) -> bool:
        return any(_within(path, folder) for folder in self.writable) or any(
            _within(path, Path(device)) for device in DEVICES
        )

    def hides(self, path: Path, *, within: bool) -> bool:
        """Whether it cannot be read; `within` says that a mechanism can hide what lies in a writable folder."""
        return any(_within(path, place) for place in self.hidden) and (within or not self.may_write(path))


def plan(mode: Mode, ground: Ground, *, network: bool = True) -> Plan | None:
    """None where nothing is to be kept from the command.

    A temporary or cache folder that holds something hidden is not writable, because the hidden would be open with it;
    the workspace is writable whatever it holds.
    """
    if mode == "danger-full-access":
        return None
    workspace = ground.workspace
    private = _outermost([ground.own, *(place for place in ground.secrets if not _within(place, workspace))])
    hidden = _outermost([*private, *ground.denied])
    if mode == "read-only":
        return Plan(mode, (), hidden, network, private=True, own=ground.own)

    def closed(folder: Path) -> bool:
        return any(_within(place, folder) or _within(folder, place) for place in private)

    temporary = [folder for folder in ground.temporary if not closed(folder)]
    caches = [folder for folder in ground.caches if not closed(folder)]
    writable = _outermost([workspace, *ground.repository, *temporary, *caches])
    return Plan(mode, writable, hidden, network, private=len(temporary) < len(ground.temporary), own=ground.own)


def _outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """Each place once, without those that lie in another."""
    once = list(dict.fromkeys(places))
    return tuple(place for place in once if not any(other in place.parents for other in once))


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents
