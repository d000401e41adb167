"""Commands in real cages: each test runs under every mechanism, and is skipped by name where one does not work."""

import shutil
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from hd.files.rules import OwnRules
from hd.process.run import Ran, Runner
from hd.process.sandbox.base import Mechanism
from hd.process.sandbox.bubblewrap import Bubblewrap
from hd.process.sandbox.landlock import Landlock, version
from hd.process.sandbox.plan import Mode
from hd.process.sandbox.probe import Found, probe
from hd.process.sandbox.sandbox import Sandbox, Wish

CAGED: tuple[Mode, ...] = ("read-only", "workspace-write")


@pytest.fixture(scope="session")
def works() -> dict[str, Found]:
    candidates: dict[str, Mechanism] = {
        "landlock": Landlock(version()),
        "bubblewrap": Bubblewrap(shutil.which("bwrap") or "/no/bwrap"),
    }
    return {name: probe([mechanism]) for name, mechanism in candidates.items()}


@pytest.fixture(params=["landlock", "bubblewrap"])
def mechanism(request: pytest.FixtureRequest, works: dict[str, Found]) -> Mechanism:
    found = works[request.param].mechanism
    if found is None:
        pytest.skip(f"NOT TESTED HERE: the sandbox by {request.param} {works[request.param].sentence()}")
    return found


@pytest.fixture
def landlock(works: dict[str, Found]) -> Landlock:
    found = works["landlock"].mechanism
    if not isinstance(found, Landlock):
        pytest.skip(f"NOT TESTED HERE: Landlock {works['landlock'].sentence()}")
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home with a key and a cache."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_ed25519").write_text("PRIVATE\n")
    (folder / ".cache").mkdir()
    (folder / "notes.txt").write_text("notes\n")
    return folder


@pytest.fixture
def own(home: Path) -> Path:
    """The daemon's home."""
    folder = home / ".h"
    folder.mkdir()
    (folder / "key").write_text("KEY\n")
    return folder


class Run(Protocol):
    def __call__(self, command: str, mode: Mode = ..., *, network: bool = ...) -> Awaitable[Ran]: ...


@pytest.fixture
def run(mechanism: Mechanism, runner: Runner, workspace: Path, home: Path, own: Path) -> Run:
    return running(mechanism, runner, workspace, home, own)


def running(
    mechanism: Mechanism, runner: Runner, workspace: Path, home: Path, own: Path, rules: OwnRules | None = None
) -> Run:
    """Runs commands in cages of `mechanism`, as `JobRunner` does."""
    sandbox = Sandbox(Found(mechanism), own=own, home=home, rules=rules)

    async def run(command: str, mode: Mode = "workspace-write", *, network: bool = True) -> Ran:
        sandbox.wish = Wish("required", frozenset() if network else frozenset({mode}))
        cage = sandbox.cage(mode, workspace)
        assert cage is not None
        try:
            ran = await runner.run(command, cwd=workspace, run_id="r", cage=cage)
            return replace(ran, blocked=cage.explain(ran.output))
        finally:
            cage.close()

    return run
