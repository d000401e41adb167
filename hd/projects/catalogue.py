"""Which command finds the errors of a project or of one file; pure.

The order of the signs and their commands follow the seed's table. Where its command would fetch something from the
network, look at one file of many, or leave files behind, the form here does not.
"""

import shlex
from collections.abc import Mapping, Set
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Final

_PYTHON_MARKS: Final = ("requirements.txt", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Signs:
    """What the top of a folder says about its project.

    `names` are the names there; `scripts` those of `package.json`; `python` is the interpreter of a virtual environment
    in the folder, relative to it, or `python3`.
    """

    names: Set[str]
    scripts: Set[str] = frozenset()
    python: str = "python3"

    def has(self, *names: str) -> bool:
        return any(name in self.names for name in names)

    def ends(self, suffix: str) -> bool:
        return any(name.endswith(suffix) for name in self.names)


@dataclass(frozen=True, slots=True)
class Check:
    """A command that ends with 0 where there are no errors, and what it looks at."""

    language: str
    command: str


def project_check(signs: Signs) -> Check | None:
    """The check of the whole project, None where nothing says what kind it is."""
    if signs.has("Cargo.toml"):
        return Check("Rust", "cargo check 2>&1")
    if signs.has("go.mod"):
        return Check("Go", "go vet ./... 2>&1")
    if signs.has("pom.xml"):
        return Check("Java", "mvn -q compile 2>&1")
    if signs.has("build.gradle", "build.gradle.kts"):
        gradle = "./gradlew" if signs.has("gradlew") else "gradle"
        return Check("Java", f"{gradle} -q compileJava 2>&1")
    if signs.has("package.json"):
        if not signs.has("tsconfig.json") and "build" in signs.scripts:
            return Check("JavaScript", "npm run build 2>&1")
        return Check("TypeScript", _TSC)
    if signs.has(*_PYTHON_MARKS) or signs.ends(".py"):
        return Check("Python", _python(signs, "."))
    if signs.has("Gemfile"):
        return Check("Ruby", _each("*.rb", "ruby -c"))
    if signs.has("composer.json"):
        return Check("PHP", _each("*.php", "php -l"))
    if signs.has("Makefile", "makefile", "GNUmakefile"):
        return Check("C", "make 2>&1")
    if signs.has("CMakeLists.txt"):
        return Check("C", "cmake --build build 2>&1")
    return None


_MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    "Rust": ("Cargo.toml",),
    "Go": ("go.mod", "go.work"),
    "Java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    "TypeScript": ("tsconfig.json",),
    "JavaScript": ("package.json",),
    "Python": _PYTHON_MARKS,
    "Ruby": ("Gemfile",),
    "PHP": ("composer.json",),
    "C or C++": ("CMakeLists.txt", "meson.build"),
}
"""The files at the top of a project that say which language it is written in. A Makefile says nothing of that."""


def languages(names: Set[str]) -> dict[str, tuple[str, ...]]:
    """The languages of a project by the names at its top, each with the files that say so."""
    found = {language: tuple(mark for mark in marks if mark in names) for language, marks in _MARKS.items()}
    return {language: marks for language, marks in found.items() if marks}


def file_check(path: str, signs: Signs) -> Check | None:
    """The check of the one file `path` (relative to the project), None where no language is known by its name.

    Where a language is only checked as a whole, that is the check: a type error shows nowhere else.
    """
    name, suffix = shlex.quote(path), PurePosixPath(path).suffix.lower()
    if suffix in (".py", ".pyi"):
        return Check("Python", _python(signs, path))
    if suffix in _BY_SUFFIX:
        language, command = _BY_SUFFIX[suffix]
        return Check(language, f"{command} {name} 2>&1")
    if suffix in (".ts", ".tsx", ".mts", ".cts"):
        return Check("TypeScript", _TSC)
    if suffix == ".go":
        return Check("Go", f"go vet {shlex.quote('./' + str(PurePosixPath(path).parent))} 2>&1")
    if suffix in (".rs", ".java", ".kt"):
        return project_check(signs)
    return None


# Without `--no-install` a missing compiler would be fetched, and another package of that name is what one gets.
_TSC: Final = "npx --no-install tsc --noEmit 2>&1"

_BY_SUFFIX: Final[Mapping[str, tuple[str, str]]] = {
    ".js": ("JavaScript", "node --check"),
    ".mjs": ("JavaScript", "node --check"),
    ".cjs": ("JavaScript", "node --check"),
    ".rb": ("Ruby", "ruby -c"),
    ".php": ("PHP", "php -l"),
    ".sh": ("Shell", "bash -n"),
    ".bash": ("Shell", "bash -n"),
    ".c": ("C", "gcc -fsyntax-only -Wall -Wextra"),
    ".cc": ("C++", "g++ -fsyntax-only -Wall -Wextra"),
    ".cpp": ("C++", "g++ -fsyntax-only -Wall -Wextra"),
}


def _each(pattern: str, program: str) -> str:
    """`program` on every file of the pattern, one at a time, for it looks at the first of several only."""
    skipped = " ".join(f"-not -path './{folder}/*'" for folder in ("vendor", "node_modules", ".git"))
    return f"find . -name '{pattern}' {skipped} -print0 | xargs -0 -n 1 {program} 2>&1"


def _python(signs: Signs, path: str) -> str:
    """Compiles in memory: `compileall` and `py_compile` would leave their results in the person's folders."""
    script = files("hd.projects").joinpath("check_python.py")
    return f"{shlex.quote(signs.python)} {shlex.quote(str(script))} {shlex.quote(path)}"
