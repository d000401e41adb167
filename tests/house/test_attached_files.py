"""A file that came with a prompt is what the model reads, in this request and in every later one."""

import base64
from pathlib import Path
from uuid import uuid4

import msgspec

from tests.house.test_turns import ENDED
from tests.support.daemon import Daemon, text_block
from tests.support.mock_model import MockModel, Reply


async def test_the_model_reads_what_was_attached(daemon: Daemon, mock: MockModel, folder: Path) -> None:
    mock.add(Reply(text="I see."), Reply(text="Still."))
    session = await daemon.new_session(folder)
    data = base64.b64encode(b"first\r\nzweite Zeile").decode()
    brought = await daemon.acall("fileUploads/upload", agentId=session, request={"data": data, "name": "notes.txt"})
    content = [text_block("read this"), {"type": "file", "receiptId": brought["receiptId"]}]
    request = {"requestId": str(uuid4()), "sessionId": session, "mode": "queue", "content": content}
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.acall("session/prompt", request=request)
        await follow.until(ENDED)
        await daemon.prompt(session, "and now?")
        await follow.until(ENDED)
    first, second = [msgspec.json.decode(request.body)["messages"] for request in mock.requests]
    (asked,) = [message["content"] for message in first if "read this" in str(message["content"])]
    assert asked == ('read this\n<attached-file name="notes.txt" bytes="19">\nfirst\nzweite Zeile\n</attached-file>')
    assert second[: len(first)] == first
