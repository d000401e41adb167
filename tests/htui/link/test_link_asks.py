"""The link and what waits for a person: answers, what nobody here can answer, and a return."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from htui.link import generation, http
from htui.link.link import HostChanged
from tests.htui.link.watching import SESSION, linked
from tests.support.replay_host import READY, FakeHost, items


async def test_asks_are_answered_with_the_client_id_and_unknown_ones_passed_on(tmp_path: Path) -> None:
    known = {
        "type": "waterfall",
        "event": "approval/request",
        "eventId": "ask-1",
        "agentId": SESSION,
        "request": {"toolName": "bash"},
    }
    strange = {**known, "event": "strange/request", "eventId": "ask-2"}
    async with FakeHost() as host:
        host.streams["$events"] = items(READY, known, strange)
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.asks)
            await host.until(lambda: host.count("$events/result") == 1)
            passed_on = {"clientId": "client-1", "eventId": "ask-2", "outcome": {"kind": "next"}}
            assert ("$events/result", passed_on) in host.calls
            await link.answer("ask-1", {"kind": "result", "value": "allowed-once"})
            assert link.host.asks == ()
            assert HostChanged(frozenset({"asks"})) in watch.changes


async def test_an_ask_is_passed_on_until_the_host_heard_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = {"type": "waterfall", "event": "strange/request", "eventId": "ask-2", "agentId": SESSION, "request": {}}

    async def deaf_at_first(args: Any) -> Any:
        if host.count("$events/result") == 1:
            await asyncio.Event().wait()
        return msgspec.UNSET

    monkeypatch.setattr(http, "LIMIT", 0.3)
    async with FakeHost() as host:
        host.unary["$events/result"] = deaf_at_first
        host.streams["$events"] = items(READY, strange)
        async with linked(host, tmp_path) as (link, _):
            await host.until(lambda: host.count("$events/result") == 2)
            assert [args["eventId"] for name, args in host.calls if name == "$events/result"] == ["ask-2"] * 2
            assert link.status.phase == "online"
            assert host.count("$events") == 1


async def test_a_host_that_never_hears_it_is_left_and_asks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = {"type": "waterfall", "event": "strange/request", "eventId": "ask-2", "agentId": SESSION, "request": {}}

    async def deaf(args: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(generation, "_DECLINES", 1)
    monkeypatch.setattr(http, "LIMIT", 0.3)
    async with FakeHost() as host:
        host.unary["$events/result"] = deaf
        host.streams["$events"] = items(READY, strange)
        async with linked(host, tmp_path) as (link, watch):
            await watch.phase("offline")
            assert "it may have taken effect" in link.status.reason


async def test_asks_stay_over_a_reconnection_until_the_host_had_the_time_to_send_them_again(tmp_path: Path) -> None:
    def ask(event_id: str) -> dict[str, Any]:
        named = {"event": "approval/request", "eventId": event_id, "agentId": SESSION}
        return {"type": "waterfall", **named, "request": {"toolName": "bash"}}

    listing = asyncio.Event()

    async def listed(args: Any) -> Any:
        await listing.wait()
        return {"items": []}

    async with FakeHost() as host:
        host.streams["$events"] = items(READY, ask("settled meanwhile"), ask("waits"))
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: len(link.host.asks) == 2)
            await watch.until(lambda: link.host.catalogue is not None)
            host.unary["session/list"] = listed
            host.streams["$events"] = items({**READY, "clientId": "client-2"}, ask("waits"))
            await host.drop()
            await watch.phase("offline")
            link.retry()
            await watch.until(lambda: link.host.client_id == "client-2" and link.status.phase == "online")
            assert [one.event_id for one in link.host.asks] == ["settled meanwhile", "waits"]
            listing.set()
            await watch.until(lambda: [one.event_id for one in link.host.asks] == ["waits"])
