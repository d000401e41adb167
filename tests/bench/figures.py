"""What is measured, what came out of it, and how that is told: pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `aim` is in `unit` and means "at most"; None where there is nothing to reach."""

    name: str
    unit: str
    aim: float | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """What the samples of a row say. With an even number of them the median lies between two."""

    median: float
    min: float
    max: float
    unit: str
    n: int

    @staticmethod
    def of(samples: Sequence[float], unit: str) -> "Figure":
        """ValueError without samples."""
        if not samples:
            raise ValueError("no samples")
        return Figure(median(samples), min(samples), max(samples), unit, len(samples))


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A row without a figure, and why."""

    reason: str


Result = Figure | Unmeasured


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` of all samples do not exceed (nearest rank); ValueError without any."""
    if not samples:
        raise ValueError("no samples")
    return sorted(samples)[max(0, math.ceil(share * len(samples)) - 1)]


def standing(figure: Figure, aim: float | None) -> str:
    """Where the median stands towards the aim."""
    if aim is None:
        return ""
    share = figure.median / aim
    return f"met, {share:.2f} of it" if share <= 1 else f"missed, {share:.2f} of it"


HEAD: Final = ("name", "median", "min", "max", "unit", "n", "aim", "where it stands")
_TEXT: Final = (0, 4, 7)
"""The columns that hold words and are aligned to the left."""


def table(results: Mapping[Row, Result]) -> str:
    """The rows in their order, as columns of plain text without a line break at the end."""
    lines = [HEAD, *(_cells(row, result) for row, result in results.items())]
    whole = [line for line in lines if len(line) == len(HEAD)]
    widths = [max(len(line[column]) for line in whole) for column in range(len(HEAD))]
    widths[0] = max(len(line[0]) for line in lines)
    return "\n".join(_line(line, widths) for line in lines)


def _cells(row: Row, result: Result) -> tuple[str, ...]:
    if isinstance(result, Unmeasured):
        return row.name, f"not measured: {result.reason}"
    spread = (short(result.median), short(result.min), short(result.max))
    aim = "" if row.aim is None else short(row.aim)
    return row.name, *spread, row.unit, str(result.n), aim, standing(result, row.aim)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    if len(cells) != len(HEAD):
        return f"{cells[0].ljust(widths[0])}  {cells[1]}"
    padded = (
        cell.ljust(width) if column in _TEXT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()


def short(value: float) -> str:
    """Three significant digits, and never an exponent."""
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def document(results: Mapping[Row, Result]) -> dict[str, dict[str, Any]]:
    """The measured rows as they stand in `bench.json`."""
    return {row.name: asdict(result) for row, result in results.items() if isinstance(result, Figure)}
