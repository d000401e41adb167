"""What all sessions cost: told by the daemon, and by `hd cost` beside it."""

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

from hd.errors import DONE, FAILED, USAGE
from htui.mirror import SessionMirror
from tests.house.test_budget import USAGE as USED
from tests.house.test_turns import ENDED
from tests.support.daemon import ROOT, Daemon
from tests.support.mock_model import MockModel, Reply


def cost(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HD_HOME": str(home), "TZ": "America/Los_Angeles"}
    command = [sys.executable, "-m", "hd", "cost", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def document(home: Path, *arguments: str) -> Any:
    told = cost(home, *arguments, "--json")
    assert (told.returncode, told.stderr) == (DONE, "")
    return json.loads(told.stdout)


async def test_what_sessions_cost_adds_up_line_by_line(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(*[Reply(text="an answer", usage=USED)] * 3)
    first, second = await daemon.new_session(folder), await daemon.new_session(folder)
    async with daemon.socket() as socket:
        for session, prompts in ((first, ("one", "two")), (second, ("=SUM(A1)",))):
            follow = await socket.follow(session)
            for prompt in prompts:
                await daemon.prompt(session, prompt)
                await follow.until(ENDED)
    told = await daemon.acall("money/summary")
    explained = await daemon.acall("money/explain", request={"sessionId": first})
    assert (told["today"]["requests"], told["total"]["requests"], told["total"]["unpriced"]) == (3, 3, 0)
    assert sum(row["requests"] for row in told["hours"]) == 3
    assert sum(Decimal(row["amount"]) for row in explained["rows"]) == Decimal(explained["total"]) > 0
    home = daemon.home
    listed = document(home)
    assert (listed["total"], listed["today"]) == (told["total"]["amount"], told["today"]["amount"])
    assert sum(Decimal(row["amount"]) for row in listed["sessions"]) == Decimal(listed["total"])
    assert [(row["sessionId"], row["requests"], row["title"]) for row in listed["sessions"]] == [
        (first, 2, "one"),
        (second, 1, "=SUM(A1)"),
    ]
    assert document(home, "--explain", first) == explained
    people = cost(home, "--explain", first.removeprefix("session-")[:8])
    assert f"total {explained['total']} CNY in 2 requests" in people.stdout
    assert "'=SUM(A1)" in cost(home, "--csv").stdout
    assert cost(home, "--explain", "session-none").returncode == FAILED
    (home / "prices.json").write_text('[{"id": "mine"}]')
    refused = cost(home)
    assert (refused.returncode, refused.stdout) == (USAGE, "")
    assert "entry mine" in refused.stderr


async def test_t20_a_client_of_a_host_that_tells_no_cost_reckons_the_same(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(text="an answer", usage=USED), Reply(text="without usage", usage=None), Reply(text="x", usage=USED))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        before = SessionMirror(session)
        before.apply(without_cost(await follow.item()))
        for prompt in ("one", "two", "three"):
            await daemon.prompt(session, prompt)
            await follow.until(lambda item: before.apply(item) and ENDED(item))
        told = await (await socket.follow(session)).item()
        after = SessionMirror(session)
        after.apply(without_cost(told))
    expected = told["projections"]["values"]["cost"]
    assert (expected["unpriced"], expected["exact"]) == (1, False)
    assert after.value("cost") is None
    assert after.cost() == before.cost() == expected


def without_cost(snapshot: dict[str, Any]) -> dict[str, Any]:
    """A snapshot as a host sends it that knows no money."""
    block = snapshot["projections"]
    values = {key: value for key, value in block["values"].items() if key != "cost"}
    return {**snapshot, "projections": {**block, "values": values}}
