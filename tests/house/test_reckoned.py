"""What all sessions cost at a host that does not tell: a daemon whose money is hidden is the judge."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from hd.protocol import codes
from htui.errors import RemoteError
from htui.link.address import Address
from htui.link.cookies import CookieFolder
from htui.link.link import Link
from htui.link.login import Auth
from htui.money.scan import Scan
from htui.money.store import Store
from pricing import PriceTable, shipped, with_own
from tests.house.test_budget import USAGE as USED
from tests.house.test_money import document
from tests.house.test_turns import ENDED
from tests.htui.link.watching import Watch, running
from tests.ledger.test_oracle import OWN
from tests.support.daemon import Daemon
from tests.support.mock_model import MockModel, Reply


class PlainLink(Link):
    """A link to a host that knows no money; `read` are the seqs of the events that pages brought, by session."""

    read: dict[str, list[int]]

    async def call(self, endpoint: str, /, **args: Any) -> Any:
        if endpoint.startswith("money/"):
            raise RemoteError(codes.INVOCATION_UNAVAILABLE, f"The host does not offer {endpoint}.")
        value = await super().call(endpoint, **args)
        if endpoint == "session/page":
            seqs = [record["event"]["seq"] for record in value["records"]]
            self.read.setdefault(args["request"]["address"]["sessionId"], []).extend(seqs)
        return value


def plain_link(daemon: Daemon, folder: Path) -> tuple[PlainLink, Watch]:
    watch = Watch()
    link = PlainLink(
        Address(f"http://127.0.0.1:{daemon.port}", daemon.token), Auth(CookieFolder(folder)), watch, chance=lambda: 0.5
    )
    link.read = {}
    watch.link = link
    return link, watch


def scan_of(link: Link, folder: Path, tables: PriceTable) -> Scan:
    return Scan(link, Store(folder), tables, lambda: time.time_ns() // 1_000_000, lambda: None)


async def sums(scan: Scan) -> Any:
    await scan.look(lambda: None)
    assert (scan.progress.read, scan.progress.failed) == (scan.progress.all, 0)
    return scan.summary


async def summary(daemon: Daemon) -> Any:
    """What the daemon tells, but for its cap, which is no sum."""
    told = await daemon.acall("money/summary")
    return {key: value for key, value in told.items() if key != "dayCap"}


async def turns(daemon: Daemon, mock: MockModel, session: str, *usages: Any) -> None:
    mock.add(*[Reply(text="an answer", usage=usage) for usage in usages])
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        for number, _ in enumerate(usages):
            await daemon.prompt(session, f"prompt {number}")
            await follow.until(ENDED)


async def test_t20_all_sessions_of_a_host_that_tells_no_cost(
    daemon: Daemon, mock: MockModel, folder: Path, tmp_path: Path
) -> None:
    first, second = await daemon.new_session(folder), await daemon.new_session(folder)
    await turns(daemon, mock, first, USED, None, *[USED] * 4)
    await turns(daemon, mock, second, USED)
    fork = (await daemon.acall("session/fork", request={"sessionId": first}))["sessionId"]
    await turns(daemon, mock, fork, USED)
    link, watch = plain_link(daemon, tmp_path / "auth")
    async with running(link):
        await watch.phase("online")
        scan = scan_of(link, tmp_path / "accounts", shipped())
        told = await summary(daemon)
        assert await sums(scan) == told
        assert (told["total"]["requests"], told["total"]["unpriced"]) == (8, 1)
        whole = len(set(link.read[first]))

        link.read.clear()
        await turns(daemon, mock, first, USED)
        assert await sums(scan) == await summary(daemon)
        assert set(link.read) == {first}
        assert min(link.read[first]) > whole * 2 / 3, "the second scan reads the end only"
        assert len(link.read[first]) < whole

    await asyncio.to_thread(daemon.stop)
    await asyncio.to_thread(daemon.start)
    link, watch = plain_link(daemon, tmp_path / "auth")
    async with running(link):
        await watch.phase("online")
        assert await sums(scan_of(link, tmp_path / "accounts", shipped())) == await summary(daemon)
        assert sum(map(len, link.read.values())) < whole, "what was read is kept, also over a restart of both"
        own = json.dumps(OWN)
        reckoned = await sums(scan_of(link, tmp_path / "accounts", with_own("prices.json", own.encode())))
    (daemon.home / "prices.json").write_text(own)
    dearer = await asyncio.to_thread(document, daemon.home)
    assert (reckoned["total"]["amount"], reckoned["month"]["amount"]) == (dearer["total"], dearer["month"])
    assert dearer["total"] != told["total"]["amount"]
