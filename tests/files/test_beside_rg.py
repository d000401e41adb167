"""Lines found are those that ripgrep finds, for expressions that both read alike, in trees with rules of all kinds."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.files.search import grep
from hd.files.walk import Walk
from tests.files.trees import plant

RG = shutil.which("rg")
PATTERNS = ("needle", "^x = 1$", r"nee+dle\b", r"[a-c]\d", "(?i)NEEDLE|y", r"def \w+\(", ".", "^$", r"x.*1")
LINES = ("needle here", "x = 1", "neeedle", "a1 b2", "Needle", "def f(x):", "", "nothing", "y", "  x == 1")
NAMES = (
    "a.py",
    "b.txt",
    "c.log",
    "out/a.py",
    "out/b.md",
    "sub/a.py",
    "sub/deep/c.log",
    "sub/deep/keep.log",
    "sub/out/x.py",
)
RULES = ("*.log", "!keep.log", "/out/", "out", "sub/*.py", "!a.py", "deep/", "**/x.py")
OPTIONS = ("--no-config", "--no-heading", "--with-filename", "-n", "--hidden", "--no-require-git", "--no-ignore-dot")


def by_rg(root: Path, pattern: str) -> set[tuple[str, int]]:
    assert RG is not None
    command = [RG, *OPTIONS, "--no-ignore-global", "--crlf", "--glob", "!.git", "-e", pattern, "."]
    ran = subprocess.run(command, cwd=root, capture_output=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    rows = (line.decode("utf-8", "replace").split(":", 2) for line in ran.stdout.split(b"\n") if line)
    return {(name.removeprefix("./"), int(number)) for name, number, _ in rows}


def by_us(root: Path, pattern: str) -> set[tuple[str, int]]:
    found = grep(Walk(root, root, Guard()), pattern, most=100_000)
    assert (found.more, found.stopped) == (False, None)
    return {(match.name, match.number) for match in found.found}


def content(dice: random.Random) -> bytes:
    ending = dice.choice(["\n", "\r\n"])
    text = ending.join(dice.choices(LINES, k=dice.randint(0, 12))) + dice.choice(["", ending])
    form = dice.choice(["utf-8", "utf-8", "utf-16", "binary", "latin"])
    if form == "binary":
        return b"\0" + text.encode()
    return text.encode() + b"caf\xe9\n" if form == "latin" else text.encode(form)


@pytest.mark.long
@pytest.mark.skipif(RG is None, reason="there is no rg here to compare with")
def test_the_lines_are_those_of_rg(tmp_path: Path) -> None:
    dice = random.Random(7)
    for number in range(8):
        root = tmp_path / str(number)
        plant(root, {name: content(dice) for name in NAMES if dice.random() < 0.9})
        for folder in ("", "sub/"):
            plant(root, {f"{folder}.gitignore": "\n".join(dice.sample(RULES, 2)) + "\n"})
        for pattern in PATTERNS:
            assert by_us(root, pattern) == by_rg(root, pattern), (number, pattern)


def test_nothing_depends_on_rg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, {"a.py": "needle\n", "bin/rg": "#!/bin/sh\nexit 9\n"})
    (tmp_path / "bin/rg").chmod(0o755)
    for path in (str(tmp_path / "bin"), ""):
        monkeypatch.setenv("PATH", path)
        assert by_us(tmp_path, "needle") == {("a.py", 1)}
