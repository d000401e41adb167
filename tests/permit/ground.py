"""A workspace with what a proof of reading has to tell apart."""

import subprocess
from pathlib import Path

from hd.files.layer import FileLayer
from tests.files.trees import plant

FILES = {
    "README.md": "about\n",
    "a.txt": "a\n",
    "b.txt": "b\n",
    "data.csv": "1,2\n",
    "package.json": '{"name": "x"}\n',
    "src/main.py": "def foo(): ...\n",
    "src/other.py": "def bar(): ...\n",
    "docs/guide.md": "foo\n",
    "odd/-ofound.txt": "an option by its name\n",
    "odd/x": "x\n",
    ".env": "TOKEN=hidden-value-1\n",
    "secrets.yaml": "token: hidden-value-2\n",
}


def workspace(top: Path) -> FileLayer:
    """The files above in a new git repository, with links to a secret and out of the workspace."""
    root = plant(top / "work", FILES)
    plant(top, {"outside/file": "beyond\n"})
    (root / "notes.txt").symlink_to(".env")
    (root / "out-link").symlink_to("../outside")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    return FileLayer(root)
