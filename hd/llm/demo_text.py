"""What the demo can tell from the text that a tool returned, by plain rules. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

_NUMBERED = re.compile(r"^\s*\d+(?:\t|→|\s?[|│]\s?|:\s)")
_TREE_MARKS = re.compile(r"^[\s│├└─|*+`-]+")
_DEFINITION = re.compile(
    r"^\s*(?:export\s+|pub\s+|public\s+|static\s+|async\s+)*(?:def|class|function|fn|func|interface|struct|enum)\s+(\w+)"
)
_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w./\"'{}, ]+)|use\s+([\w:]+)|#include\s+(\S+))")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_READABLE: Final = (
    *("md", "rst", "txt", "py", "js", "ts", "tsx", "rs", "go", "c", "h", "java", "rb", "sh"),
    *("toml", "json", "yaml", "yml", "cfg", "ini", "html", "css"),
)
_SHOWN: Final = 8


def unnumbered(text: str) -> str:
    """`text` without line numbers, where a tool put them before most lines; the others are the tool's own words."""
    lines = text.splitlines()
    marks = [_NUMBERED.match(line) for line in lines]
    if sum(mark is not None for mark in marks) * 2 <= len(lines):
        return text
    return "\n".join(line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark is not None)


def entries(listing: str) -> list[str]:
    """The names in a listing, without its heading, the marks of a tree and what stands behind a name."""
    names = (re.split(r"\t| {2,}| \(", _TREE_MARKS.sub("", line).strip())[0] for line in listing.splitlines())
    return [name for name in names if name not in ("", ".", "./") and not name.endswith(":") and name[0] != "["]


def worth_reading(names: Sequence[str]) -> str | None:
    """The file that says most about a folder: a README, else the first text file."""
    files = [name for name in names if " " not in name and name.lower().rpartition(".")[2] in _READABLE]
    readme = [name for name in files if name.rpartition("/")[2].lower().startswith("readme")]
    return next(iter(readme or files), None)


def folder_in_words(listing: str) -> str:
    names = sorted(entries(listing), key=lambda name: name.startswith("."))
    kinds = Counter(name.rpartition(".")[2] for name in names if "." in name.strip("./") and not name.endswith("/"))
    lines = [f"The listing has {_count(len(names), 'entry', 'entries')}."]
    if kinds:
        lines[0] += f" Most common: {', '.join(f'{n} × .{kind}' for kind, n in kinds.most_common(3))}."
    return "\n".join(lines + [f"- `{name}`" for name in names[:_SHOWN]] + _more(len(names)))


def file_in_words(path: str, returned: str) -> str:
    """Counts, headings, definitions and imports of what was read of a file."""
    lines = unnumbered(returned).splitlines()
    filled = sum(bool(line.strip()) for line in lines)
    said = [f"`{path}`: the tool returned {_count(len(lines), 'line')}, {filled} of them not empty."]
    for title, found in (
        (
            "Headings",
            [m[1] for line in lines if (m := _HEADING.match(line)) and path.lower().endswith((".md", ".rst"))],
        ),
        ("Definitions", [m[1] for line in lines if (m := _DEFINITION.match(line))]),
        ("Imports", [next(filter(None, m.groups())).strip() for line in lines if (m := _IMPORT.match(line))]),
    ):
        if found:
            said.append(f"- {title} ({len(found)}): {', '.join(f'`{name}`' for name in found[:_SHOWN])}")
    if len(said) == 1:
        first = next((line.strip() for line in lines if line.strip()), "")
        said.append(f"- It begins with: `{first[:100]}`" if first else "- It is empty.")
    return "\n".join(said)


def quoted(text: str, lines: int = _SHOWN) -> str:
    """The first lines of a tool's answer as a code block that its content cannot end."""
    shown = [line[:200] for line in text.rstrip().splitlines()]
    fence = "```"
    while any(fence in line for line in shown):
        fence += "`"
    cut = shown[:lines] + ([f"… {len(shown) - lines} more lines"] if len(shown) > lines else [])
    return "\n".join([fence, *cut, fence])


def found_lines(text: str) -> list[str]:
    """The lines of a search result that name a place (`path:line…`); empty where nothing was found."""
    return [line for line in text.splitlines() if re.search(r"\S:\d+[:\s-]|^\s*\d+[:\t|]", line)]


def _more(count: int) -> list[str]:
    return [f"- … and {count - _SHOWN} more"] if count > _SHOWN else []


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
