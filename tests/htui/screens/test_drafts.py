"""One draft a session for all clients (case J16): what the host is told, and what comes from elsewhere."""

from pathlib import Path
from typing import Any

from htui.errors import Unreachable
from tests.htui.screens.stage import SESSION, Stage, stage

FOLLOW = "drafts/follow"


class Host:
    """Keeps a draft as a host does, and tells every change to the client."""

    def __init__(self, s: Stage) -> None:
        self.link = s.link
        self.link.host.client_id = "me"
        self.revision = 100
        self.text = ""
        self.link.answers["drafts/set"] = self._set

    def _set(self, text: str, cursor: int, clientId: str, **_: Any) -> dict[str, int]:  # noqa: N803
        return {"revision": self.put(text, clientId, cursor)}

    def put(self, text: str, by: str = "other", cursor: int | None = None) -> int:
        self.text = text
        self.revision += 1
        self.tell(by, cursor)
        return self.revision

    def tell(self, by: str = "", cursor: int | None = None) -> None:
        at = len(self.text) if cursor is None else cursor
        self.link.item(FOLLOW, {"text": self.text, "cursor": at, "revision": self.revision, "by": by})

    @property
    def told(self) -> list[str]:
        return [args["text"] for name, args in self.link.calls if name == "drafts/set"]


async def kept(s: Stage) -> None:
    """Until everything that is typed is where it belongs."""
    s.chat.keep_draft()
    await s.pilot.pause()


async def test_j16_what_is_typed_reaches_the_host_with_its_cursor(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("hello")
        await s.press("left", "left")
        await kept(s)
        await s.until(lambda: host.text == "hello")
        await s.type("X")
        await kept(s)
        await s.until(lambda: host.text == "helXlo")
        calls = [args for name, args in s.link.calls if name == "drafts/set"]
        assert calls[-1] == {"sessionId": SESSION, "text": "helXlo", "cursor": 4, "clientId": "me"}


async def test_a_prompt_that_is_sent_leaves_no_draft(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("go")
        await kept(s)
        await s.until(lambda: host.text == "go")
        await s.press("enter")
        await s.until(lambda: host.text == "")


async def test_a_host_without_drafts_is_called_for_none(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("hello")
        await kept(s)
        assert not any(name == "drafts/set" for name, _ in s.link.calls)
        assert "hello" in s.text
        assert "✗" not in s.text


async def test_j16_the_draft_of_another_client_is_shown_and_followed(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.put("from my ph")
        await s.sees("❯ from my ph")
        host.put("from my phone", cursor=4)
        await s.sees("❯ from my phone")
        assert s.chat.editor.draft.caret == 4
        host.put("")
        await s.misses("from my")
        assert host.told == [], "nothing was typed here"


async def test_what_is_being_typed_is_never_replaced_and_what_gives_way_is_kept(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("my own words")
        host.put("something else entirely")
        await s.sees("❯ my own words", "Another client changed this draft: yours is kept, theirs is at ↑.")
        await kept(s)
        await s.until(lambda: host.text == "my own words")
        await s.press("ctrl+p")
        await s.sees("❯ something else entirely")


async def test_an_edit_elsewhere_wins_once_nobody_types_here_and_the_old_words_can_be_had(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("my own words")
        await kept(s)
        await s.until(lambda: host.text == "my own words")
        await s.later(4)
        host.put("a new start")
        await s.sees("❯ a new start", "yours is at ↑")
        await s.press("ctrl+p")
        await s.sees("❯ my own words")


async def test_an_old_echo_of_our_own_words_changes_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("one")
        await kept(s)
        await s.until(lambda: host.text == "one")
        await s.type(" two")
        await s.later(10)
        host.tell("me")
        await s.pilot.pause()
        assert s.chat.editor.text == "one two"
        assert "Another client" not in s.text


async def test_what_was_typed_offline_is_told_when_the_host_is_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        s.link.answers["drafts/set"] = Unreachable("Nobody answers.")
        host.tell()
        await s.type("in a tunnel")
        await kept(s)
        await s.until(lambda: "in a tunnel" in host.told)
        assert "Nobody answers" not in s.text
        s.link.answers["drafts/set"] = host._set
        s.link.host.client_id = "me again"
        host.tell()
        await kept(s)
        await s.until(lambda: host.text == "in a tunnel")


async def test_a_draft_that_was_sent_from_elsewhere_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.tell()
        await s.type("send me")
        await kept(s)
        await s.until(lambda: host.text == "send me")
        await kept(s)
    async with stage(tmp_path) as s:
        await s.sees("❯ send me")
        host = Host(s)
        host.text, host.revision = "", 0
        host.tell()
        await s.until(lambda: s.chat.editor.empty)
        assert host.told == []


async def test_an_answer_to_a_question_is_nobodys_draft(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        host = Host(s)
        host.put("my draft")
        await s.sees("❯ my draft")
        s.link.ask("user-questions/request", {"questions": [{"id": "a", "question": "Which one?", "options": []}]})
        await s.sees("Which one?")
        await s.press("escape")
        await s.later(1)
        await s.press("1")
        await s.type("secret")
        await kept(s)
        assert host.text == "my draft"
        host.put("my draft, changed")
        await s.pilot.pause()
        assert s.chat.editor.text == "secret"
        await s.press("enter")
        await s.sees("❯ my draft, changed")


async def test_ctrl_c_twice_keeps_what_the_first_press_cleared(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.type("a long thought")
        await s.press("ctrl+c")
        await s.sees("Cleared · ↑ brings it back")
        await s.press("ctrl+c")
        await s.until(lambda: s.app._exit)
    async with stage(tmp_path) as s:
        assert s.chat.editor.empty
        await s.press("up")
        await s.sees("❯ a long thought")
        await s.press("enter")
    async with stage(tmp_path) as s:
        await s.press("up")
        assert s.chat.editor.empty, "what was sent is in the log"
