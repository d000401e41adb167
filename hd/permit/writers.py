"""The programs that write where their words say, and which of their words those are; pure.

One table for the plain ones; the others have a function. `None` is the answer for a call that writes nothing by its
words, such as `sed` without `-i`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from hd.permit.expand import Arg

Targets = list[Arg] | None


@dataclass(slots=True)
class Options:
    """A command line read by getopt's rules: flags by letter or long name, options with their values, operands."""

    flags: set[str] = field(default_factory=set)
    values: list[tuple[str, Arg]] = field(default_factory=list)
    operands: list[Arg] = field(default_factory=list)

    def given(self, *names: str) -> list[Arg]:
        return [value for name, value in self.values if name in names]


def options(arguments: Sequence[Arg], valued: str = "") -> Options:
    """`valued` names the options that take a value, letters and long names between blanks."""
    names = frozenset(valued.split())
    found = Options()
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        text = word.text
        if text == "--":
            found.operands += reversed(rest)
            break
        if text.startswith("--"):
            name, separator, _ = text[2:].partition("=")
            found.flags.add(name)
            if separator:
                found.values.append((name, word.since(len(name) + 3)))
            elif name in names and rest:
                found.values.append((name, rest.pop()))
        elif text.startswith("-") and len(text) > 1:
            for place, letter in enumerate(text[1:], 2):
                found.flags.add(letter)
                if letter in names:
                    value = word.since(place) if len(text) > place else rest.pop() if rest else None
                    found.values += [(letter, value)] if value else []
                    break
        else:
            found.operands.append(word)
    return found


@dataclass(frozen=True, slots=True)
class Writer:
    """Which operands are written to, and `into`, the options whose value is. `valued` are further options with a value;
    with a flag of `unless` the operands are only read."""

    operands: Literal["all", "last", "first", "none"]
    into: str = ""
    valued: str = ""
    unless: str = ""

    def targets(self, arguments: Sequence[Arg]) -> Targets:
        given = options(arguments, f"{self.into} {self.valued}")
        named = given.given(*self.into.split())
        if given.flags & set(self.unless.split()):
            return named or None
        match self.operands:
            case "all":
                return [*named, *given.operands]
            case "last":
                return named or given.operands[1:][-1:]
            case "first":
                return [*named, *given.operands[:1]]
            case _:
                return named or None


_ALL: Final = Writer("all")
_CURL_VALUES: Final = (
    "A b C d e E F H h K m P Q r t T u U w X x y Y z data data-raw data-binary data-urlencode header user user-agent "
    "request form url proxy max-time connect-timeout retry retry-delay cacert cert key cookie referer range upload-file"
)
_ARCHIVE: Final = "f C T X b g I K L V exclude exclude-from files-from transform strip-components file directory"
_TABLE: Final[dict[str, Writer]] = {
    "cp": Writer("last", "t target-directory", "S suffix"),
    "mv": Writer("all", "t target-directory", "S suffix"),
    "tee": _ALL,
    "touch": Writer("all", "", "d r t date reference"),
    "mkdir": Writer("all", "", "m mode"),
    "mkfifo": Writer("all", "", "m mode"),
    "truncate": Writer("all", "", "s r size reference"),
    "split": Writer("last", "", "a b C l n bytes lines number suffix-length"),
    "zip": Writer("first", "b O output-file", "x i n t P"),
    "unzip": Writer("none", "d", "P"),
    "curl": Writer("none", "o output output-dir D dump-header c cookie-jar trace trace-ascii", _CURL_VALUES),
    "wget": Writer(
        "none", "O output-document P directory-prefix o output-file a append-output save-cookies", "U T t e header"
    ),
    "sort": Writer("none", "o output", "k t S T key field-separator"),
    "patch": Writer("first", "d directory o output r reject-file", "p i D F B V z strip input"),
    "make": Writer("none", "C directory", "f j I o W"),
    "cmake": Writer("none", "B prefix install-prefix", "S G D build install target config j parallel"),
    "mktemp": Writer("all", "p tmpdir"),
    "virtualenv": Writer("all", "", "p python"),
    "npm": Writer("none", "prefix C"),
    "pnpm": Writer("none", "C dir"),
    "yarn": Writer("none", "cwd"),
    **dict.fromkeys(("rm", "rmdir", "unlink", "ed", "ex", "vi", "vim", "nvim", "nano", "rename"), _ALL),
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), Writer("all", "", "reference")),
    **dict.fromkeys(
        ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd"),
        Writer("all", "o", "", "c stdout to-stdout t test l list"),
    ),
}


