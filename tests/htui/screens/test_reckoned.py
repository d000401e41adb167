"""The cost on the screen where the host tells none of it."""

from functools import partial
from pathlib import Path

import pytest

from hd.protocol import codes
from hd.protocol.events import Event
from htui.errors import RemoteError
from htui.mirror.spent import EARLIER
from htui.money import log
from htui.pace import Pace
from htui.screens.spending import LOOK_EVERY
from tests.htui.money.host import Kept, LogsHost
from tests.htui.screens.stage import NOW, SESSION, Stage, stage
from tests.ledger.test_fold import ROUTE, message
from tests.ledger.test_fold import log as made
from tests.support.scripted import ScriptedLink


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "REST", 0.0)


def events(requests: int) -> list[Event]:
    drafts = [ROUTE, *[message(1, step, 1000) for step in range(requests)]]
    return [Event(event.type, event.seq, NOW, event.data) for event in made(*drafts)]


def plain(link: ScriptedLink, host: LogsHost) -> None:
    """The link is one to a host that knows no money."""
    link.answers["money/summary"] = RemoteError(codes.INVOCATION_UNAVAILABLE, "not offered")
    for endpoint in ("session/list", "session/page"):
        link.answers[endpoint] = partial(host.answer, endpoint)


def count(s: Stage, endpoint: str) -> int:
    return sum(1 for called, _ in s.link.calls if called == endpoint)


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_t20_all_sessions_are_reckoned_beside_the_one_in_sight(tmp_path: Path, size: tuple[int, int]) -> None:
    host = LogsHost({SESSION: Kept(events(2), NOW), "other": Kept(events(3), NOW)})
    async with stage(tmp_path, size=size, prepare=partial(plain, host=host)) as s:
        await s.until(lambda: s.app.spending.summary, "a summary")
        host.sessions["bad"] = Kept(events(1), NOW, broken=True)
        host.sessions["other"].events = events(7)
        host.sessions["other"].updated_at += 1
        await s.later(LOOK_EVERY)
        await s.until(lambda: count(s, "session/list") == 2, "the next look")
        await s.type("/cost")
        await s.press("enter")
        await s.sees("Reckoned here by the shipped prices")
        if size[0] < 80:
            await s.press("space")
        await s.sees("in 9 requests", "1 of 3 sessions could not be read")
        await s.until(lambda: (s.app.spending.summary or {})["today"]["exact"] is False, "the mark")


async def test_the_session_in_sight_is_whole_once_its_log_was_read(tmp_path: Path) -> None:
    whole = [*events(12), Event("turn/end", 13, NOW, {"turn": 1, "reason": {"kind": "completed"}})]
    host = LogsHost({SESSION: Kept(whole, NOW)})

    def prepare(link: ScriptedLink) -> None:
        plain(link, host)
        log = link.log()
        log.seq = len(whole) - 1
        log.snapshot([{"type": "event", "event": event.to_wire()} for event in whole[-3:]], has_more=True)

    async with stage(tmp_path, prepare=prepare) as s:
        mirror = s.chat.conversation.mirror
        assert mirror.has_more
        assert (mirror.cost()["requests"], mirror.cost()["reasons"][0]) == (2, EARLIER)
        await s.until(lambda: s.app.spending.cost_of(mirror)["requests"] == 12, "the whole log")
        assert EARLIER not in s.app.spending.cost_of(mirror)["reasons"]


async def test_on_a_slow_line_the_logs_are_read_for_the_panel_alone(tmp_path: Path) -> None:
    host = LogsHost({SESSION: Kept(events(400), NOW), "other": Kept(events(400), NOW)})
    async with stage(tmp_path, prepare=partial(plain, host=host)) as s:
        await s.until(lambda: s.app.spending.summary, "a summary")
    async with stage(tmp_path / "slow", prepare=partial(plain, host=host), pace=Pace("on")) as s:
        await s.until(lambda: count(s, "money/summary"), "the question")
        await s.later(2 * LOOK_EVERY)
        assert not count(s, "session/list")
        host.on_page = lambda session_id: s.chat.panels.close() if count(s, "session/page") == 3 else None
        await s.type("/cost")
        await s.press("enter")
        await s.until(lambda: s.app.spending._work is None, "the end of the look")
        assert count(s, "session/page") == 3, "closing the panel ends the reading"
        assert s.app.spending.summary is None, "what is not kept up to date is not shown"
        host.on_page = lambda session_id: None
        await s.type("/cost")
        await s.press("enter")
        await s.sees("2 of 2 sessions read", "in 800 requests")


async def test_prices_of_ones_own_count_and_bad_ones_are_told_once(tmp_path: Path) -> None:
    host = LogsHost({SESSION: Kept(events(2), NOW)})
    (tmp_path / "prices.json").write_text('[{"id": "mine"}]')
    async with stage(tmp_path, prepare=partial(plain, host=host)) as s:
        await s.sees("entry mine", "The shipped prices count")
        await s.type("/cost")
        await s.press("enter")
        await s.sees("Reckoned here by the shipped prices")
        await s.until(lambda: s.app.spending.summary, "a summary")
        assert (s.app.spending.summary or {})["total"]["exact"] is False
    (tmp_path / "prices.json").write_text("[]")
    async with stage(tmp_path, prepare=partial(plain, host=host)) as s:
        await s.until(lambda: s.app.spending.summary, "a summary")
        await s.type("/cost")
        await s.press("enter")
        await s.sees("Reckoned here by your prices")


async def test_a_host_that_tells_it_is_not_read(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["money/summary"] = {}
        await s.until(lambda: count(s, "money/summary"), "the question")
        await s.later(2 * LOOK_EVERY)
        assert not count(s, "session/list")
        assert s.app.spending.reckoned is None
