"""What a person's own rules close in a workspace, found on the disk."""

import itertools
from pathlib import Path

from hd.files.closed import closed
from hd.files.rules import OwnRules
from tests.files.trees import plant


def names(root: Path, rules: OwnRules) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in closed(root, rules))


def test_a_folder_is_closed_as_a_whole_and_an_exception_stays_open(tmp_path: Path) -> None:
    root = plant(
        tmp_path, {"plans/a": "", "plans/b/c": "", "x.sqlite": "", "src/y.sqlite": "", "src/ok.sqlite": "", ".env": ""}
    )
    (root / "link.sqlite").symlink_to("src/ok.sqlite")
    rules = OwnRules(["plans", "*.sqlite"], ["ok.sqlite"])
    assert names(root, rules) == ["plans", "src/y.sqlite", "x.sqlite"]
    assert names(root, OwnRules(["plans/**"])) == ["plans/a", "plans/b"]
    assert names(root, OwnRules([], ["x.sqlite"])) == []


def test_the_look_has_an_end(tmp_path: Path) -> None:
    root = plant(tmp_path, {"a/x.sqlite": "", "node_modules/x.sqlite": "", "x.sqlite": ""})
    rules = OwnRules(["*.sqlite"])
    assert names(root, rules) == ["a/x.sqlite", "x.sqlite"]
    assert closed(root, rules, itertools.count().__next__) == ()
