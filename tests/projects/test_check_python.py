"""The check of Python sources, as the process it is."""

import subprocess
import sys
from pathlib import Path

from hd.projects import check_python


def run(folder: Path, *paths: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, check_python.__file__, *paths], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_what_does_not_compile_is_named_and_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bad.py").write_text("def f(:\n")
    (tmp_path / "nul.py").write_bytes(b"x = '\0'\n")
    for skipped in (".hidden", "node_modules", "env"):
        (tmp_path / skipped).mkdir()
        (tmp_path / skipped / "bad.py").write_text("def f(:\n")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    before = sorted(tmp_path.rglob("*"))
    code, output = run(tmp_path, ".")
    assert code == 1
    assert [line.partition(":")[0] for line in output.splitlines()] == ["nul.py", "sub/bad.py"]
    assert "sub/bad.py:1:" in output
    assert sorted(tmp_path.rglob("*")) == before
    assert run(tmp_path, "good.py") == (0, "")
