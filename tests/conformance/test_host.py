"""hd as a host: every recorded scenario is played against it, and what comes back is held against what was recorded.

The recordings lie beside the repository; where they are not there, these tests say so and are skipped.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from tests.conformance import old_client, rules
from tests.conformance.differences import ALLOWED, INSTEAD, LEFT_OUT, LISTS, OLD_ALLOWED, entry
from tests.conformance.play import play
from tests.conformance.recorded import NEW, OLD, every_row, rows, scenarios
from tests.conformance.tools import TOOLS

pytestmark = pytest.mark.long

AT_ONCE = 2
"""So many scenarios are played ahead in a process of the tests, beside the one that its test asks for."""

SCENARIOS = [(version, name) for version in (NEW, OLD) for name in scenarios(version)]


class Plays:
    """The scenarios as they were asked for, each played once, also where several processes share the tests.

    Their differences are kept in files of `folder`; who has the lock of a scenario plays it, the others read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lines(self, version: str, name: str) -> list[str]:
        rows(version, name)
        kept = self._folder / f"{version}-{name}.json"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(msgspec.json.encode(_differences(version, name)))
        return msgspec.json.decode(kept.read_bytes(), type=list[str])


def _differences(version: str, name: str) -> list[str]:
    played = asyncio.run(play(version, name))
    return old_client.differences(played) if version == OLD else rules.differences(played, version)


def in_turn(names: Sequence[tuple[str, str]], worker: str, workers: int) -> list[tuple[str, str]]:
    """The scenarios in the order in which one of several processes begins them: each with others."""
    start = len(names) * int(worker.removeprefix("gw")) // workers
    return [*names[start:], *names[:start]]


@pytest.fixture(scope="module")
def plays(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plays]:
    """All scenarios of the selected tests are begun at once, so that nobody waits for them one by one."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    shared = tmp_path_factory.getbasetemp().parent if worker else tmp_path_factory.getbasetemp()
    folder = shared / "conformance"
    folder.mkdir(exist_ok=True)
    calls = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    asked = [(call.params["version"], call.params["name"]) for call in calls if call and "version" in call.params]
    found = Plays(folder)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for version, name in in_turn(asked, worker or "gw0", int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))):
            pool.submit(found.lines, version, name)
        yield found
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("version, name", SCENARIOS)
def test_hd_answers_as_the_official_server_did(version: str, name: str, plays: Plays) -> None:
    lines = [line for line in plays.lines(version, name) if entry(version, name, line) is None]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("listed", [NEW, OLD])
def test_every_allowed_difference_is_still_there(listed: str, plays: Plays) -> None:
    used = {entry(listed, name, line) for name in scenarios(listed) for line in plays.lines(listed, name)}
    unused = sorted(set(LISTS[listed]) - used)
    assert not unused, "not needed any more:\n" + "\n".join(unused)


def test_what_is_left_out_and_what_is_done_instead_stands_in_the_recordings() -> None:
    for (version, name, _), left_out in LEFT_OUT.items():
        assert left_out <= {row["n"] for row in rows(version, name)}
    for version, name, number in INSTEAD:
        (row,) = [row for row in rows(version, name) if row["n"] == number]
        assert row["path"] == "/api/$events/result"


def test_each_exception_has_its_reason_and_none_is_made_for_the_strict_client() -> None:
    reasons = [*ALLOWED.values(), *OLD_ALLOWED.values(), *(why for _, why in INSTEAD.values())]
    reasons += [why for _, _, why in LEFT_OUT]
    assert all(len(reason) > 10 for reason in reasons + [why for _, _, why in TOOLS.values()])
    assert not [line for line in (*ALLOWED, *OLD_ALLOWED) if "strict client" in line]


def test_the_tools_of_the_table_are_in_the_recordings() -> None:
    rows(NEW, scenarios(NEW)[0])
    called = {
        row["frame"]["value"]["event"]["data"]["name"]
        for row in every_row(NEW)
        if row["dir"] == "s2c"
        and '"tool/call"' in str(row.get("frame")).replace("'", '"')
        and row["frame"].get("value", {}).get("event", {}).get("type") == "tool/call"
    }
    assert set(TOOLS) <= called
