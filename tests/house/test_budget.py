"""A session that may cost so much and no more."""

from pathlib import Path

from tests.house.test_commands import value
from tests.house.test_turns import ENDED
from tests.support.daemon import Daemon
from tests.support.mock_model import MockModel, Reply

USAGE = {
    "prompt_tokens": 100_000,
    "prompt_cache_hit_tokens": 0,
    "prompt_cache_miss_tokens": 100_000,
    "completion_tokens": 10_000,
    "total_tokens": 110_000,
}
"""At least 0.14 CNY, at most 0.28."""


async def test_h08_the_next_request_is_not_sent_and_a_higher_cap_lets_it_go(
    daemon: Daemon, mock: MockModel, folder: Path
) -> None:
    mock.add(*[Reply(text="an answer", usage=USAGE)] * 3)
    session = await daemon.new_session(folder)

    async def budget(args: str) -> str:
        ran = await daemon.acall("commands/execute", agentId=session, line=f"/budget {args}", submittedAttachments=[])
        return str(ran)

    assert "may cost 0.3 CNY" in await budget("0.30")
    assert "is no amount" in await budget("much")
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        reasons = []
        for prompt in ("first", "second", "third"):
            await daemon.prompt(session, prompt)
            reasons.append((await follow.until(ENDED))["event"]["data"]["reason"])
        assert reasons[0] == {"kind": "completed"}
        assert reasons[-1]["error"]["code"] == "BUDGET"
        assert "/budget" in reasons[-1]["error"]["message"]
        sent = len(mock.requests)
        assert sent < 3
        assert (await value(daemon, session, "budget"))["amount"] == "0.3"
        await budget("5")
        await daemon.prompt(session, "go on")
        assert (await follow.until(ENDED))["event"]["data"]["reason"] == {"kind": "completed"}
    assert len(mock.requests) == sent + 1
    assert mock.requests[-1].parsed["messages"][-1]["content"] == "go on"
    assert "has no budget" in await budget("off")
