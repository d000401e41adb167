"""Runs probes one after the other; one that cannot run costs the others nothing."""

import gc
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from tests.bench.figures import Figure, Result, Row, Unmeasured, document
from tests.bench.stage import NotMeasured, Probe, stage

Say = Callable[[str], None]


def chosen(probes: Iterable[Probe], only: str | None) -> list[Probe]:
    """The probes with a row whose name contains `only`."""
    wanted = (only or "").casefold()
    return [probe for probe in probes if any(wanted in row.name.casefold() for row in probe.rows)]


def run(probes: Sequence[Probe], folder: Path, runs_of: Callable[[Probe], int], say: Say) -> dict[Row, Result]:
    results: dict[Row, Result] = {}
    for probe in probes:
        say(", ".join(row.name for row in probe.rows))
        results |= _results(probe, folder, runs_of(probe))
    return results


def _results(probe: Probe, folder: Path, runs: int) -> dict[Row, Result]:
    gc.collect()
    gc.disable()  # What is measured is not how long this process looks for garbage.
    try:
        with stage(folder) as place:
            samples = probe.measure(place, runs)
    except NotMeasured as reason:
        return dict.fromkeys(probe.rows, Unmeasured(str(reason)))
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        lines = str(error).splitlines() or ["no text"]
        return dict.fromkeys(probe.rows, Unmeasured(f"{type(error).__name__}: {lines[0][:100]}"))
    finally:
        gc.enable()
    return {row: Figure.of(samples[row.name], row.unit) for row in probe.rows}


def save(path: Path, results: dict[Row, Result], *, keep_others: bool) -> None:
    """Writes the figures; with `keep_others` those of rows that were not run now stay in the file."""
    figures = document(results)
    if keep_others and path.exists():
        figures = {**msgspec.json.decode(path.read_bytes()), **figures}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")
