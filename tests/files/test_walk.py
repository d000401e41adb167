"""The walk: what it never enters, that it ends, and that it is always the same."""

import os
import socket
import threading
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.listing import listing
from hd.files.scan import Kind
from hd.files.walk import Limits, Walk
from tests.files.trees import plant

GUARD = Guard()


@pytest.fixture(autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the person at this machine lets git ignore everywhere plays no part."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def names(walk: Walk) -> list[str]:
    return [entry.name for entry in walk]


def walked(root: Path, start: str = ".") -> list[str]:
    return names(Walk(root, (root / start).resolve(), GUARD))


def test_the_order_is_by_name_and_depth_first(tmp_path: Path) -> None:
    plant(tmp_path, {"b/2": "", "b/1": "", "a": "", "c": "", "b/x/3": ""})
    assert walked(tmp_path) == ["a", "b", "b/1", "b/2", "b/x", "b/x/3", "c"]
    assert walked(tmp_path, "b") == ["b/1", "b/2", "b/x", "b/x/3"]


def test_b01_ignored_trees_are_not_entered(tmp_path: Path) -> None:
    plant(tmp_path, {f"node_modules/p{n}/index.js": "foo" for n in range(30)})
    plant(tmp_path, {f"out/p{n}/x.tsx": "foo" for n in range(30)})
    for number in range(10):
        plant(tmp_path, {f"repos/r{number}/.gitignore": "/dist\n", f"repos/r{number}/dist/deep/a.tsx": "foo"})
        plant(tmp_path, {f"repos/r{number}/src/a.tsx": "foo", f"repos/r{number}/.git/config": "foo"})
    plant(tmp_path, {".gitignore": "out/\n"})
    walk = Walk(tmp_path, tmp_path, GUARD)
    found = names(walk)
    assert [name for name in found if name.endswith(".tsx")] == [f"repos/r{n}/src/a.tsx" for n in range(10)]
    # The root, repos, and each repository with its src.
    assert walk.opened == 2 + 10 * 2


def test_b01_copies_in_worktrees_and_environments_are_left_out(tmp_path: Path) -> None:
    plant(tmp_path, {"src/a.py": "", "trees/one/.git": f"gitdir: {tmp_path}/.git/worktrees/one\n"})
    plant(tmp_path, {"trees/one/src/a.py": "", "env/pyvenv.cfg": "", "env/lib/a.py": ""})
    plant(tmp_path, {"module/.git": "gitdir: ../.git/modules/module\n", "module/a.py": ""})
    assert walked(tmp_path) == ["env", "module", "module/a.py", "src", "src/a.py", "trees", "trees/one"]
    assert walked(tmp_path, "trees/one") == ["trees/one/src", "trees/one/src/a.py"]


def test_rules_above_the_start_and_above_the_workspace_hold(tmp_path: Path) -> None:
    plant(
        tmp_path, {".git/info/exclude": "*.tmp\n", ".gitignore": "*.log\n/app/gen\n", "app/.gitignore": "!keep.log\n"}
    )
    plant(
        tmp_path,
        {"app/sub/a.log": "", "app/sub/keep.log": "", "app/sub/a.tmp": "", "app/sub/a.py": "", "app/gen/b": ""},
    )
    assert walked(tmp_path / "app") == [".gitignore", "sub", "sub/a.py", "sub/keep.log"]
    assert walked(tmp_path / "app", "sub") == ["sub/a.py", "sub/keep.log"]


def test_an_ignored_folder_that_is_asked_for_is_walked(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "out\n*.log\n", "out/a.log": "", "out/b/c.py": "", "node_modules/p/a.js": ""})
    assert walked(tmp_path, "out") == ["out/a.log", "out/b", "out/b/c.py"]
    assert walked(tmp_path, "node_modules/p") == ["node_modules/p/a.js"]


def test_a_workspace_that_is_ignored_as_a_whole_is_walked(tmp_path: Path) -> None:
    plant(tmp_path, {".git/HEAD": "", ".gitignore": "*\n", "work/a.py": "", "work/b/c.py": ""})
    assert walked(tmp_path / "work") == ["a.py", "b", "b/c.py"]


