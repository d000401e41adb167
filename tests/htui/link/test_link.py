"""The link over real sockets: start-up, recordings, loss and return, login."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hd.protocol.envelope import WireError
from htui.errors import AnswerLost, Forbidden, HtuiError, Lagging, LoginNeeded, RemoteError, Unreachable
from htui.link import http
from htui.link.generation import Generation
from htui.link.link import HostChanged, SessionChanged
from tests.htui.link.watching import SESSION, event, linked, snapshot
from tests.support.recordings import VERSIONS, Recording
from tests.support.replay_host import READY, Channel, FakeHost, items, refusal, stay


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["04_text_turn", "06_file_tools", "07_questions", "16_approval", "10_queue_steer"])
async def test_the_link_shows_what_a_recorded_host_sent(version: str, name: str, tmp_path: Path) -> None:
    recording = Recording.load(version, name)
    wanted = recording.follows()[0]
    last = max(item["event"]["seq"] for item in wanted.items if item["type"] == "event")
    assert wanted.session_id is not None
    async with FakeHost.playing(recording) as host, linked(host, tmp_path) as (link, watch):
        mirror = link.follow(wanted.session_id)
        await watch.until(lambda: mirror.cursor == last)
        assert mirror.unknown == 0
        assert [row.text for row in mirror.rows if row.kind == "user"]
        assert link.host.client_id
        assert link.status.phase == "online"


async def test_it_is_online_after_events_and_baseline_and_reads_the_lists(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.unary["session/list"] = lambda args: {"items": [{"sessionId": SESSION, "running": True, "updatedAt": 5}]}
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.sessions and link.host.catalogue is not None)
            assert watch.phases() == ["connecting", "online"] or watch.phases() == ["online"]
            assert link.host.sessions[0].running
            opened = [channel.endpoint for channel in host.opened]
            assert opened[:2] == ["$events", "session/control"]


async def test_a_host_without_control_is_online_without_figures(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.streams["session/control"] = refusal("gateway/method-unavailable")
        host.streams["workspace/follow"] = refusal("gateway/invocation-unavailable")
        async with linked(host, tmp_path) as (link, watch):
            await watch.phase("online")
            assert not link.host.metrics


async def test_a_lost_connection_comes_back_and_the_snapshot_replaces(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.streams["session/follow"] = items(snapshot(0, [event(0, "turn/start", {"turn": 1})]))
        async with linked(host, tmp_path) as (link, watch):
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.cursor == 0 and mirror.running)
            host.streams["session/follow"] = items(
                snapshot(
                    1, [event(0, "turn/start", {"turn": 1}), event(1, "turn/end", {"reason": {"kind": "completed"}})]
                )
            )
            await host.drop()
            await watch.phase("offline")
            assert link.status.attempt == 1
            assert link.status.next_try_in == pytest.approx(0.5)
            assert mirror.running, "the last known state stays while offline"
            with pytest.raises(Unreachable):
                await link.call("session/list", _request={})
            link.retry()
            await watch.until(lambda: mirror.cursor == 1 and link.status.phase == "online")
            assert [row.kind for row in mirror.rows] == []
            await watch.until(lambda: not mirror.running)


async def test_a_gap_in_the_stream_is_healed_by_a_new_snapshot(tmp_path: Path) -> None:
    async def gap_once(channel: Channel) -> None:
        await channel.item(snapshot())
        await channel.item(event(1 if host.count("session/follow") == 1 else 0, "turn/start", {"turn": 1}))
        await stay(channel)

    async with FakeHost() as host:
        host.streams["session/follow"] = gap_once
        async with linked(host, tmp_path) as (link, watch):
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.running)
            assert mirror.failure is None
            assert (host.count("session/follow"), host.count("$events")) == (2, 1)


UNREADABLE = {"type": "event", "event": {"type": "turn/start", "seq": "zero"}}


@pytest.mark.parametrize(
    "broken",
    [
        [snapshot(), UNREADABLE],
        [snapshot(0, [UNREADABLE])],
        [snapshot(), event(1, "turn/start", {"turn": 1})],
        [snapshot(), {"type": "assistant-stream", "frame": {"type": "end", "revision": 7}}],
        ["no snapshot"],
    ],
    ids=["event", "snapshot", "gap", "frame", "item"],
)
async def test_a_session_that_breaks_the_rules_leaves_the_others_and_the_connection_alone(
    broken: list[Any], tmp_path: Path
) -> None:
    async def one_is_broken(channel: Channel) -> None:
        if channel.args["request"]["address"]["sessionId"] == "broken":
            for item in broken:
                await channel.item(item)
            await stay(channel)
        await channel.item(snapshot())
        await go_on.wait()
        await channel.item(event(0, "turn/start", {"turn": 1}))
        await stay(channel)

    go_on = asyncio.Event()
    async with FakeHost() as host:
        host.streams["session/follow"] = one_is_broken
        async with linked(host, tmp_path) as (link, watch):
            bad, good = link.follow("broken"), link.follow("good")
            await watch.until(lambda: bad.failure is not None and good.loaded)
            assert bad.failure is not None
            assert bad.failure.message.startswith("What is new here is not shown: ")
            assert host.count("session/follow") <= 3, "it is not tried for ever"
            go_on.set()
            await watch.until(lambda: good.running)
            assert (watch.phases().count("offline"), host.count("$events")) == (0, 1)
            host.streams["session/follow"] = items(snapshot(), event(0, "turn/start", {"turn": 1}))
            assert link.follow("broken") is bad
            await watch.until(lambda: bad.running and bad.failure is None)


async def test_a_list_that_does_not_come_in_time_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(args: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(http, "LIMIT", 0.2)
    async with FakeHost() as host:
        host.unary |= {"session/list": never, "session/modelCatalog": never}
        host.streams["session/follow"] = items(snapshot())
        async with linked(host, tmp_path) as (link, watch):
            await host.until(lambda: host.count("session/list") and host.count("session/modelCatalog"))
            with pytest.raises(Unreachable, match="time limit"):
                await link.refresh_lists()
            await watch.until(lambda: HostChanged(frozenset({"catalogue"})) in watch.changes)
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.loaded)
            assert (watch.phases().count("offline"), host.count("$events")) == (0, 1)


@pytest.mark.parametrize("error", [LoginNeeded("401"), Forbidden("403"), Unreachable(""), AnswerLost(""), Lagging("")])
async def test_only_a_shut_door_ends_what_the_connection_can_do_without(error: HtuiError) -> None:
    async def work() -> None:
        raise error

    if isinstance(error, LoginNeeded | Forbidden):
        with pytest.raises(type(error)):
            await Generation._tolerant(work)
    else:
        await Generation._tolerant(work)


async def test_several_sessions_are_followed_at_once_and_one_can_be_left(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.streams["session/follow"] = items(snapshot())
        async with linked(host, tmp_path) as (link, watch):
            first, second = link.follow("a"), link.follow("b")
            assert link.follow("a") is first
            await watch.until(lambda: first.loaded and second.loaded)
            channel = next(
                c for c in host.opened if c.args.get("request", {}).get("address", {}).get("sessionId") == "a"
            )
            link.unfollow("a")
            await host.until(lambda: channel.cancelled.is_set())
            assert link.status.phase == "online"


async def test_a_session_that_cannot_be_followed_does_not_end_the_link(tmp_path: Path) -> None:
    async with FakeHost() as host:
        host.streams["session/follow"] = refusal("session/not-found")
        async with linked(host, tmp_path) as (link, watch):
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.failure is not None)
            assert isinstance(mirror.failure, RemoteError)
            host.streams["session/follow"] = items(snapshot())
            link.follow(SESSION)
            await watch.until(lambda: mirror.loaded and mirror.failure is None)
            assert watch.phases().count("offline") == 0


async def test_a_sub_agent_is_followed_by_its_own_address_in_the_mode_that_the_host_takes(tmp_path: Path) -> None:
    async def one_shot_only(channel: Channel) -> None:
        if channel.args["request"]["address"]["mode"] == "continuable":
            await channel.error("subagent/unauthorized")
            return
        await channel.item(snapshot())
        await stay(channel)

    async with FakeHost() as host:
        row = {"sessionId": "child", "origin": "subagent", "parentSessionId": "parent"}
        host.unary["session/list"] = lambda args: {"items": [row]}
        host.streams["session/follow"] = one_shot_only
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.sessions)
            mirror = link.follow("child")
            await watch.until(lambda: mirror.loaded)
            assert host.channel("session/follow").args["request"]["address"] == {
                "kind": "subagent",
                "parentSessionId": "parent",
                "childSessionId": "child",
                "mode": "one-shot",
            }


async def test_i06_a_follower_that_lagged_takes_a_new_snapshot(tmp_path: Path) -> None:
    async def lag_once(channel: Channel) -> None:
        await channel.item(snapshot())
        if host.count("session/follow") == 1:
            await channel.error("session/follower-lagging")
        else:
            await channel.item(event(0, "turn/start", {"turn": 1}))
            await stay(channel)

    async with FakeHost() as host:
        host.streams["session/follow"] = lag_once
        async with linked(host, tmp_path) as (link, watch):
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.running)
            assert host.count("$events") == 1


async def test_older_pages_are_put_in_front(tmp_path: Path) -> None:
    def said(seq: int) -> dict[str, Any]:
        return event(
            seq, "user/message", {"content": [{"type": "text", "text": f"n{seq}"}], "source": {"kind": "user"}}
        )

    async with FakeHost() as host:
        host.streams["session/follow"] = items(snapshot(5, [said(4), said(5)], hasMore=True))
        host.unary["session/page"] = lambda args: {
            "records": [said(seq) for seq in range(args["request"]["beforeSeq"] - 2, args["request"]["beforeSeq"])],
            "hasMore": args["request"]["beforeSeq"] > 2,
        }
        async with linked(host, tmp_path) as (link, watch):
            mirror = link.follow(SESSION)
            await watch.until(lambda: mirror.loaded)
            assert await link.older(SESSION)
            assert await link.older(SESSION)
            assert not await link.older(SESSION)
            assert [row.text for row in mirror.rows] == ["n0", "n1", "n2", "n3", "n4", "n5"]
            prepended = [
                c.change.prepended for c in watch.changes if isinstance(c, SessionChanged) and c.change.prepended
            ]
            assert prepended == [2, 2]


async def test_errors_of_a_call_are_those_of_the_host_and_a_lost_answer_is_told(tmp_path: Path) -> None:
    async def refuse(args: Any) -> None:
        raise WireError("session/not-found", "no such session", {"sessionId": "x"})

    async def vanish(args: Any) -> None:
        await asyncio.Event().wait()

    async with FakeHost() as host:
        host.unary["session/rename"] = refuse
        host.unary["session/prompt"] = vanish
        async with linked(host, tmp_path) as (link, watch):
            await watch.phase("online")
            with pytest.raises(RemoteError) as refused:
                await link.call("session/rename", request={})
            assert (refused.value.code, refused.value.details) == ("session/not-found", {"sessionId": "x"})
            prompt = asyncio.create_task(link.call("session/prompt", request={}))
            await host.until(lambda: host.count("session/prompt") == 1)
            await host.stop()
            with pytest.raises(AnswerLost):
                await prompt


async def test_an_emit_that_says_so_reads_the_catalogue_again(tmp_path: Path) -> None:
    changed = asyncio.Event()

    async def events(channel: Channel) -> None:
        await channel.item(READY)
        await changed.wait()
        await channel.item({"type": "emit", "event": "llm/adapters-updated", "args": []})
        await stay(channel)

    async with FakeHost() as host:
        host.streams["$events"] = events
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.catalogue is not None)
            changed.set()
            await host.until(lambda: host.count("session/modelCatalog") == 2)


async def test_a_list_that_is_older_than_a_status_does_not_undo_it(tmp_path: Path) -> None:
    asked, told = asyncio.Event(), asyncio.Event()

    async def events(channel: Channel) -> None:
        await channel.item(READY)
        await asked.wait()
        await channel.item({"type": "emit", "event": "api-session/status", "args": [SESSION, False]})
        await stay(channel)

    async def listed(args: Any) -> Any:
        asked.set()
        await told.wait()
        return {"items": [{"sessionId": SESSION, "running": True, "cwd": "/p"}]}

    async with FakeHost() as host:
        host.streams["$events"] = events
        host.unary["session/list"] = listed
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.session(SESSION))
            told.set()
            await watch.until(lambda: link.host.sessions and link.host.sessions[0].cwd == "/p")
            assert not link.host.sessions[0].running


async def test_how_commands_are_held_is_known_where_the_host_tells_and_read_again(tmp_path: Path) -> None:
    changed = asyncio.Event()
    said = iter(["off", "on; landlock works here"])

    async def events(channel: Channel) -> None:
        await channel.item(READY)
        await changed.wait()
        await channel.item({"type": "emit", "event": "settings/document-updated", "args": ["sandbox", 1]})
        await stay(channel)

    async def described(args: Any) -> Any:
        return {"name": "hd", "sandbox": {"text": next(said)}}

    async with FakeHost() as host:
        host.streams["$events"] = events
        host.unary |= {"host/describe": described}
        async with linked(host, tmp_path) as (link, watch):
            await watch.until(lambda: link.host.sandbox == "off")
            changed.set()
            await watch.until(lambda: link.host.sandbox == "on; landlock works here")
