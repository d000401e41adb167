"""Files that come with prompts: brought, kept, told to the model, given back; and images, which are not."""

import base64
import hashlib
import stat
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from hd.protocol.messages import shown_of, told_of
from hd.uploads.blocks import TEXT_LIMIT, Upload, file_block, plain_name
from hd.uploads.uploads import LARGEST
from tests.support.daemon import Daemon, is_event, text_block

RAW = "hällo file\n".encode()
ID = f"sha256:{hashlib.sha256(RAW).hexdigest()}"


def upload(daemon: Daemon, session: str, raw: bytes = RAW, **name: str) -> dict[str, Any]:
    request = {"data": base64.b64encode(raw).decode(), **name}
    return daemon.result("fileUploads/upload", agentId=session, request=request)


def brought(daemon: Daemon, session: str, raw: bytes = RAW, name: str = "a.txt") -> str:
    return str(upload(daemon, session, raw, name=name)["value"]["receiptId"])


def upload_raw(daemon: Daemon, query: str, body: bytes = RAW, **more: str) -> tuple[int, bytes]:
    headers = {"Cookie": daemon.cookie, "Content-Type": "application/octet-stream", **more}
    status, _, answer = daemon.http("POST", f"/api/session/uploadFileBinary?{query}", body=body, headers=headers)
    return status, answer


def prompt(daemon: Daemon, session: str, *content: dict[str, Any], request_id: str = "") -> dict[str, Any]:
    request = {"requestId": request_id or str(uuid4()), "sessionId": session, "mode": "queue", "content": [*content]}
    return daemon.result("session/prompt", request=request)


