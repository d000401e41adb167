"""`session/prompt`, `updateQueue`, `cancel` and the choice of a model (WIRE 10): what is accepted and what is not."""

from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from hd.errors import TimeZoneInvalid
from hd.server.routes import prompts
from tests.server.raw import connect, head
from tests.support.daemon import Daemon, Socket, is_event, text_block

ENDED = is_event("turn/end")
TEXT = [text_block("[[fast]]")]


def request(session: str, **more: Any) -> dict[str, Any]:
    return {"sessionId": session, "requestId": str(uuid4()), "mode": "queue", "content": TEXT, **more}


def user_messages(log: list[dict[str, Any]]) -> list[str]:
    said = [event["data"] for event in log if event["type"] == "user/message"]
    return [data["content"][0]["text"] for data in said if data["source"]["kind"] == "user"]


@pytest.mark.parametrize(
    ("fields", "code", "details"),
    [
        ({"content": []}, "gateway/bad-request", {}),
        ({"content": [text_block("")]}, "gateway/bad-request", {}),
        ({"content": [text_block(" \n\t")]}, "gateway/bad-request", {}),
        ({"content": [{"type": "text"}]}, "gateway/bad-request", {}),
        ({"content": [{"type": "text", "text": 5}]}, "gateway/bad-request", {}),
        ({"content": [{"type": "video", "text": "x"}]}, "gateway/bad-request", {}),
        ({"content": [{}]}, "gateway/bad-request", {}),
        ({"content": ["hello"]}, "gateway/input-invalid", None),
        ({"content": "hello"}, "gateway/input-invalid", None),
        ({"content": None}, "gateway/input-invalid", None),
        (
            {"content": [*TEXT, {"type": "image", "mediaType": "image/png", "data": "AAAA"}]},
            "session/attachment-invalid",
            {"reason": "MODEL_DOES_NOT_SUPPORT_IMAGES"},
        ),
        *(
            ({"content": [block]}, "session/attachment-invalid", {"reason": "FILE_RECEIPT_NOT_FOUND"})
            for block in ({"type": "file", "receiptId": "r"}, {"type": "file"}, {"type": "file", "receiptId": 5})
        ),
        ({"mode": "shout"}, "gateway/input-invalid", None),
        ({"mode": None}, "gateway/input-invalid", None),
        ({"requestId": ""}, "gateway/input-invalid", None),
        ({"requestId": 5}, "gateway/input-invalid", None),
        ({"clientTimeZone": "Mars/Base"}, "session/invalid-time-zone", {"value": "Mars/Base"}),
        ({"clientTimeZone": ""}, "session/invalid-time-zone", {"value": ""}),
        ({"clientTimeZone": "../etc/passwd"}, "session/invalid-time-zone", {"value": "../etc/passwd"}),
        ({"clientTimeZone": "/etc/localtime"}, "session/invalid-time-zone", {"value": "/etc/localtime"}),
        ({"clientTimeZone": "a\0b"}, "session/invalid-time-zone", {"value": "a\0b"}),
        ({"clientTimeZone": 5}, "gateway/input-invalid", None),
        ({"sessionId": "session-none"}, "session/not-found", {"sessionId": "session-none"}),
        ({"sessionId": ""}, "gateway/input-invalid", None),
    ],
)
async def test_a_prompt_that_is_none_changes_nothing(
    shared: Daemon, session: str, fields: dict[str, Any], code: str, details: dict[str, Any] | None
) -> None:
    before = await shared.log(session)
    error = shared.result("session/prompt", request=request(session, **fields))["error"]
    assert error["code"] == code
    expected = {"endpoint": "session/prompt", "field": "request"} if details is None else details
    assert error["details"] == expected
    assert await shared.log(session) == before


@pytest.mark.parametrize("missing", ["requestId", "sessionId", "mode", "content"])
def test_all_four_fields_are_required(shared: Daemon, session: str, missing: str) -> None:
    fields = {key: value for key, value in request(session).items() if key != missing}
    assert shared.result("session/prompt", request=fields)["error"]["code"] == "gateway/input-invalid"


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+12"])
async def test_the_time_zone_of_a_client_stands_in_the_log(shared: Daemon, session: str, zone: str) -> None:
    await shared.acall("session/prompt", request=request(session, clientTimeZone=zone))
    (spliced,) = [e for e in await shared.log(session) if e["type"] == "agent/inbox/spliced" and e["data"]["inserted"]]
    assert spliced["data"]["inserted"][0]["source"]["clientTimeZone"] == zone


