"""The mirror of a host: lists, flags, figures and what waits for a person."""

from typing import Any

import pytest

from htui.mirror import HostMirror, Values
from htui.mirror.host import HostStep

ASK = {
    "type": "waterfall",
    "event": "approval/request",
    "eventId": "e1",
    "agentId": "s1",
    "request": {"toolName": "bash"},
}
QUESTION = {"id": "db", "question": "Which one?"}


def emit(event: str, *args: Any) -> dict[str, Any]:
    return {"type": "emit", "event": event, "args": list(args)}


def summary(session_id: str, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": 1, "running": False, "blank": True, "cwd": "/p", **more}


def listed(*rows: dict[str, Any]) -> HostMirror:
    host = HostMirror()
    host.listed({"items": list(rows)}, host.asking())
    return host


def test_watermarks_keep_the_newest_value_of_each_key() -> None:
    values = Values()
    assert values.put("title", "a", 3)
    assert not values.put("title", "older", 2)
    assert not values.put("title", "same seq", 3)
    assert not values.put("title", "a", 9), "newer but the same: nothing to repaint"
    assert values.seed(5, {"title": "old", "todos": []}) == {"todos"}
    assert values.copy() == {"title": "a", "todos": []}
    values.begin()
    assert values.get("title") == "a"
    assert values.put("title", "after a restart", 0)


def test_frames_and_list_rows_and_added_sessions_share_the_watermark() -> None:
    host = listed(summary("s1", projections={"asOfSeq": 7, "values": {"title": "seven"}}))
    host.control({"type": "projection", "sessionId": "s1", "key": "title", "value": "six", "seq": 6})
    assert host.sessions[0].title == "seven"
    step = host.control({"type": "projection", "sessionId": "s1", "key": "title", "value": "eight", "seq": 8})
    assert step.values == {"s1": frozenset({"title"})}
    host.event(emit("api-session/added", summary("s1", projections={"asOfSeq": 2, "values": {"title": "two"}})), 0)
    assert host.sessions[0].title == "eight"
    assert host.projections("s1") == {"title": "eight"}


def test_titles_may_be_objects_and_fields_may_be_missing() -> None:
    host = listed({"sessionId": "s1", "projections": {"values": {"title": {"title": "nested"}}}}, {"sessionId": 3}, {})
    (entry,) = host.sessions
    assert (entry.title, entry.cwd, entry.updated_at, entry.parent) == ("nested", "", 0, None)


def test_running_flags_come_from_the_status_emits() -> None:
    host = listed(summary("s1"), summary("s2"))
    host.event(emit("api-session/status", "s2", True), 0)
    assert [(entry.session_id, entry.running, entry.blank) for entry in host.sessions] == [
        ("s1", False, True),
        ("s2", True, False),
    ]
    host.event(emit("api-session/status", "new", True), 0)
    assert host.sessions[0].session_id == "new"
    host.event(emit("api-session/activity", "s2", 77), 0)
    host.event(emit("api-session/removed", "s2"), 0)
    entry = host.session("s2")
    assert entry is not None
    assert (entry.updated_at, entry.running) == (77, False)


def test_what_was_announced_while_the_list_was_read_is_newer_than_the_list() -> None:
    host = listed(summary("s1", running=True))
    asked = host.asking()
    host.event(emit("api-session/status", "s1", False), 0)
    host.event(emit("api-session/added", summary("s2")), 0)
    host.listed({"items": [summary("s1", running=True), summary("s3", running=True)]}, asked)
    assert {entry.session_id: entry.running for entry in host.sessions} == {"s1": False, "s2": False, "s3": True}
    host.listed({"items": [summary("s1", running=True)]}, host.asking())
    assert {entry.session_id: entry.running for entry in host.sessions} == {"s1": True}


def test_errors_are_kept_until_the_session_runs_again() -> None:
    host = listed(summary("s1"))
    assert host.event(emit("api-session/error", "s1", "no key"), 0).keys == {"errors"}
    assert host.errors == {"s1": "no key"}
    host.event(emit("api-session/status", "s1", True), 0)
    assert host.errors == {}


@pytest.mark.parametrize(
    "event", ["llm/adapters-updated", "settings/document-updated", "credentials/reference-updated"]
)
def test_some_emits_ask_for_the_catalogue(event: str) -> None:
    assert HostMirror().event(emit(event), 0).reread


def test_asks_come_go_and_keep_their_age_over_a_reconnection() -> None:
    host = HostMirror()
    host.event({"type": "ready", "clientId": "c1", "host": {"home": "/home/dev"}}, 0)
    assert (host.client_id, host.home) == ("c1", "/home/dev")
    host.event(ASK, 100)
    (ask,) = host.asks
    assert (ask.event_id, ask.kind, ask.session_id, ask.request, ask.since) == (
        "e1",
        "approval",
        "s1",
        ASK["request"],
        100,
    )
    other = {**ASK, "eventId": "e2"}
    host.event(other, 200)
    host.begin()
    assert [ask.event_id for ask in host.asks] == ["e1", "e2"], "a half-written answer is not thrown away"
    host.event(ASK, 900)
    assert host.asks[0].since == 100
    assert host.confirmed().keys == {"asks"}
    assert [ask.event_id for ask in host.asks] == ["e1"], "the other was settled in the meantime"
    assert host.confirmed() == HostStep()
    assert host.event({"type": "cancel", "eventId": "e1"}, 901).keys == {"asks"}
    assert host.event({"type": "cancel", "eventId": "e1"}, 902) == HostStep()
    assert not host.asks


@pytest.mark.parametrize(
    ("change", "declined"),
    [
        ({"event": "user-questions/request", "request": {"questions": [QUESTION]}}, None),
        ({"event": "user-questions/request", "request": {"questions": []}}, "e1"),
        ({"event": "user-questions/request", "request": {"questions": [{"id": "db"}]}}, "e1"),
        ({"event": "user-questions/request", "request": {}}, "e1"),
        ({"event": "new/request"}, "e1"),
        ({"request": None}, "e1"),
    ],
)
def test_an_ask_that_nobody_here_can_answer_is_passed_on(change: dict[str, Any], declined: str | None) -> None:
    host = HostMirror()
    assert host.event({**ASK, **change}, 0).decline == declined
    assert len(host.asks) == (declined is None)


def test_the_queue_is_the_frame_of_old_hosts_or_the_inbox_of_new_ones() -> None:
    def message(name: str, **source: Any) -> dict[str, Any]:
        return {"id": name, "content": [{"type": "text", "text": name}], "source": source}

    host = HostMirror()
    inbox = {
        "next-turn": [message("m1", kind="user", rpcId="r1")],
        "next-step": [message("m2", kind="user", rpcId="r2"), message("m3", kind="runtime-context")],
    }
    host.control({"type": "projection", "sessionId": "s1", "key": "inbox", "value": inbox, "seq": 1})
    assert [(item.item_id, item.placement, item.request_id) for item in host.queue("s1")] == [
        ("m1", "queued", "r1"),
        ("m2", "steering", "r2"),
        ("m3", "context", None),
    ]
    items = [{"id": "m9", "placement": "queued", "rpcId": "r9", "message": message("m9")}]
    step = host.control({"type": "queue", "sessionId": "s1", "items": items})
    assert step.values == {"s1": frozenset({"inbox"})}
    assert [(item.item_id, item.content[0]["text"]) for item in host.queue("s1")] == [("m9", "m9")]
    assert host.queue("nobody") == ()


def test_the_baseline_seeds_projections_queues_and_jobs() -> None:
    host = HostMirror()
    block = {"asOfSeq": 4, "values": {"title": "t"}}
    value = {"projections": {"s1": block}, "queues": {"s1": []}, "jobs": {"s1": [{"id": "bash-1"}]}}
    step = host.control({"type": "baseline", "value": value})
    assert step.keys == {"projections"}
    assert step.values == {"s1": frozenset({"title", "inbox", "jobs"})}
    assert host.values("s1").jobs == ({"id": "bash-1"},)


def test_workspaces_follow_their_frames() -> None:
    host = listed(summary("s1"))
    rows = [{"workspaceId": name, "path": f"/srv/{name}", "sessionIds": ["s1"]} for name in ("a", "b")]
    host.workspace({"type": "baseline", "value": {"items": rows, "archivedSessionIds": ["s1"]}})
    assert [(row.workspace_id, row.title, row.session_ids) for row in host.workspaces] == [
        ("a", "a", ("s1",)),
        ("b", "b", ("s1",)),
    ]
    assert host.sessions[0].archived
    host.workspace({"type": "upsert", "workspace": {"workspaceId": "c", "path": "/srv/c", "title": "See"}})
    host.workspace({"type": "upsert", "workspace": {"workspaceId": "b", "path": "/srv/b", "title": "Bee"}})
    assert [row.title for row in host.workspaces] == ["See", "a", "Bee"]
    host.workspace({"type": "order", "workspaceIds": ["b", "gone"]})
    host.workspace({"type": "remove", "workspaceId": "c"})
    assert [row.workspace_id for row in host.workspaces] == ["b", "a"]
    assert host.workspace({"type": "archived", "archivedSessionIds": []}).keys == {"sessions"}
    assert not host.sessions[0].archived


@pytest.mark.parametrize(
    "item", [None, [], "text", {}, {"type": "new"}, {"type": "emit"}, {"type": "baseline"}, emit("x")]
)
def test_what_is_not_known_is_passed_over(item: Any) -> None:
    host = HostMirror()
    assert host.event(item, 0) == HostStep()
    assert host.control(item) == HostStep()


def test_a_list_that_was_late_does_not_take_the_latest_activity_back() -> None:
    host = HostMirror()
    host.listed({"items": [{"sessionId": "s1", "updatedAt": 5}]}, host.asking())
    asked = host.asking()
    host.event({"type": "emit", "event": "api-session/activity", "args": ["s1", 9]}, 1)
    host.listed({"items": [{"sessionId": "s1", "updatedAt": 5, "cwd": "/p"}]}, asked)
    assert [(entry.updated_at, entry.cwd) for entry in host.sessions] == [(9, "/p")]


def test_a_baseline_replaces_the_jobs_of_sessions_that_are_not_in_it() -> None:
    host, job = HostMirror(), {"id": "bash-1", "status": "running"}
    host.control({"type": "jobs", "sessionId": "gone", "jobs": [job]})
    host.begin()
    assert host.values("gone").jobs == (job,)
    step = host.control({"type": "baseline", "value": {"projections": {}, "queues": {}, "jobs": {"here": [job]}}})
    assert step.values == {"gone": {"jobs"}, "here": {"jobs"}}
    assert (host.values("gone").jobs, host.values("here").jobs) == ((), (job,))
