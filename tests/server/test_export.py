"""`/api/session.export`: a whole log as a ZIP file, and what is never in it."""

import io
import stat
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hd.protocol.stream import Packer
from hd.server.routes.export import file_name
from hd.session.export import ENTRY, Archive, without
from hd.session.live import Header
from tests.server.conftest import KEY
from tests.support.daemon import Daemon, is_event

ENDED = is_event("turn/end")


def export(daemon: Daemon, query: str, method: str = "GET") -> tuple[int, Any, bytes]:
    return daemon.http(method, f"/api/session.export{query}", headers={"Cookie": daemon.cookie})


def lines(body: bytes) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        (entry,) = archive.infolist()
        assert entry.filename == ENTRY
        assert stat.S_IMODE(entry.external_attr >> 16) == 0o600
        return [msgspec.json.decode(line) for line in archive.read(entry).splitlines()]


async def turn(daemon: Daemon, session: str, prompt: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, prompt)
        await follow.until(ENDED)


async def test_the_archive_holds_the_header_and_the_log(shared: Daemon, session: str, folder: Path) -> None:
    await turn(shared, session, "hello")
    status, headers, body = export(shared, f"?sessionId={session}")
    assert status == 200
    assert headers["content-type"] == "application/zip"
    assert headers["content-disposition"] == f'attachment; filename="dsh-session-{session}.zip"'
    header, *events = lines(body)
    assert header.pop("createdAt") > 0
    assert header == {
        "type": "session",
        "version": 4,
        "id": session,
        "cwd": str(folder),
        "isSeeded": False,
        "agentPreset": "standard",
    }
    assert events == await shared.log(session)


def test_a_head_request_gets_the_headers_alone(shared: Daemon, session: str) -> None:
    status, headers, body = export(shared, f"?sessionId={session}", "HEAD")
    assert (status, headers["content-type"], body) == (200, "application/zip", b"")


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 400), ("?sessionId=", 400), ("?sessionId=a&sessionId=b", 400), ("?sessionId=session-none", 404)],
)
def test_without_a_session_there_is_no_archive(shared: Daemon, query: str, status: int) -> None:
    assert export(shared, query)[0] == status
    assert export(shared, query, "HEAD")[0] == status


def test_other_verbs_and_strangers_get_nothing(shared: Daemon, session: str) -> None:
    assert export(shared, f"?sessionId={session}", "POST")[0] == 404
    assert shared.http("GET", f"/api/session.export?sessionId={session}")[0] == 401


async def test_the_key_is_not_in_it_wherever_the_log_has_it(shared: Daemon, session: str) -> None:
    """M02. A person may paste the key by mistake; the log keeps what was said, the export does not."""
    await turn(shared, session, f"my key is {KEY}, is it not?")
    assert any(KEY in str(event) for event in await shared.log(session))
    body = export(shared, f"?sessionId={session}")[2]
    found = lines(body)
    assert len(found) == len(await shared.log(session)) + 1
    assert KEY not in str(found)
    assert "my key is [redacted], is it not?" in str(found)


def test_m02_a_key_that_came_in_pieces_is_not_in_it_either() -> None:
    packer = Packer()
    for text in ("the sec", "ret-val", "ue is it"):
        packer.add(1, {"type": "text-delta", "index": 0, "text": text})
    data = {"turn": 1, "step": 1, "stream": packer.rows()}
    body = msgspec.json.encode({"type": "assistant/attempt", "seq": 1, "time": 1, "data": data})
    assert msgspec.json.decode(without(body, ["secret-value"]))["data"]["stream"] == []
    assert without(body, ["other"]) == body


def test_a_long_log_comes_in_pieces() -> None:
    archive = Archive(Header("s", 1_700_000_000_000, "/w"))
    noise = [msgspec.json.encode({"seq": n, "text": str(hash((n, "x")))}) for n in range(20_000)]
    pieces = [archive.add(noise[start : start + 2000]) for start in range(0, len(noise), 2000)]
    pieces.append(archive.end())
    assert sum(bool(piece) for piece in pieces) > 5
    assert len(lines(b"".join(pieces))) == 20_001


def test_an_id_that_a_client_chose_cannot_write_headers() -> None:
    assert file_name('a"b; x=☃/../') == "dsh-session-a_b_x_.._.zip"