def targets(program: str, arguments: Sequence[Arg]) -> Targets:
    """The words of a call that name where it writes; None when it writes by none of them."""
    if program in _SPECIAL:
        return _SPECIAL[program](arguments)
    return _TABLE[program].targets(arguments) if program in _TABLE else None


def _ln(arguments: Sequence[Arg]) -> Targets:
    """Both ends: what is written through the link is written where it leads. The text of a symbolic link counts from
    the folder that the link is in."""
    given = options(arguments, "t target-directory S suffix")
    into = given.given("t", "target-directory")
    if not given.flags & {"s", "symbolic"} or len(given.operands) != 2 or into:
        return [*into, *given.operands]
    target, link = given.operands
    folder = link.text.rpartition("/")[0]
    if link.unknown or not folder or target.text.startswith("/"):
        return [target, link]
    return [Arg(tuple(f"{folder}/{text}" for text in target.texts), target.unknown), link]


def _install(arguments: Sequence[Arg]) -> Targets:
    given = options(arguments, "t m o g S target-directory mode owner group suffix")
    into = given.given("t", "target-directory")
    return given.operands if given.flags & {"d", "directory"} else into or given.operands[1:][-1:]


def _dd(arguments: Sequence[Arg]) -> Targets:
    return [word.since(3) for word in arguments if word.text.startswith("of=")] or None


def _sed(arguments: Sequence[Arg]) -> Targets:
    given = options(arguments, "e f l expression file line-length")
    if not given.flags & {"i", "in-place"}:
        return None
    # BSD's `-i` takes its suffix, which is mostly empty, as a word of its own.
    files = [word for word in given.operands if word.text or word.unknown]
    return files if given.given("e", "f", "expression", "file") else files[1:]


def _perl(arguments: Sequence[Arg]) -> Targets:
    given = options(arguments, "e E I M")
    if "i" not in given.flags:
        return None
    return given.operands if given.given("e", "E") else given.operands[1:]


def _tar(arguments: Sequence[Arg]) -> Targets:
    words = list(arguments)
    if words and words[0].text and not words[0].text.startswith("-"):
        # The old style: letters without a dash, and their values after them in the same order.
        letters, words = words[0].text, words[1:]
        split: list[Arg] = []
        for letter in letters:
            split.append(Arg((f"-{letter}",)))
            if letter in _ARCHIVE.split() and words:
                split.append(words.pop(0))
        words = split + words
    given = options(words, f"{_ARCHIVE} one-top-level")
    if given.flags & {"x", "extract", "get"}:
        if given.flags & {"P", "absolute-names"}:
            return [Arg(("/",))]
        return given.given("C", "directory", "one-top-level") or [Arg((".",))]
    if given.flags & {"t", "list", "d", "diff"}:
        return None
    return [word for word in given.given("f", "file") if word.text != "-"] or None


def _rsync(arguments: Sequence[Arg]) -> Targets:
    return options(arguments, "e f T exclude include filter exclude-from include-from rsh").operands[1:][-1:]


def _compiler(arguments: Sequence[Arg]) -> Targets:
    return [value for word, value in pairwise(arguments) if word.text == "-o"] or None


def _python(arguments: Sequence[Arg]) -> Targets:
    texts = [word.text for word in arguments[:2]]
    return options(arguments[2:], "prompt").operands if texts in (["-m", "venv"], ["-m", "virtualenv"]) else None


def _pip(arguments: Sequence[Arg]) -> Targets:
    named = options(arguments, "t target prefix root r c e i requirement d dest")
    return named.given("t", "target", "prefix", "root", "d", "dest") or None


def _uv(arguments: Sequence[Arg]) -> Targets:
    given = options(arguments, "directory project target prefix p python")
    named = given.given("directory", "project", "target", "prefix")
    return named + (given.operands[1:] if given.operands[:1] == [Arg(("venv",))] else []) or None


_SPECIAL: Final[dict[str, Callable[[Sequence[Arg]], Targets]]] = {
    "ln": _ln, "link": _ln, "install": _install, "ginstall": _install, "dd": _dd, "sed": _sed, "gsed": _sed,
    "perl": _perl, "ruby": _perl, "tar": _tar, "bsdtar": _tar, "gtar": _tar, "rsync": _rsync, "uv": _uv,
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "rustc", "go", "pandoc"), _compiler),
    **dict.fromkeys(("python", "python3"), _python),
    **dict.fromkeys(("pip", "pip3"), _pip),
}  # fmt: skip
