"""hd as a host: every recorded scenario is played against it, and what comes back is held against what was recorded.

The recordings lie beside the repository; where they are not there, these tests say so and are skipped.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.conformance import old_client, rules
from tests.conformance.differences import ALLOWED, INSTEAD, LEFT_OUT, SOMETIMES, entry
from tests.conformance.play import play
from tests.conformance.recorded import NEW, OLD, every_row, rows, scenarios
from tests.conformance.tools import TOOLS

pytestmark = pytest.mark.long

AT_ONCE = 3
"""So many scenarios are played side by side: they mostly wait."""

READ_BY_OLD_CLIENTS = (
    "03_workspaces_sessions", "04_text_turn", "05_shell_turn", "07_questions", "09_cancel", "10_queue_steer",
    "14_paging", "15_reconnect", "16_approval", "17_jobs_subagents",
)  # fmt: skip
"""Those of 0.1.5 that show what only its clients read: queue, jobs, options of permissions, the block of a result."""


class Plays:
    """The scenarios as they were asked for, each played once."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._found: dict[tuple[str, str], Future[list[str]]] = {}

    def begin(self, version: str, name: str) -> Future[list[str]]:
        if (version, name) not in self._found:
            rows(version, name)
            self._found[version, name] = self._pool.submit(_lines, version, name)
        return self._found[version, name]


def _lines(version: str, name: str) -> list[str]:
    played = asyncio.run(play(version, name))
    return old_client.differences(played) if version == OLD else rules.differences(played, version)


@pytest.fixture(scope="module")
def plays(request: pytest.FixtureRequest) -> Iterator[Plays]:
    """All scenarios of the selected tests are begun at once, so that nobody waits for them one by one."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = Plays(pool)
        for item in request.session.items:
            callspec = getattr(item, "callspec", None)
            if item.path == request.path and callspec is not None and {"version", "name"} <= callspec.params.keys():
                found.begin(callspec.params["version"], callspec.params["name"])
        yield found


@pytest.mark.parametrize(
    "version, name", [(NEW, name) for name in scenarios(NEW)] + [(OLD, name) for name in READ_BY_OLD_CLIENTS]
)
def test_hd_answers_as_the_official_server_did(version: str, name: str, plays: Plays) -> None:
    found = plays.begin(version, name).result()
    lines = [line for line in found if entry(name, line) is None and line not in SOMETIMES]
    assert not lines, "\n".join(lines)


def test_every_allowed_difference_is_still_there(plays: Plays) -> None:
    begun = {name: plays.begin(NEW, name) for name in scenarios(NEW)}
    used = {entry(name, line) for name, future in begun.items() for line in future.result()}
    unused = sorted(set(ALLOWED) - used)
    assert not unused, "not needed any more:\n" + "\n".join(unused)


def test_what_is_left_out_and_what_is_done_instead_stands_in_the_recordings() -> None:
    for (version, name), (left_out, _) in LEFT_OUT.items():
        assert left_out & {row["n"] for row in rows(version, name)}
    for version, name, number in INSTEAD:
        (row,) = [row for row in rows(version, name) if row["n"] == number]
        assert row["path"] == "/api/$events/result"


def test_each_exception_has_its_reason_and_none_is_made_for_the_strict_client() -> None:
    reasons = [*ALLOWED.values(), *(why for _, why in (*LEFT_OUT.values(), *INSTEAD.values()))]
    assert all(len(reason) > 10 for reason in reasons + [why for _, _, why in TOOLS.values()])
    assert not [line for line in ALLOWED if "strict client" in line]


def test_the_tools_of_the_table_are_in_the_recordings() -> None:
    rows(NEW, scenarios(NEW)[0])
    called = {
        row["frame"]["value"]["event"]["data"]["name"]
        for row in every_row(NEW)
        if row["dir"] == "s2c"
        and '"tool/call"' in str(row.get("frame")).replace("'", '"')
        and row["frame"].get("value", {}).get("event", {}).get("type") == "tool/call"
    }
    assert set(TOOLS) <= called | {"subagent"}
