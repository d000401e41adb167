"""The difference of two texts for people: hunks for clients, the unified form for approvals. Pure.

Both texts come with `\\n` only; line endings are never part of a difference, because the layer keeps them.
"""

from dataclasses import dataclass

from hd.files.lines import opcodes

_CONTEXT = 3
_MOST_IN_PAIRS = 400_000
_NO_NEWLINE = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that changed with the lines around them.

    `rows` are (sign, line) with the sign ` `, `-` or `+`; a line has the `\\n` that ends it, if one does. `old_start`
    and `new_start` are the numbers of the first lines, from 1.
    """

    old_start: int
    new_start: int
    rows: tuple[tuple[str, str], ...]

    @property
    def old_lines(self) -> list[str]:
        return [line for sign, line in self.rows if sign != "+"]

    @property
    def new_lines(self) -> list[str]:
        return [line for sign, line in self.rows if sign != "-"]


def hunks(old: str, new: str, context: int = _CONTEXT) -> list[Hunk]:
    """What changed, in order; changes that are no more than twice the context apart stand in one hunk."""
    skipped, old, new = _without_the_same(old, new, context)
    before, after = _ended_lines(old), _ended_lines(new)
    groups: list[list[tuple[str, int, int, int, int]]] = []
    for code in opcodes(before, after):
        if code[0] == "equal":
            continue
        if groups and code[1] - groups[-1][-1][2] <= 2 * context:
            groups[-1].append(code)
        else:
            groups.append([code])
    return [_hunk(group, before, after, context, skipped) for group in groups]


def _without_the_same(old: str, new: str, context: int) -> tuple[int, str, str]:
    """How many lines both begin with, less the context, and the texts without these and those that both end with, so
    that a small change of a large file costs no list of its lines."""
    head = old.rfind("\n", 0, _shared(old, new)) + 1
    start = _back(old, head, context)
    rest_old, rest_new = old[head:], new[head:]
    tail = _shared(rest_old[::-1], rest_new[::-1])
    # The last line that is the same as a whole begins behind a newline that is the same too.
    end = rest_old.find("\n", len(rest_old) - tail) + 1 or len(rest_old)
    for _ in range(context):
        end = rest_old.find("\n", end) + 1 or len(rest_old)
    return old.count("\n", 0, start), old[start : head + end], new[start : len(new) - (len(rest_old) - end)]


def _back(text: str, at: int, lines: int) -> int:
    """Where the line begins that is so many before the one that begins here, or the first one."""
    for _ in range(lines):
        at = text.rfind("\n", 0, max(at - 1, 0)) + 1
    return at


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    known, most = 0, min(len(one), len(other))
    while known < most:
        middle = (known + most + 1) // 2
        if one[known:middle] == other[known:middle]:
            known = middle
        else:
            most = middle - 1
    return known


def unified(name: str, old: str | None, new: str) -> str:
    """The whole difference in the unified form; `old` is None for a new file. Empty when nothing changed."""
    parts = [f"--- {'/dev/null' if old is None else f'a/{name}'}\n", f"+++ b/{name}\n"]
    for hunk in hunks(old or "", new):
        removed, added = len(hunk.old_lines), len(hunk.new_lines)
        parts.append(f"@@ -{_range(hunk.old_start, removed)} +{_range(hunk.new_start, added)} @@\n")
        parts += (sign + line if line.endswith("\n") else f"{sign}{line}\n{_NO_NEWLINE}" for sign, line in hunk.rows)
    return "".join(parts) if len(parts) > 2 else ""


def _range(start: int, count: int) -> str:
    """As diff writes it: an empty range names the line before it, a range of one line has no count."""
    return f"{start - 1},0" if count == 0 else str(start) if count == 1 else f"{start},{count}"


def _ended_lines(text: str) -> list[str]:
    *full, rest = text.split("\n")
    lines = [f"{line}\n" for line in full]
    return [*lines, rest] if rest else lines


def _hunk(
    codes: list[tuple[str, int, int, int, int]], before: list[str], after: list[str], context: int, skipped: int
) -> Hunk:
    old_from = max(codes[0][1] - context, 0)
    old_to = min(codes[-1][2] + context, len(before))
    new_from = codes[0][3] - (codes[0][1] - old_from)
    rows: list[tuple[str, str]] = []
    at = old_from
    for _, old_start, old_end, new_start, new_end in codes:
        rows += ((" ", line) for line in before[at:old_start])
        rows += (("-", line) for line in before[old_start:old_end])
        rows += (("+", line) for line in after[new_start:new_end])
        at = old_end
    rows += ((" ", line) for line in before[at:old_to])
    return Hunk(skipped + old_from + 1, skipped + new_from + 1, tuple(rows))


def pairs(old: str, new: str, most: int = _MOST_IN_PAIRS) -> list[tuple[str, str]]:
    """(old, new) text of each hunk with its context, without the newline at its end, as clients show them.

    Hunks beyond `most` characters in all are left out.
    """
    found: list[tuple[str, str]] = []
    for hunk in hunks(old, new):
        before, after = "".join(hunk.old_lines), "".join(hunk.new_lines)
        most -= len(before) + len(after)
        if most < 0:
            break
        found.append((before.removesuffix("\n"), after.removesuffix("\n")))
    return found
