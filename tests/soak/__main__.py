"""`python -m tests.soak [PART …] [--size F] [--seed N]`: plays the parts and prints their figures and verdicts.

The figures are written to `soak.json` too. It ends with 1 when a part found anything wrong.
"""

import argparse
import faulthandler
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from tests.soak import abuse, connections, followers, kills, sessions
from tests.soak.host import host
from tests.soak.part import Load, Part, Report
from tests.support.daemon import ROOT

PARTS: Final[tuple[Part, ...]] = (followers.PART, sessions.PART, connections.PART, abuse.PART, kills.PART)
FILE: Final = ROOT / "soak.json"
GRACE_S: Final = 60.0
"""How much longer than its bound a part may take before the whole program is ended with all stacks printed."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="Wear hd out and look what breaks.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(p.name for p in PARTS)}; all")
    parser.add_argument("--size", type=float, default=1.0, metavar="F", help="how much of everything (1.0)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="what chance chooses (1)")
    options = parser.parse_args()
    unknown = set(options.parts) - {part.name for part in PARTS}
    if unknown or options.size <= 0:
        parser.error(f"no part is called {sorted(unknown)}" if unknown else "a size is above 0")
    load = Load(options.size, options.seed)
    reports = {part.name: _play(part, load) for part in PARTS if part.name in options.parts or not options.parts}
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(_document(reports, load)), indent=2) + b"\n")
    failed = [name for name, report in reports.items() if report.faults]
    print(
        f"{len(reports) - len(failed)} of {len(reports)} parts passed"
        + (f"; FAILED: {', '.join(failed)}" * bool(failed))
    )
    return 1 if failed else 0


def _play(part: Part, load: Load) -> Report:
    print(f"== {part.name}: {part.about} (size {load.size:g}, seed {load.seed})", flush=True)
    faulthandler.dump_traceback_later(part.bound_s * max(1.0, load.size) + GRACE_S, exit=True)
    with tempfile.TemporaryDirectory(prefix="hd-soak-", ignore_cleanup_errors=True) as folder, host(Path(folder)) as on:
        report = part.played(on, load)
    faulthandler.cancel_dump_traceback_later()
    for name, value in report.figures.items():
        print(f"   {name}: {value}")
    for fault in report.faults:
        print(f"   FAULT: {fault}")
    print(f"   {'FAILED' if report.faults else 'passed'}", flush=True)
    return report


def _document(reports: dict[str, Report], load: Load) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "loadAverage": os.getloadavg()[0],
        "size": load.size,
        "seed": load.seed,
        "parts": {name: {"figures": report.figures, "faults": report.faults} for name, report in reports.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
