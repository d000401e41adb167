"""A person's editor in a process of its own: it saves whole files by renaming, as editors do.

Each line of its input is one thing to do as JSON, each line of its output what came of it. Every line that it adds
holds a mark that stands nowhere else, and it never takes one out: one that is missing later was lost by somebody else.
"""

import os
import random
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

ROOT = Path(__file__).parents[2]
_PAUSE_S = 0.004


class Hand:
    """The process, for tests; `folder` is where it works."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.hand", str(folder)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def do(self, what: str, **more: Any) -> dict[str, Any]:
        """One of: `insert` (path, seed), `endings` (path), `recreate` (path, seed), `begin` (paths, seed), `stop`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode({"do": what, **more}) + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = msgspec.json.decode(self._process.stdout.readline())
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


class Editor:
    """The other side: what the process itself does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marks: dict[str, list[str]] = {}
        self.lost: list[str] = []

    def act(self, order: Mapping[str, Any]) -> dict[str, Any]:
        match order["do"]:
            case "begin":
                said, count = self._all_the_time(order["paths"], random.Random(order["seed"]))
                return {"saves": count, "lost": self.lost, "marks": self.marks, "stopped": said}
            case "endings":
                return {"done": self._endings(order["path"])}
            case "recreate":
                return {"mark": self._insert(order["path"], order["seed"], recreate=True)}
            case _:
                return {"mark": self._insert(order["path"], order["seed"])}

    def _all_the_time(self, paths: Sequence[str], chance: random.Random) -> tuple[bool, int]:
        """Saves one file after the other until the next order comes, and looks each time for what it wrote before."""
        print("{}", flush=True)
        count = 0
        while not select.select([sys.stdin], [], [], chance.uniform(0, _PAUSE_S))[0]:
            path = chance.choice(paths)
            if chance.random() < 0.1:
                self._endings(path)
            else:
                self._insert(path, chance.random())
            count += 1
        return bool(sys.stdin.readline()), count

    def _insert(self, path: str, seed: float, *, recreate: bool = False) -> str | None:
        """A line with a mark somewhere in the file; None where there is no such file."""
        text = self._read(path)
        if text is None:
            return None
        known = self.marks.setdefault(path, [])
        self.lost += [mark for mark in known if mark.encode() not in text and mark not in self.lost]
        mark = f"hand {path} {len(known)}."
        lines = text.splitlines(keepends=True)
        end = "\r\n" if lines and lines[0].endswith(b"\r\n") else "\n"
        lines.insert(int(random.Random(seed).random() * (len(lines) + 1)), f"# {mark}{end}".encode())
        if recreate:
            (self.folder / path).unlink()
        self._save(path, b"".join(lines))
        known.append(mark)
        return mark

    def _endings(self, path: str) -> bool:
        text = self._read(path)
        if text is not None:
            lines = text.replace(b"\r\n", b"\n")
            self._save(path, lines if lines != text else lines.replace(b"\n", b"\r\n"))
        return text is not None

    def _read(self, path: str) -> bytes | None:
        try:
            return (self.folder / path).read_bytes()
        except FileNotFoundError:
            return None

    def _save(self, path: str, text: bytes) -> None:
        beside = self.folder / f"{path}.saving~"
        beside.write_bytes(text)
        os.replace(beside, self.folder / path)


def main() -> None:
    editor = Editor(Path(sys.argv[1]))
    while line := sys.stdin.readline():
        print(msgspec.json.encode(editor.act(msgspec.json.decode(line))).decode(), flush=True)


if __name__ == "__main__":
    main()
