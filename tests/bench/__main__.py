"""`python -m tests.bench [--only NAME] [--runs N] [--quick]`: prints a table and writes `bench.json`.

A benchmark and no test: it states what it finds and ends with 0 whatever that is.
"""

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

from tests.bench import (
    bound_rows,
    client_rows,
    command_rows,
    daemon_rows,
    driver,
    file_rows,
    ledger_rows,
    long_rows,
    prefix_rows,
    screen_rows,
    undo_rows,
)
from tests.bench.figures import table
from tests.bench.stage import Probe
from tests.support.daemon import ROOT

PROBES = (
    *daemon_rows.PROBES,
    *client_rows.PROBES,
    *long_rows.PROBES,
    *bound_rows.PROBES,
    *file_rows.PROBES,
    *undo_rows.PROBES,
    *command_rows.PROBES,
    *ledger_rows.PROBES,
    *prefix_rows.PROBES,
    *screen_rows.PROBES,
)
FILE = ROOT / "bench.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure hd and htui.")
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this (others stay in bench.json)")
    parser.add_argument("--runs", type=_positive, metavar="N", help="samples of each row instead of its own number")
    parser.add_argument("--quick", action="store_true", help="few samples: a look, not a measurement")
    options = parser.parse_args()
    probes = driver.chosen(PROBES, options.only)
    if not probes:
        parser.error(f"no row is called like {options.only!r}")

    def runs_of(probe: Probe) -> int:
        return int(options.runs or (probe.quick if options.quick else probe.runs))

    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="hd-bench-", ignore_cleanup_errors=True) as folder:
        results = driver.run(
            probes, Path(folder), runs_of, lambda text: print(f"… {text}", file=sys.stderr, flush=True)
        )
    driver.save(FILE, results, keep_others=options.only is not None)
    print(table(results))
    print(f"Python {platform.python_version()} on {os.cpu_count()} cores.", end=" ")
    print(f"Load average {before:.2f} before the first row, {os.getloadavg()[0]:.2f} behind the last one.")
    return 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


if __name__ == "__main__":
    sys.exit(main())