async def ended(daemon: Daemon, session: str, *content: dict[str, Any], **more: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await follow.item()
        assert prompt(daemon, session, *content, **more)["ok"]
        await follow.until(is_event("turn/end"))


async def prompts(daemon: Daemon, session: str) -> list[dict[str, Any]]:
    said = [event["data"] for event in await daemon.log(session) if event["type"] == "user/message"]
    return [message for message in said if message["source"]["kind"] == "user"]


def test_a_file_is_kept_by_what_it_holds(shared: Daemon, session: str) -> None:
    value = upload(shared, session, name="a.txt")["value"]
    assert value == {
        "receiptId": value["receiptId"],
        "file": {"attachmentId": ID, "name": "a.txt", "bytes": len(RAW)},
    }
    kept = shared.home / "uploads" / ID.removeprefix("sha256:")
    assert kept.read_bytes() == RAW
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = upload(shared, session)["value"]
    assert again["receiptId"] != value["receiptId"]
    assert again["file"] == {"attachmentId": ID, "name": "file", "bytes": len(RAW)}


def test_the_raw_form_answers_without_an_envelope(shared: Daemon, session: str) -> None:
    status, answer = upload_raw(shared, f"sessionId={session}&name=a.txt")
    decoded = msgspec.json.decode(answer)
    assert (status, decoded["ok"], set(decoded["value"])) == (200, True, {"receiptId", "file"})
    assert decoded["value"]["file"] == {"attachmentId": ID, "name": "a.txt", "bytes": len(RAW)}
    gone = msgspec.json.decode(upload_raw(shared, "sessionId=none")[1])
    assert (gone["ok"], gone["error"]["code"]) == (False, "session/not-found")


def test_the_raw_form_takes_bytes_by_post_only(shared: Daemon, session: str) -> None:
    query = f"sessionId={session}"
    assert upload_raw(shared, query, **{"Content-Type": "application/json"})[0] == 415
    assert upload_raw(shared, "name=a")[0] == 400
    path = f"/api/session/uploadFileBinary?{query}"
    assert shared.http("GET", path, headers={"Cookie": shared.cookie})[0] == 405
    assert shared.http("POST", path, body=RAW)[0] == 401


@pytest.mark.parametrize("size", [LARGEST, LARGEST + 1])
def test_a_file_that_is_too_large_is_refused(shared: Daemon, session: str, size: int) -> None:
    answer = msgspec.json.decode(upload_raw(shared, f"sessionId={session}", bytes(size))[1])
    assert answer["ok"] is (size == LARGEST)
    if size > LARGEST:
        assert (answer["error"]["code"], answer["error"]["details"]) == (
            "session/attachment-invalid",
            {"reason": "FILE_TOO_LARGE"},
        )


def test_what_is_no_file_is_refused(shared: Daemon, session: str) -> None:
    bad = shared.result("fileUploads/upload", agentId=session, request={"data": "%%%"})["error"]
    assert (bad["code"], bad["details"]) == ("session/attachment-invalid", {"reason": "FILE_DATA_INVALID"})
    gone = shared.result("fileUploads/upload", agentId="none", request={"data": ""})["error"]
    assert gone["code"] == "session/not-found"


async def test_a_prompt_carries_its_file_in_the_log(shared: Daemon, session: str) -> None:
    receipt = brought(shared, session)
    await ended(shared, session, text_block("look"), {"type": "file", "receiptId": receipt})
    (message,) = await prompts(shared, session)
    assert message["content"] == [
        text_block("look"),
        {
            "type": "file",
            "attachment": {"attachmentId": ID, "name": "a.txt", "bytes": len(RAW)},
            "text": "hällo file\n",
        },
    ]
    request = {"sessionId": session, "attachmentId": ID}
    given = shared.call("session/attachment", request=request)
    assert (base64.b64decode(given["data"]), given["attachment"]) == (RAW, message["content"][1]["attachment"])


async def test_a_file_alone_is_a_prompt(shared: Daemon, session: str) -> None:
    await ended(shared, session, {"type": "file", "receiptId": brought(shared, session, b"\x00\x01", "x.bin")})
    (message,) = await prompts(shared, session)
    (block,) = message["content"]
    assert (block["attachment"]["name"], "text" in block) == ("x.bin", False)


async def test_the_same_prompt_again_finds_its_file_after_a_kill(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    block = {"type": "file", "receiptId": brought(own, session)}
    own.kill()
    own.start()
    await ended(own, session, text_block("look"), block, request_id="r1")
    assert prompt(own, session, text_block("look"), block, request_id="r1")["value"] == {"accepted": True}
    assert len(await prompts(own, session)) == 1


def test_a_receipt_is_for_one_session(shared: Daemon, session: str, tmp_path: Path) -> None:
    other = shared.call("session/create", request={"cwd": str(tmp_path)})["sessionId"]
    error = prompt(shared, other, text_block("x"), {"type": "file", "receiptId": brought(shared, session)})["error"]
    assert (error["code"], error["details"]) == ("session/attachment-invalid", {"reason": "FILE_RECEIPT_NOT_FOUND"})


@pytest.mark.parametrize("named", [ID, "sha256:" + "0" * 64, "../../.key", "sha256:../../.key", "", "☃"])
async def test_only_what_the_session_refers_to_is_given_out(shared: Daemon, session: str, named: str) -> None:
    brought(shared, session)
    await ended(shared, session, text_block(f"I only speak of {named}"))
    request = {"sessionId": session, "attachmentId": named or "x"}
    error = shared.result("session/attachment", request=request)["error"]
    assert (error["code"], error["details"]["reason"]) == ("session/attachment-invalid", "ATTACHMENT_NOT_FOUND")


def test_the_model_reads_a_text_and_the_name_of_anything_else() -> None:
    text = file_block(Upload(ID, "a.txt", 3), b"a\r\nb")
    binary = file_block(Upload(ID, "b.bin", 1), b"\0")
    told = told_of([text_block("see"), text, binary])
    assert told.startswith('see\n<attached-file name="a.txt" bytes="3">\na\nb\n</attached-file>\n')
    assert told.endswith(
        '<attached-file name="b.bin" bytes="1">\n(This file is not text; its content is not shown.)\n</attached-file>'
    )
    assert shown_of([text_block("see"), text]) == "see\n[file: a.txt, 3 bytes]"


def test_a_long_text_is_cut_and_says_so() -> None:
    block = file_block(Upload(ID, "a", 0), b"x" * (TEXT_LIMIT + 1))
    assert (len(block["text"]), block["cut"]) == (TEXT_LIMIT, True)
    assert "left out" in told_of([block])


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a.txt", "a.txt"),
        ("/etc/passwd", "passwd"),
        ("..\\b\n.txt", "b.txt"),
        ('x"><b', "x___b"),
        ("", "file"),
        (None, "file"),
        ("中文.md", "中文.md"),
        ("x" * 500, "x" * 200),
        ("a\u202etxt.exe", "atxt.exe"),
    ],
)
def test_a_name_is_plain(name: str | None, plain: str) -> None:
    assert plain_name(name) == plain
