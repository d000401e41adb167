"""`session/search`: what people and models said, in any script."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.session.search import MOST_FOUND, SNIPPET_LENGTH, snippet
from tests.support.daemon import Daemon, is_event


async def say(daemon: Daemon, session: str, text: str) -> None:
    async with daemon.socket() as socket:
        follow = await socket.follow(session)
        await daemon.prompt(session, text)
        await follow.until(is_event("turn/end"))


async def found(daemon: Daemon, query: str) -> list[str]:
    answer = await daemon.acall("session/search", request={"query": query})
    assert answer["hasMore"] is False
    assert all(set(item) == {"sessionId", "snippet"} for item in answer["items"])
    return [item["sessionId"] for item in answer["items"]]


@pytest.mark.parametrize(
    "query",
    [
        "Zebra",
        "zEBRA",
        "ebr",
        "zebra garden",
        "garden zebra",
        "斑马",
        "花园里",
        '50%_"x"',
        "!",
        "Ünder",
        "ünder",
        "里 50",
    ],
)
async def test_a_prompt_is_found_by_any_part_of_it(shared: Daemon, session: str, query: str) -> None:
    mark = uuid4().hex[:8]
    text = f'a Zebra in the garden, Ünder trees!\n斑马在花园里 50%_"x" {mark}'
    await say(shared, session, text)
    assert await found(shared, f"{query} {mark}") == [session]
    answer = await shared.acall("session/search", request={"query": f"{mark}"})
    assert answer["items"] == [{"sessionId": session, "snippet": " ".join(text.split())}]


@pytest.mark.parametrize("query", ["xyzzy", "斑猫", "%", "_a", "zebra dog", "zebra AND", "NOT", "text:zebra", "zebr*"])
async def test_what_nobody_said_is_not_found(shared: Daemon, session: str, query: str) -> None:
    mark = uuid4().hex[:8]
    await say(shared, session, f"a zebra 斑马 {mark}")
    assert await found(shared, f"{query} {mark}") == []


async def test_what_the_daemon_added_is_not_found(shared: Daemon, session: str) -> None:
    await say(shared, session, "hello")
    log = await shared.log(session)
    assert any("workspace-write" in str(event) for event in log if event["type"] == "user/message")
    assert session not in await found(shared, "workspace-write")


async def test_an_answer_is_found_and_the_latest_message_is_shown(shared: Daemon, session: str) -> None:
    mark = uuid4().hex[:8]
    await say(shared, session, f"first {mark}")
    await say(shared, session, f"second {mark}")
    answer = await shared.acall("session/search", request={"query": mark})
    assert [item["sessionId"] for item in answer["items"]] == [session]
    assert "first" not in answer["items"][0]["snippet"]
    (said,) = [e["data"] for e in await shared.log(session) if e["type"] == "assistant/message"][:1]
    text = next(block["text"] for block in said["message"]["content"] if block["type"] == "text")
    everything = await shared.acall("session/search", request={"query": text[:40]})
    assert session in [item["sessionId"] for item in everything["items"]] or everything["hasMore"]


async def test_a_fork_is_found_too(shared: Daemon, session: str) -> None:
    mark = uuid4().hex[:8]
    await say(shared, session, f"look {mark}")
    child = (await shared.acall("session/fork", request={"sessionId": session}))["sessionId"]
    assert await found(shared, mark) == [child, session]


@pytest.mark.parametrize("query", ["", "  ", "\n\t", "\0", "\u202e", "x" * 501, "😀" * 251])
def test_a_query_that_is_none(shared: Daemon, query: str) -> None:
    assert shared.result("session/search", request={"query": query})["error"]["code"] == "gateway/bad-request"


@pytest.mark.parametrize(
    "query", ["x" * 500, "😀" * 250, '"', "'; --", "a\0b", " ".join(chr(97 + n % 26) for n in range(250))]
)
def test_a_strange_query_does_no_harm(shared: Daemon, query: str) -> None:
    assert shared.result("session/search", request={"query": query})["ok"]


@given(st.text(max_size=600), st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3))
def test_a_snippet_is_short_and_on_one_line(text: str, words: list[str]) -> None:
    short = snippet(text, words)
    assert len(short) <= SNIPPET_LENGTH
    assert short == " ".join(short.split()) or "…" in short
    assert "\n" not in short


@given(st.integers(0, 900))
def test_a_snippet_shows_what_was_found(place: int) -> None:
    text = "a" * place + "Needle" + "b" * 600
    assert "Needle" in snippet(text, ["needle"])
    assert len(snippet(text, ["needle"])) == SNIPPET_LENGTH


def test_few_are_given_at_a_time() -> None:
    assert MOST_FOUND == 20