def test_b04_loops_and_special_files(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = plant(tmp_path_factory.mktemp("outside"), {"secret/a.py": ""})
    plant(tmp_path, {"d/a.py": ""})
    (tmp_path / "d/loop").symlink_to("..")
    (tmp_path / "d/self").symlink_to("self")
    (tmp_path / "out").symlink_to(outside)
    os.mkfifo(tmp_path / "p")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        walk = Walk(tmp_path, tmp_path, GUARD)
        assert [(entry.name, entry.kind) for entry in walk] == [
            ("d", Kind.DIRECTORY),
            ("d/a.py", Kind.FILE),
            ("d/loop", Kind.LINK),
            ("d/self", Kind.LINK),
            ("out", Kind.LINK),
        ]
        assert walk.opened == 2


def test_secrets_are_hidden_also_behind_links(tmp_path: Path) -> None:
    plant(tmp_path, {".env": "A=1", "a/.ssh/id_rsa": "", "a/x.pem": "", "a/.env.example": "", "home/log": "", "b": ""})
    (tmp_path / "notes.txt").symlink_to(".env")
    (tmp_path / "d").symlink_to("a/.ssh")
    guard = Guard(hidden=(tmp_path / "home",))
    assert names(Walk(tmp_path, tmp_path, guard)) == ["a", "a/.env.example", "b"]
    assert [item.entry.name for item in listing(tmp_path, tmp_path, guard).items] == ["a", "b"]


def test_the_number_of_entries_ends_it(tmp_path: Path) -> None:
    plant(tmp_path, {f"d{n}/f{m}": "" for n in range(10) for m in range(10)})
    walk = Walk(tmp_path, tmp_path, GUARD, limits=Limits(entries=30))
    assert len(names(walk)) < 60
    assert walk.stopped == "there are more than 30 entries"
    assert walk.opened <= 4


def test_depth_ends_it(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b/c/d/e": ""})
    walk = Walk(tmp_path, tmp_path, GUARD, limits=Limits(depth=2))
    assert names(walk) == ["a", "a/b", "a/b/c"]
    assert walk.stopped is not None


def test_time_and_cancellation_end_it(tmp_path: Path) -> None:
    plant(tmp_path, {f"{n}": "" for n in range(10)})
    ticks = iter(range(100))
    walk = Walk(tmp_path, tmp_path, GUARD, limits=Limits(seconds=5), clock=lambda: float(next(ticks)))
    assert len(names(walk)) == 5
    assert walk.stopped == "it took longer than 5 seconds"
    cancel = threading.Event()
    walk = Walk(tmp_path, tmp_path, GUARD, cancel=cancel)
    seen = []
    for entry in walk:
        seen.append(entry)
        cancel.set()
    assert (len(seen), walk.stopped) == (1, "it was cancelled")


def test_folders_are_closed_when_the_walk_is_dropped(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b/c/d": ""})
    before = len(os.listdir("/proc/self/fd"))
    steps = iter(Walk(tmp_path, tmp_path, GUARD))
    assert [next(steps).name for _ in range(3)] == ["a", "a/b", "a/b/c"]
    del steps
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_listing_marks_what_is_ignored(tmp_path: Path) -> None:
    plant(
        tmp_path, {"z/a": "", "node_modules/a": "", ".gitignore": "*.log\n", "a.log": "12345", ".git/x": "", "b": "1"}
    )
    (tmp_path / "c").symlink_to("z")
    (tmp_path / "d").symlink_to("/")
    os.mkfifo(tmp_path / "p")
    assert listing(tmp_path, tmp_path, GUARD).rows() == [
        "node_modules/  (ignored)",
        "z/",
        ".gitignore  6 bytes",
        "a.log  5 bytes  (ignored)",
        "b  1 bytes",
        "c -> z",
        "d -> a place outside the workspace",
        "p  (not a regular file)",
    ]
    short = listing(tmp_path, tmp_path, GUARD, most=2)
    assert short.rows() == ["node_modules/  (ignored)", "z/", "… and 6 more"]
