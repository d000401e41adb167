"""How much of what was sent before the provider's cache can read again, in a session in which everything happens.

The second row is the same session with the guidance chosen anew for each request and put into its system message, as
other agents do. Both leave the one compaction out.
"""

import asyncio
from typing import Final

from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage
from tests.support.long_session import play

RATIO: Final = Row("prefix_hit_ratio", "%")
ANEW: Final = Row("prefix_hit_ratio_chunks_anew", "%")


def ratios(stage: Stage, runs: int) -> Samples:
    """The figures are the same in each run but for what the surroundings of the machine are called."""
    taken = [asyncio.run(play(stage.folder / f"long-session-{run}")) for run in range(runs)]
    return {RATIO.name: [100 * one.ratio() for one in taken], ANEW.name: [100 * one.ratio_anew() for one in taken]}


PROBES: Final = (Probe((RATIO, ANEW), ratios, runs=1, quick=1),)
