"""What it costs a command that its changes are kept: the tree of its workspace is compared before and after it."""

import asyncio
from typing import Final

from tests.bench.figures import Row
from tests.bench.stage import Probe, Samples, Stage
from tests.bench.wire import conversation

FIRST: Final = Row("first command in 10,000 files", "s", 5)
LATER: Final = Row("later command in 10,000 files", "ms", 500)

FOLDERS: Final = 100
FILES: Final = 100
COMMAND: Final = "[[shell touch made]]"


def commands(stage: Stage, runs: int) -> Samples:
    """Turns with one command that makes a file, in a workspace of small files that was never seen before."""
    workspace = stage.workspace("commands")
    for folder in range(FOLDERS):
        place = workspace / f"part{folder % 10}" / f"folder{folder}"
        place.mkdir(parents=True)
        for number in range(FILES):
            (place / f"file{number}.py").write_text(f"value = {folder * FILES + number}\n" * 40)

    async def measured() -> Samples:
        async with conversation(daemon, workspace) as talk:
            await talk.turn("[[fast]]")
            taken = [await talk.turn(COMMAND) for _ in range(1 + runs)]
        assert all(turn.count("tool/result") == 1 for turn in taken)
        assert taken[0].count("undo/changed") == 1
        return {FIRST.name: [taken[0].end], LATER.name: [1000 * turn.end for turn in taken[1:]]}

    with stage.daemon("commands") as daemon:
        return asyncio.run(measured())


PROBES: Final = (Probe((FIRST, LATER), commands, runs=20, quick=5),)
