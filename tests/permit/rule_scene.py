"""A workspace with programs that can be ruled on, on a search path of its own."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hd.files.layer import FileLayer
from hd.permit.look import DiskLook
from hd.permit.places import Ground
from hd.permit.reading import doubt
from hd.permit.rules import Rule, Scene, Use, covering, make
from hd.permit.ties import DiskTies


def program(place: Path, body: str = "exit 0") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


class Ruled:
    """The workspace `folder`, with `bin` before the system's folders on its search path."""

    def __init__(self, files: FileLayer, programs: Path) -> None:
        self.files = files
        self.folder = files.root
        self.programs = programs
        self.path = f"{programs}:/usr/bin:/bin"

    def scene(self, use: Use = "command", only_reads: Callable[[str], bool] | None = None) -> Scene:
        proven = partial(doubt, look=DiskLook(self.files))
        ties = DiskTies(self.folder, self.path)
        return Scene(Ground.of(self.folder), use, ties, only_reads or (lambda command: proven(command) is None))

    def rule(self, command: str, use: Use = "command", *, number: int = 1) -> Rule:
        return make(command, self.scene(use), typed=True, number=number)

    def covers(self, rules: list[Rule], line: str, use: Use = "command") -> list[int]:
        """The numbers of the rules that cover a line; none where it has to be asked about."""
        return [rule.number for rule in covering(line, rules, self.scene(use))]
