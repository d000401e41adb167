"""What a session cost is known to its clients as soon as a request is over."""

from pathlib import Path

from tests.house.test_commands import value
from tests.house.test_turns import ENDED
from tests.support.daemon import Daemon
from tests.support.mock_model import Call, MockModel, Reply

USAGE = {
    "prompt_tokens": 100_000,
    "prompt_cache_hit_tokens": 90_000,
    "prompt_cache_miss_tokens": 10_000,
    "completion_tokens": 1_000,
    "total_tokens": 101_000,
}


async def test_h02_each_request_is_billed_once_and_cached_tokens_at_their_own_rate(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(Reply(calls=[Call("list_files", {})], usage=USAGE), Reply(text="seen", usage=USAGE))
    session = await daemon.new_session(folder)
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, "look")
        await follow.until(ENDED)
    cost = await value(daemon, session, "cost")
    # Peak and off-peak differ by two, and the test runs at any hour: both rates of one request are known exactly.
    off_peak = (10_000 * 1 + 90_000 * 2 // 100 + 1_000 * 4) / 1_000_000
    assert cost["requests"] == 2
    assert cost["unpriced"] == 0
    assert cost["currency"] == "CNY"
    assert float(cost["amount"]) in (2 * off_peak, 3 * off_peak, 4 * off_peak)
    (model,) = cost["models"]
    assert (model["input"], model["cacheRead"], model["output"]) == (20_000, 180_000, 2_000)
