"""What is said where no sandbox works, and what the settings then make of it."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from hd.process.sandbox.base import Argv, Spawn
from hd.process.sandbox.bubblewrap import Bubblewrap
from hd.process.sandbox.landlock import Landlock
from hd.process.sandbox.plan import Plan
from hd.process.sandbox.probe import Found, probe
from hd.process.sandbox.sandbox import Sandbox, SandboxMissing, Wish


@dataclass(frozen=True)
class Pretender:
    """Says that it holds commands, and does this to them."""

    prefix: tuple[str, ...] = ()
    cuts_network: bool = False
    name: str = "pretender"
    gaps: tuple[str, ...] = ()

    def start(self, plan: Plan, argv: Argv, spawn: Spawn) -> "subprocess.Popen[bytes]":
        return spawn((*self.prefix, *argv))


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (Pretender(), "pretender: a command in it could write where it may not"),
        (Pretender(("/bin/sh", "-c", "exit 11")), "pretender: a command in it could not write where it may"),
        (Pretender(("/bin/sh", "-c", "echo no permitted namespaces >&2; exit 1")), "(no permitted namespaces)"),
        (Pretender(("/no/such/program",)), "pretender: No such file or directory"),
        (Bubblewrap("/no/bwrap"), "bubblewrap: No such file or directory"),
        (Bubblewrap("/bin/false"), "bubblewrap: it ended with 1"),
    ],
)
def test_a_mechanism_that_does_not_hold_is_told_and_not_used(mechanism: Pretender | Bubblewrap, said: str) -> None:
    found = probe([mechanism])
    assert found.mechanism is None
    assert said in found.sentence()


def test_the_next_one_is_tried(landlock: Landlock) -> None:
    found = probe([Pretender(), landlock])
    assert found.mechanism == landlock
    assert found.sentence().startswith("landlock works here")


@pytest.mark.parametrize(("version", "word"), [(0, "no Landlock"), (1, "version 1"), (2, "version 2"), (3, None)])
def test_an_old_kernel_is_told(version: int, word: str | None) -> None:
    trouble = Landlock(version).trouble
    assert (trouble is None) if word is None else (trouble is not None and word in trouble)


def made(tmp_path: Path, found: Found, wish: Wish) -> Sandbox:
    return Sandbox(found, own=tmp_path / "own", home=tmp_path, wish=wish)


NOTHING = Found(None, ("bubblewrap: it is not installed", "landlock: the kernel has none"))


def test_auto_without_a_sandbox_runs_and_says_so(tmp_path: Path) -> None:
    sandbox = made(tmp_path, NOTHING, Wish("auto"))
    assert sandbox.cage("workspace-write", tmp_path) is None
    assert sandbox.told()["active"] is False
    assert "not held" in sandbox.sentence()
    assert "it is not installed" in sandbox.sentence()
    assert sandbox.for_model("workspace-write") is None


def test_required_without_a_sandbox_runs_nothing_but_what_needs_none(tmp_path: Path) -> None:
    sandbox = made(tmp_path, NOTHING, Wish("required"))
    with pytest.raises(SandboxMissing, match=r"Nothing was run.*sandbox\.use"):
        sandbox.cage("workspace-write", tmp_path)
    assert sandbox.cage("danger-full-access", tmp_path) is None


@pytest.mark.parametrize("found", [NOTHING, Found(Pretender())])
def test_a_network_that_cannot_be_cut_runs_nothing(tmp_path: Path, found: Found) -> None:
    sandbox = made(tmp_path, found, Wish("auto", frozenset({"read-only"})))
    with pytest.raises(SandboxMissing, match="to be cut in read-only"):
        sandbox.cage("read-only", tmp_path)
    cage = sandbox.cage("workspace-write", tmp_path)
    if cage is not None:
        cage.close()


def test_off_is_off_and_says_what_could_be(tmp_path: Path, landlock: Landlock) -> None:
    sandbox = made(tmp_path, Found(landlock), Wish("off", frozenset({"read-only"})))
    assert sandbox.cage("read-only", tmp_path) is None
    assert sandbox.sentence().startswith("off; landlock works here")
    assert sandbox.for_model("read-only") is None


def test_what_was_set_counts_from_the_next_command_on(tmp_path: Path, landlock: Landlock) -> None:
    sandbox = made(tmp_path, Found(landlock), Wish())
    sandbox.set({"use": "auto", "offline": ["workspace-write"]})
    cage = sandbox.cage("workspace-write", tmp_path)
    assert cage is not None
    cage.close()
    assert not cage.plan.network
    assert "without network" in str(sandbox.for_model("workspace-write"))
    sandbox.set({})
    assert sandbox.cage("workspace-write", tmp_path) is None


def test_nothing_is_probed_by_being_imported() -> None:
    program = "import sys, hd.process.run; assert 'ctypes' not in sys.modules, 'ctypes'"
    subprocess.run([sys.executable, "-c", program], check=True)
