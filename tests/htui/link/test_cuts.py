"""A recorded scenario over real sockets that are cut again and again: the link ends as one that was never cut."""

from pathlib import Path

import pytest

from htui.mirror import SessionMirror
from tests.htui.link.watching import linked
from tests.htui.mirror.screens import Screens
from tests.htui.mirror.stage import Stage
from tests.support.recordings import VERSIONS, Arrival, Recording
from tests.support.replay_host import Channel, FakeHost, Streaming


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["05_shell_turn", "10_queue_steer"])
async def test_a_link_that_is_cut_off_again_and_again_ends_the_same(version: str, name: str, tmp_path: Path) -> None:
    recording = Recording.load(version, name)
    arrivals = [arrival for arrival in recording.seen_by("A") if arrival.kind == "item"]
    whole, stage = Screens().all(arrivals), Stage(arrivals)
    (want,) = whole.mirrors.values()
    pieces = [arrivals[start : start + 40] for start in range(0, len(arrivals), 40)]

    def streaming(endpoint: str, piece: list[Arrival]) -> Streaming:
        """What the host knows of a stream so far, and then its part of the piece."""
        first = [arrival for arrival in stage.returning() if endpoint_of(arrival) == endpoint]
        later = [arrival for arrival in piece if endpoint_of(arrival) == endpoint]

        async def send(channel: Channel) -> None:
            for arrival in (*first, *later):
                await channel.item(arrival.value)
            await channel.cancelled.wait()

        return send

    async with FakeHost() as host, linked(host, tmp_path) as (link, watch):
        mirror = link.follow(want.session_id)
        for piece in pieces:
            for endpoint in ("$events", "session/control", "session/follow"):
                if any(endpoint_of(arrival) == endpoint for arrival in arrivals[: arrivals.index(piece[-1]) + 1]):
                    host.streams[endpoint] = streaming(endpoint, piece)
            await host.drop()
            link.retry()
            stage.all(piece)
            if stage.follows:
                due = (mirror.loads + 1, stage.follows[0].cursor)
                await watch.until(lambda due=due: (mirror.loads, mirror.cursor) == due)
        await watch.until(lambda: shown(mirror) == shown(want))
        assert link.host.asks == whole.host.asks == ()


def endpoint_of(arrival: Arrival) -> str | None:
    return None if arrival.stream is None else arrival.stream.endpoint


def shown(mirror: SessionMirror) -> object:
    usage = mirror.value("tokenUsage")
    return list(mirror.rows), mirror.live, mirror.running, mirror.phase, mirror.queue, usage