def test_where_no_time_zone_is_known_any_name_of_that_form_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> Any:
        raise KeyError

    monkeypatch.setattr(prompts, "ZoneInfo", nothing)
    monkeypatch.setattr(prompts, "available_timezones", set)
    assert prompts.checked_time_zone("Asia/Shanghai") == "Asia/Shanghai"
    for name in ("", "../x", "a b", "x" * 100):
        with pytest.raises(TimeZoneInvalid):
            prompts.checked_time_zone(name)


async def test_the_same_request_again_is_accepted_and_does_nothing(shared: Daemon, session: str) -> None:
    fields = request(session)
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        for _ in range(3):
            assert await shared.acall("session/prompt", request=fields) == {"accepted": True}
        await follow.until(ENDED)
        # Also when it is done long ago, and with another text.
        other = {**fields, "content": [text_block("something else")], "mode": "steer"}
        assert await shared.acall("session/prompt", request=other) == {"accepted": True}
    log = await shared.log(session)
    assert user_messages(log) == ["[[fast]]"]
    assert sum(event["type"] == "turn/start" for event in log) == 1


async def test_a_prompt_counts_although_its_client_did_not_wait_for_the_answer(shared: Daemon, session: str) -> None:
    body = msgspec.json.encode(
        {
            "type": "client-request",
            "rpcId": "r",
            "method": "session/prompt",
            "payload": {"args": {"request": request(session)}},
        }
    )
    headers = head(shared, "Content-Type: application/json", f"Content-Length: {len(body)}")
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        with closing(connect(shared)) as connection:
            connection.sendall(f"POST /api/session/prompt HTTP/1.1\r\n{headers}\r\n".encode() + body)
        await follow.until(ENDED)
    assert user_messages(await shared.log(session)) == ["[[fast]]"]


async def test_text_that_begins_with_a_slash_goes_to_the_model(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await shared.prompt(session, "/permission danger-full-access [[fast]]")
        await follow.until(ENDED)
    log = await shared.log(session)
    assert user_messages(log) == ["/permission danger-full-access [[fast]]"]
    assert (
        shared.call("session/projections", request={"sessionId": session})["values"]["permissions"]["currentValue"]
        == "workspace-write"
    )


async def test_unicode_comes_back_as_it_was(shared: Daemon, session: str) -> None:
    text = "é e\u0301 👨‍👩‍👧 \u202e مرحبا \x1b]0;x\x07 \x00 \ufeff [[fast]]"
    await shared.prompt(session, text)
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await follow.until(lambda item: ENDED(item) or ended(item))
    assert user_messages(await shared.log(session)) == [text]


def ended(item: dict[str, Any]) -> bool:
    return item["type"] == "snapshot" and any(r["event"]["type"] == "turn/end" for r in item["records"])


# The queue.


async def waiting(daemon: Daemon, session: str) -> dict[str, list[dict[str, Any]]]:
    values = (await daemon.acall("session/projections", request={"sessionId": session}))["values"]
    return dict(values["inbox"])


async def busy(daemon: Daemon, socket: Socket, session: str, *texts: str) -> Any:
    """A session that is stuck in a turn, with these prompts behind it."""
    follow = await socket.follow(session)
    await daemon.prompt(session, "[[stall]]")
    await follow.until(lambda item: item["type"] == "assistant-stream")
    for text in texts:
        await daemon.prompt(session, text)
    return follow


def update(daemon: Daemon, session: str, item: str, **action: Any) -> dict[str, Any]:
    return daemon.result("session/updateQueue", request={"sessionId": session, "itemId": item, "action": action})


async def test_waiting_prompts_can_be_edited_removed_and_steered(shared: Daemon, session: str) -> None:
    async with shared.socket() as socket:
        await busy(shared, socket, session, "one", "two", "three")
        queue = (await waiting(shared, session))["next-turn"]
        assert [item["content"][0]["text"] for item in queue] == ["one", "two", "three"]
        one, two, three = (item["id"] for item in queue)
        ok = {"ok": True, "value": {"accepted": True}}
        assert update(shared, session, two, kind="remove") == ok
        assert update(shared, session, one, kind="edit", content=[text_block("changed")]) == ok
        assert update(shared, session, three, kind="steer") == ok
        box = await waiting(shared, session)
        assert [(i["id"], i["content"][0]["text"]) for i in box["next-turn"]] == [(one, "changed")]
        assert [i["id"] for i in box["next-step"]] == [three]
        gone = update(shared, session, two, kind="remove")["error"]
        assert (gone["code"], gone["details"]) == ("session/queue-item-not-found", {"itemId": two})
        assert update(shared, session, three, kind="steer")["error"]["code"] == "session/steer-unavailable"
        await shared.acall("session/cancel", request={"sessionId": session})
        assert update(shared, session, one, kind="steer")["error"]["code"] == "session/steer-unavailable"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"kind": "edit"}, "gateway/bad-request"),
        ({"kind": "edit", "content": []}, "gateway/bad-request"),
        ({"kind": "edit", "content": [text_block(" ")]}, "gateway/bad-request"),
        ({"kind": "edit", "content": [{"type": "image", "data": ""}]}, "session/attachment-invalid"),
        ({"kind": "edit", "content": "x"}, "gateway/input-invalid"),
        ({"kind": "drop"}, "gateway/input-invalid"),
        ({}, "gateway/input-invalid"),
    ],
)
async def test_a_change_of_the_queue_that_is_none(
    shared: Daemon, session: str, action: dict[str, Any], code: str
) -> None:
    async with shared.socket() as socket:
        await busy(shared, socket, session, "one")
        (item,) = (await waiting(shared, session))["next-turn"]
        assert update(shared, session, item["id"], **action)["error"]["code"] == code
        assert (await waiting(shared, session))["next-turn"] == [item]
        await shared.acall("session/cancel", request={"sessionId": session})


