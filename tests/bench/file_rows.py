"""The file room in a tree of 100,000 files and on a file of 50 MB, beside programs that do the same, if there are any.

The tree has 2,000 folders of 50 files of 20 lines; the text that is searched stands in 200 of them. It is a repository
whose files are all new. Everything is in the memory of the file system: each probe begins with one run that counts not.
"""

import itertools
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from hd.files import search
from hd.files.errors import FileError
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.files.walk import Limits, Walk
from tests.bench.figures import Row
from tests.bench.stage import NotMeasured, Probe, Samples, Stage

GREP: Final = Row("100,000 files: grep for a word", "s")
PATTERN: Final = Row("100,000 files: grep without a certain word", "s")
RG: Final = Row("100,000 files: the same word by rg", "s")
GREP_TO_RG: Final = Row("100,000 files: grep to rg", "times", 3)
NAMES: Final = Row("100,000 files: search for a name", "s")
GIT: Final = Row("100,000 files: list by git ls-files", "s")
NAMES_TO_GIT: Final = Row("100,000 files: search for a name to git ls-files", "times")
LIST: Final = Row("100,000 files: list one folder", "ms")
EDIT: Final = Row("50 MB: edit of one line", "s")
WRONG: Final = Row("50 MB: edit that fits nowhere", "s")

FILES: Final = 100_000
IN_A_FOLDER: Final = 50
NEEDLE: Final = "needle_here"
EVERY: Final = 500
SIZE: Final = 50_000_000
PATIENCE_S: Final = 300.0


def grep(stage: Stage, runs: int) -> Samples:
    """What the tool gives for a word, and for an expression of which no letters are certain."""
    tree = _tree(stage)
    word = _timed(lambda: _whole(tree, NEEDLE, FILES // EVERY), runs)
    return {GREP.name: word, PATTERN.name: _timed(lambda: _whole(tree, "n.e.d.e_h.r.z", 0), runs)}


def beside_rg(stage: Stage, runs: int) -> Samples:
    """Both in turn, so that what else the machine does weighs on both."""
    tree, program = _tree(stage), _program("rg")
    pairs = [
        (_once(lambda: _whole(tree, NEEDLE, FILES // EVERY)), _once(lambda: _run([program, "-n", NEEDLE, str(tree)])))
        for _ in range(1 + runs)
    ][1:]
    return {RG.name: [theirs for _, theirs in pairs], GREP_TO_RG.name: [ours / theirs for ours, theirs in pairs]}


def names(stage: Stage, runs: int) -> Samples:
    """Every name of the tree is looked at, as for a list of all files."""
    tree, program = _tree(stage), _program("git")
    layer = FileLayer(tree)
    command = [program, "-C", str(tree), "ls-files", "-co", "--exclude-standard"]
    pairs = [(_once(lambda: layer.search("stands nowhere")), _once(lambda: _run(command))) for _ in range(1 + runs)][1:]
    return {
        NAMES.name: [ours for ours, _ in pairs],
        GIT.name: [theirs for _, theirs in pairs],
        NAMES_TO_GIT.name: [ours / theirs for ours, theirs in pairs],
    }


def one_folder(stage: Stage, runs: int) -> Samples:
    layer = FileLayer(_tree(stage))
    return {LIST.name: [1000 * taken for taken in _timed(lambda: layer.list("d0/s0"), runs)]}


def large_file(stage: Stage, runs: int) -> Samples:
    """An edit in the middle with everything that belongs to it, and one that is refused with the nearest line."""
    root = stage.folder / "large"
    root.mkdir(exist_ok=True)
    line = "0123456789 of a line that is like the others\n"
    half = line * (SIZE // 2 // len(line))
    (root / "large.txt").write_text(f"{half}the one line = 0\n{half}")
    layer = FileLayer(root)
    number = itertools.count()

    def edit() -> None:
        now = next(number)
        layer.edit("large.txt", f"the one line = {now}\n", f"the one line = {now + 1}\n")

    def miss() -> None:
        try:
            layer.edit("large.txt", "no line is like this at all", "x")
        except FileError:
            return
        raise AssertionError("the text was found")

    return {EDIT.name: _timed(edit, runs), WRONG.name: _timed(miss, runs)}


def _tree(stage: Stage) -> Path:
    root = stage.folder / "files"
    if root.exists():
        return root
    text = "".join(f"    value_{number} = index + {number}  # of a module like others\n" for number in range(20))
    for number in range(FILES):
        folder = root / f"d{number // 5000}" / f"s{number // IN_A_FOLDER % 100}"
        if number % IN_A_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        found = f"{NEEDLE} = {number}\n" if number % EVERY == 0 else ""
        (folder / f"f{number}.py").write_text(text + found)
    if shutil.which("git"):
        _run(["git", "init", "-q", str(root)])
    return root


def _whole(tree: Path, pattern: str, matches: int) -> None:
    """As the tool does it, but with as much time as it takes: on a busy machine the tool's own limit would end it."""
    found = search.grep(Walk(tree, tree, Guard(), limits=Limits(seconds=PATIENCE_S)), pattern)
    assert found.stopped is None
    assert len(found.found) == matches


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise NotMeasured(f"there is no {name} here")
    return found


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def _timed(work: Callable[[], object], runs: int) -> list[float]:
    return [_once(work) for _ in range(1 + runs)][1:]


def _once(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


PROBES: Final = (
    Probe((GREP, PATTERN), grep, runs=5, quick=1),
    Probe((RG, GREP_TO_RG), beside_rg, runs=5, quick=1),
    Probe((NAMES, GIT, NAMES_TO_GIT), names, runs=5, quick=1),
    Probe((LIST,), one_folder, runs=20, quick=5),
    Probe((EDIT, WRONG), large_file, runs=5, quick=1),
)
