"""What the composer asks of the host while one types: files behind `@`, and prompts of older pages (rows T6, T23)."""

from pathlib import Path

from htui.errors import RemoteError
from tests.htui.screens.stage import stage


async def test_t23_a_file_is_chosen_from_what_the_host_finds(tmp_path: Path) -> None:
    asked: list[str] = []

    def listed(**args: str) -> list[dict[str, str]]:
        asked.append(args["query"])
        return [{"path": f"src/{name}.py", "kind": "file"} for name in ("main", "maths", "map", "mark", "mask", "mass")]

    async with stage(tmp_path) as s:
        s.link.answers["fileReferences/list"] = lambda **args: listed(**args)
        await s.type("see ")
        await s.press("at", "m")
        await s.sees("▸ src/main.py", "6 found")
        assert asked[-1] == "m"
        await s.press("up")
        await s.sees("▸ src/mass.py")
        await s.press("tab")
        await s.until(lambda: s.chat.editor.text == "see @src/mass.py ")
        await s.misses("Tab takes")
        await s.press("at")
        await s.sees("▸ src/main.py")
        await s.press("escape")
        await s.misses("Tab takes")
        await s.press("enter")
        await s.until(lambda: s.chat.editor.empty)
        assert any(name == "session/prompt" for name, _ in s.link.calls)


async def test_enter_sends_what_stands_there_unless_an_arrow_chose(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["fileReferences/list"] = [{"path": "a.py", "kind": "file"}]
        await s.press("at", "a")
        await s.sees("▸ a.py")
        await s.press("down", "enter")
        await s.until(lambda: s.chat.editor.text == "@a.py ")
        await s.press("at", "a")
        await s.sees("▸ a.py")
        await s.press("enter")
        await s.until(lambda: s.chat.editor.empty)


async def test_a_host_without_references_is_not_talked_about(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        s.link.answers["fileReferences/list"] = RemoteError("gateway/method-unavailable", "no such method")
        await s.press("at", "a")
        await s.until(lambda: any(name == "fileReferences/list" for name, _ in s.link.calls))
        await s.press("b")
        await s.misses("no such method", "Tab takes")


async def test_t6_recall_goes_on_in_older_pages_and_passes_over_those_without_prompts(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        first = [s.log.event("user/message", s.log.user("the first of all"), "append")]
        tools = [
            s.log.event("assistant/message", s.log.answer({"type": "text", "text": "x"}), "append") for _ in range(3)
        ]
        last = [s.log.event("user/message", s.log.user("the latest"), "append")]
        s.link.pages = [first, tools]
        s.log.snapshot(last, has_more=True)
        await s.sees("the latest")
        await s.press("up")
        await s.until(lambda: s.chat.editor.text == "the latest")
        await s.press("up")
        await s.until(lambda: s.chat.editor.text == "the first of all")
        await s.press("up")
        await s.press("down")
        await s.until(lambda: s.chat.editor.text == "the latest")