def test_the_queue_of_nobody(shared: Daemon, session: str) -> None:
    assert update(shared, "session-none", "x", kind="remove")["error"]["code"] == "session/not-found"
    assert update(shared, session, "x", kind="remove")["error"]["code"] == "session/queue-item-not-found"


# Cancel.


async def test_a_cancel_parks_the_queue_and_needs_a_live_session(shared: Daemon, session: str) -> None:
    assert shared.call("session/cancel", request={"sessionId": session}) == {"accepted": True}
    assert shared.result("session/cancel", request={"sessionId": "none"})["error"]["code"] == "session/not-found"
    async with shared.socket() as socket:
        follow = await busy(shared, socket, session, "[[fast]] one", "[[fast]] two")
        await shared.acall("session/cancel", request={"sessionId": session})
        end = await follow.until(ENDED)
        assert end["event"]["data"]["reason"] == {"kind": "aborted", "reason": {"kind": "user"}}
        assert len((await waiting(shared, session))["next-turn"]) == 2
        await shared.prompt(session, "[[fast]] three")
        for _ in range(3):
            await follow.until(ENDED)
    assert user_messages(await shared.log(session)) == [
        "[[stall]]",
        "[[fast]] one",
        "[[fast]] two",
        "[[fast]] three",
    ]


# Models.


def test_the_catalogue_is_what_clients_decode_strictly(shared: Daemon) -> None:
    catalogue = shared.call("session/modelCatalog")
    assert set(catalogue) == {"default", "routableProviders", "groups", "failures"}
    assert catalogue["default"]["provider"] == "deepseek-official"
    assert catalogue["default"]["provider"] in catalogue["routableProviders"]
    for group in catalogue["groups"]:
        assert {"id", "name", "models"} <= set(group)
        for model in group["models"]:
            assert {"id", "name"} <= set(model)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"provider": "nope", "model": "x"}, "session/model-unavailable"),
        ({"provider": "deepseek-official", "model": ""}, "gateway/input-invalid"),
        ({"provider": "", "model": "x"}, "gateway/input-invalid"),
        ({"model": "x"}, "gateway/input-invalid"),
        ({"provider": "deepseek-official", "model": "deepseek-chat", "reasoningEffort": 5}, "gateway/input-invalid"),
    ],
)
async def test_a_model_that_cannot_be_chosen(shared: Daemon, session: str, fields: dict[str, Any], code: str) -> None:
    before = await shared.log(session)
    error = shared.result("session/selectModel", request={"sessionId": session, **fields})["error"]
    assert error["code"] == code
    assert await shared.log(session) == before


async def test_a_chosen_model_is_used_and_shown(shared: Daemon, session: str, folder: Path) -> None:
    catalogue = shared.call("session/modelCatalog")
    (group,) = [group for group in catalogue["groups"] if group["id"] == "deepseek-official"]
    chosen = {"provider": "deepseek-official", "model": group["models"][-1]["id"]}
    selected = shared.call("session/selectModel", request={"sessionId": session, **chosen})["selected"]
    assert selected.items() >= chosen.items()
    async with shared.socket() as socket:
        follow = await socket.follow(session)
        await shared.prompt(session, "[[fast]]")
        await follow.until(ENDED)
    (context,) = [event for event in await shared.log(session) if event["type"] == "request/context"]
    assert context["data"]["model"] == chosen["model"]
