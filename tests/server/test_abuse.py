"""K07 by chance: whatever a client sends, it is answered by a line or closed by a code, and nobody else is touched."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support import abuse
from tests.support.abuse_play import call_wrongly, defects, send_wrongly
from tests.support.daemon import Daemon

pytestmark = pytest.mark.long

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


# The socket beside it draws its masks from the shared generator, which hypothesis takes for a strategy's doing.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
async def test_k07_frames_of_every_wrong_kind(shared: Daemon) -> None:
    async with shared.socket() as socket:
        bystander = await socket.open("session/control")
        await bystander.item()

        @FEW
        @given(abuse.frames)
        def play(raw: bytes) -> None:
            assert send_wrongly(shared, raw) == []

        await asyncio.to_thread(play)
        again = await socket.open("session/control")
        assert (await again.item())["type"] == "baseline"
    assert defects(shared) == ""


def test_k07_calls_with_arguments_of_every_kind(own: Daemon, folder: Path) -> None:
    session = asyncio.run(own.new_session(folder))

    @FEW
    @given(abuse.calls())
    def play(call: tuple[str, dict[str, Any]]) -> None:
        endpoint, args = call
        assert call_wrongly(own, endpoint, abuse.aimed(args, session)) == []

    play()
    assert defects(own) == ""


@pytest.mark.parametrize("name", ["\n", "a\r\nb", "\x9b31m", "\u2028"])
def test_an_error_is_one_line_whatever_it_quotes(shared: Daemon, name: str) -> None:
    error = shared.result("agentPresets/read", agentPreset=name)["error"]
    assert error["message"].isprintable()
    assert error["details"]["agentPreset"] == name
