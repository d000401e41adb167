"""Law 2 over a whole session: whatever happens, a request begins with the one before it (case G05)."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tests.support.long_session import COMPACTED_AFTER, TURNS, play
from tests.support.prefix_cache import BLOCK, hit_ratio, reads


@pytest.mark.long
async def test_g05_sixty_requests_of_every_kind_lose_nothing_but_at_the_one_compaction(tmp_path: Path) -> None:
    made = await play(tmp_path)
    assert made.violations == []
    assert len(made.requests) == 3 * TURNS + 1, "the summary is one more"
    broken = [place for place, (a, b) in enumerate(pairwise(made.requests), 1) if not b.body.startswith(a.lasting)]
    assert broken == made.breaks == [3 * COMPACTED_AFTER + 1]
    assert made.ratio() >= 0.999
    assert made.ratio() > made.ratio_anew()
    # All that the play changes was told, and each at the end of a request.
    kinds = Counter((e.data.get("source") or {}).get("kind") for e in made.events if e.type == "user/message")
    assert (kinds["user"], kinds["compact-checkpoint"]) == (TURNS, 1)
    assert min(kinds["runtime-context"], kinds["workspace-tree"], kinds["guidance"]) >= 5
    told = msgspec.json.encode([e.data for e in made.events if e.type == "user/message"]).decode()
    for words in ("Plan mode: on", "read-only:", "Undone by the person", "2026-03-02 (Monday)", "short answers"):
        assert words in told
    assert "moved: notes.txt -> src/notes.txt" in told
    assert {request.parsed["thinking"]["type"] for request in made.requests} == {"enabled", "disabled"}
    tools = {msgspec.json.encode(request.parsed["tools"]) for request in made.requests}
    (names,) = ([tool["function"]["name"] for tool in msgspec.json.decode(one)] for one in tools)
    assert names == sorted(names)
    # What `/cache` folds from the log says the same as what was sent.
    assert made.cache["requests"] == len(made.requests)
    assert made.cache["lost"] > 0
    differences = [row["difference"] for row in made.cache["rows"] if row["difference"] is not None]
    assert {found["segment"] for found in differences} <= {"parameters"}


def test_the_measure_counts_whole_blocks_that_were_sent_before() -> None:
    one, two = bytes(3 * BLOCK + 9), bytes(3 * BLOCK + 9) + b"x" * BLOCK
    changed = b"y" + two[1:]
    assert [(read.blocks, read.hit) for read in reads([one, two, changed, two])] == [(3, 0), (4, 3), (4, 0), (4, 4)]
    assert hit_ratio([one, two]) == 1
    assert hit_ratio([one, two, changed]) == 3 / 7
    assert hit_ratio([one, two, changed], breaks=[2]) == 1
