"""The rules of the house as functions of a source tree: each gives the places where it is broken.

They take the root so that a test can also show that each of them finds a break that was planted on purpose.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LONGEST = 350
PACKAGES = ("hd", "htui", "pricing")
FORBIDDEN_WORDS = {"manager", "helper", "helpers", "util", "utils", "handler", "data", "info", "thread", "chat"}
HEAVY = {"textual", "cryptography", "holidays", "rich", "pygments", "keyring", "markdown_it", "pylatexenc", "termaid"}
SQL = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA \w+)\b")
WRITES = {"write_text", "write_bytes", "unlink", "rename", "replace", "rmdir", "touch", "symlink_to"}


def exceptions(root: Path) -> dict[str, str]:
    """`rule: place` → reason, from the list beside this file; a line without a reason counts for nothing."""
    found: dict[str, str] = {}
    for line in (root / "tests/arch/exceptions.txt").read_text().splitlines():
        place, separator, reason = line.partition(" — ")
        if separator and reason.strip() and not line.startswith("#"):
            found[place.strip()] = reason.strip()
    return found


def sources(root: Path, *packages: str) -> Iterator[tuple[str, Path]]:
    for package in packages or PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield str(path.relative_to(root)), path


def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_text())


@cache
def _parsed(text: str) -> ast.Module:
    """Most of the rules look at the same files; reading them once is what makes the rules quick."""
    return ast.parse(text)


def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return _walked(path.read_text())


@cache
def _walked(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parsed(text)))


def long_files(root: Path) -> list[str]:
    """Files of more than `LONGEST` lines."""
    return [name for name, path in sources(root) if len(path.read_text().splitlines()) > LONGEST]


def forbidden_names(root: Path) -> list[str]:
    """Modules and classes with a word in their name that says nothing."""
    found: list[str] = []
    for name, path in sources(root):
        if set(path.stem.strip("_").split("_")) & FORBIDDEN_WORDS:
            found.append(name)
        for node in _nodes(path):
            if isinstance(node, ast.ClassDef):
                words = {word.lower() for word in re.findall(r"[A-Z][a-z]*|[a-z]+", node.name)}
                if words & FORBIDDEN_WORDS:
                    found.append(f"{name}:{node.name}")
    return found


def missing_docstrings(root: Path) -> list[str]:
    """Modules without a docstring: it is where a reader learns what a file is for."""
    return [name for name, path in sources(root) if not ast.get_docstring(_tree(path))]


def early_heavy_imports(root: Path) -> list[str]:
    """Heavy libraries imported at the top of a module that starts early (everything but htui's own face)."""
    found: list[str] = []
    for name, path in sources(root):
        if name.startswith(
            ("htui/widgets", "htui/screens", "htui/app", "htui/composer", "htui/paint", "htui/present", "htui/theme")
        ):
            continue
        for node in _tree(path).body:
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module or ""]
            found += [f"{name}:{module}" for module in modules if module.partition(".")[0] in HEAVY]
    return found


def sql_outside_the_store(root: Path) -> list[str]:
    """SQL text anywhere but in `hd/session/store`."""
    found: list[str] = []
    for name, path in sources(root, "hd", "htui", "pricing"):
        if name.startswith("hd/session/store/"):
            continue
        for node in _nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value):
                found.append(f"{name}:{node.lineno}")
    return found


def log_writers(root: Path) -> list[str]:
    """Modules that append to a store's log; only the live session may."""
    found: list[str] = []
    for name, path in sources(root, "hd"):
        if name.startswith("hd/session/store/"):
            continue
        for node in _nodes(path):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
                and ast.unparse(node.func.value).endswith("store")
            ):
                found.append(name)
    return sorted(set(found) - {"hd/session/live.py"})


FILE_WRITERS = (
    "hd/files/",
    "hd/config/",
    "hd/session/store/",
    "hd/process/spill.py",
    "hd/undo/blobs.py",
    "hd/undo/index.py",
    "hd/undo/pending.py",
    "htui/",
)


def file_writers(root: Path) -> list[str]:
    """Modules of the daemon that change files outside the one file layer and the home's own rooms."""
    found: list[str] = []
    for name, path in sources(root, "hd", "pricing"):
        if name.startswith(FILE_WRITERS):
            continue
        for node in _nodes(path):
            if isinstance(node, ast.Call) and _writes(node):
                found.append(f"{name}:{node.lineno}")
    return found


def _writes(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr in WRITES:
        receiver = ast.unparse(call.func.value)
        return receiver == "os" or "path" in receiver.lower() or call.func.attr.startswith("write_")
    if isinstance(call.func, ast.Name) and call.func.id == "open":
        mode = next((ast.unparse(arg) for arg in call.args[1:2]), "'r'")
        return any(letter in mode for letter in "wax+")
    return False


def sleeping_tests(root: Path) -> list[str]:
    """Tests that wait by the clock, skip without a word, or cannot fail; a benchmark and a soak may pause."""
    wrong = re.compile(r"\btime\.sleep\(|asyncio\.sleep\((?!0\))|assert True\b|\bmark\.(skip|xfail)\b")
    return [
        f"{path.relative_to(root)}:{number}"
        for path in sorted((root / "tests").rglob("*.py"))
        if not {"arch", "bench", "soak"} & set(path.parts)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if wrong.search(line)
    ]


def raising_homes(root: Path) -> list[str]:
    """`Path.expanduser`, which raises RuntimeError for `~nobody`; `os.path.expanduser` leaves it, as a shell does."""
    return [
        f"{name}:{node.lineno}"
        for name, path in sources(root)
        for node in _nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "expanduser"
        and ast.unparse(node.func.value) not in ("os.path", "posixpath")
    ]


RULES = {
    "home": raising_homes,
    "long": long_files,
    "name": forbidden_names,
    "docstring": missing_docstrings,
    "heavy": early_heavy_imports,
    "sql": sql_outside_the_store,
    "log": log_writers,
    "write": file_writers,
    "sleep": sleeping_tests,
}
