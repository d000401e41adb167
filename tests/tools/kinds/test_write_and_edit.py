"""write_file and edit_file: what the model is told, what clients are sent, whose work is protected."""

import asyncio
import os

import pytest

from hd.tools.base import Access
from tests.files.trees import plant, snapshot
from tests.tools.kinds.desk import Desk


async def test_a_new_file(desk: Desk) -> None:
    plan = desk.plan("write_file", path="src/a.py", content="x = 1\ny = 2")
    assert (plan.access, plan.summary, plan.paths) == (Access.WRITE, "create src/a.py", ("src/a.py",))
    assert plan.detail == (
        "--- /dev/null\n+++ b/src/a.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n\\ No newline at end of file\n"
    )
    assert snapshot(desk.root) == {}
    outcome = await desk.run("write_file", path="src/a.py", content="x = 1\ny = 2")
    assert outcome.text == "Created src/a.py: 2 lines, 11 bytes."
    path = str(desk.root / "src/a.py")
    assert outcome.meta == {
        "operation": "create",
        "path": path,
        "diffs": [{"path": path, "oldText": "", "newText": "x = 1\ny = 2"}],
    }
    assert (await desk.run("write_file", path="src/a.py", content="x = 2\n")).text.startswith("Wrote src/a.py")


async def test_an_edit(desk: Desk) -> None:
    plant(desk.root, {"a.py": "".join(f"line {n}\r\n" for n in range(1, 21))})
    arguments = {"path": "a.py", "old_string": "line 9\nline 10\n", "new_string": "nine\n"}
    plan = desk.plan("edit_file", **arguments)
    assert (plan.access, plan.summary) == (Access.WRITE, "edit a.py")
    assert plan.detail == (
        "--- a/a.py\n+++ b/a.py\n@@ -6,8 +6,7 @@\n line 6\n line 7\n line 8\n-line 9\n-line 10\n+nine\n"
        " line 11\n line 12\n line 13\n"
    )
    outcome = await desk.run("edit_file", **arguments)
    assert outcome.text == "Edited a.py: 1 replacement at line 9."
    assert outcome.meta is not None
    assert outcome.meta["operation"] == "edit"
    assert outcome.meta["diffs"] == [
        {
            "path": str(desk.root / "a.py"),
            "oldText": "line 6\nline 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13",
            "newText": "line 6\nline 7\nline 8\nnine\nline 11\nline 12\nline 13",
        }
    ]
    assert (desk.root / "a.py").read_bytes().count(b"\r\n") == 19


async def test_a13_all_places_and_their_number(desk: Desk) -> None:
    plant(desk.root, {"f": "x\ny\nx\n"})
    error = await desk.refusal("edit_file", path="f", old_string="x", new_string="z")
    assert (error.code, "lines 1, 3" in error.message) == ("FS_EDIT_AMBIGUOUS", True)
    outcome = await desk.run("edit_file", path="f", old_string="x", new_string="z", replace_all="true")
    assert outcome.text == "Edited f: 2 replacements at lines 1, 3."


async def test_a14_a15_the_persons_edit_in_between_is_not_lost(desk: Desk) -> None:
    plant(desk.root, {"notes.md": "one\ntwo\n"})
    await desk.run("read_file", path="notes.md")
    plant(desk.root, {"notes.md": "one\ntwo\nfrom the person\n"})
    for name, arguments in (
        ("write_file", {"content": "one\ntwo\nthree\n"}),
        ("edit_file", {"old_string": "two", "new_string": "2"}),
        ("delete_file", {}),
    ):
        error = await desk.refusal(name, path="notes.md", **arguments)
        assert (error.name, error.code) == ("FsError", "FS_STALE")
        assert "changed on disk" in error.message
        assert "3: from the person" in error.message
        assert not {"approv", "permission", "denied"} & set(error.message.lower().split())
    await desk.run("read_file", path="notes.md")
    await desk.run("write_file", path="notes.md", content="one\ntwo\nfrom the person\nthree\n")
    await desk.run("edit_file", path="notes.md", old_string="three", new_string="3")
    assert (desk.root / "notes.md").read_text() == "one\ntwo\nfrom the person\n3\n"


async def test_a_file_that_was_never_read_is_not_replaced(desk: Desk) -> None:
    plant(desk.root, {"f": "mine\n", "empty": ""})
    assert (await desk.refusal("write_file", path="f", content="x")).code == "FS_UNREAD"
    # An edit shows that the model knows the place, not the whole file.
    await desk.run("edit_file", path="f", old_string="mine", new_string="ours")
    assert (await desk.refusal("write_file", path="f", content="x")).code == "FS_UNREAD"
    await desk.run("write_file", path="empty", content="x\n")
    assert snapshot(desk.root) == {"empty": b"x\n", "f": b"ours\n"}


async def test_what_the_model_wrote_it_may_write_again(desk: Desk) -> None:
    await desk.run("write_file", path="f", content="1\n")
    assert (await desk.run("write_file", path="f", content="1\n")).text == (
        "f holds exactly this already. Nothing was written."
    )
    (desk.root / "f").unlink()
    assert (await desk.run("write_file", path="f", content="2\n")).text.startswith("Created f")


async def test_a03_an_almost_exact_text_is_named_and_a_merely_like_one_is_refused(desk: Desk) -> None:
    rust = 'fn main() {\r\n    let total = add(1, 2);  \r\n    println!("{}", total);\r\n}\r\n'
    plant(desk.root, {"main.rs": rust})
    error = await desk.refusal(
        "edit_file", path="main.rs", old_string="    let total = add(1, 3);\n", new_string="    let total = 3;\n"
    )
    assert (error.code, "2:     let total = add(1, 2);" in error.message) == ("FS_EDIT_NOT_FOUND", True)
    assert (desk.root / "main.rs").read_bytes() == rust.encode()
    outcome = await desk.run(
        "edit_file",
        path="main.rs",
        old_string='2:     let total = add(1, 2);\n3:     println!("{}", total);',
        new_string='2:     let total = 3;\n3:     println!("{}", total);',
    )
    assert outcome.text == (
        "Edited main.rs: 1 replacement at line 2. old_string is not exactly what stood there: apart from blanks at the "
        "ends of lines, the line numbers that read_file adds it was the same."
    )
    assert (desk.root / "main.rs").read_bytes() == rust.replace("add(1, 2)", "3").encode()


async def test_a04_a06_encodings_in_the_tools(desk: Desk) -> None:
    plant(desk.root, {"bom": b"\xef\xbb\xbfhello\n", "gb": "# 注释\nx = 1\n".encode("gb18030")})
    await desk.run("read_file", path="bom")
    await desk.run("edit_file", path="bom", old_string="hello", new_string="hello2")
    await desk.run("write_file", path="bom", content="new\n")
    assert (desk.root / "bom").read_bytes() == b"\xef\xbb\xbfnew\n"
    read = await desk.run("read_file", path="gb")
    assert read.text == "[gb: GB18030, by its content, 96% sure]\n1: # 注释\n2: x = 1"
    await desk.run("edit_file", path="gb", old_string="x = 1", new_string="# 新")
    assert (desk.root / "gb").read_bytes().decode("gb18030") == "# 注释\n# 新\n"
    await desk.run("write_file", path="gb", content="# 全新\n# 注释\n")
    assert (desk.root / "gb").read_bytes().decode("gb18030") == "# 全新\n# 注释\n"


async def test_a_plan_refuses_what_the_run_would_refuse(desk: Desk) -> None:
    plant(desk.root, {"f": "a\n"})
    for name, arguments in (
        ("edit_file", {"path": "f", "old_string": "b", "new_string": "c"}),
        ("write_file", {"path": "f", "content": "c"}),
        ("rename_file", {"path": "gone", "new_path": "c"}),
        ("delete_file", {"path": "gone"}),
        ("create_directory", {"path": "f"}),
    ):
        error = await desk.refusal(name, **arguments)
        with pytest.raises(type(error)) as planned:
            desk.plan(name, **arguments)
        assert planned.value.message == error.message


async def test_a_cancelled_write_is_over_when_it_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    writing = asyncio.Event()
    sync = os.fsync

    def slow(descriptor: int) -> None:
        loop.call_soon_threadsafe(writing.set)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    task = asyncio.create_task(desk.run("write_file", path="f", content="x\n"))
    await writing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert snapshot(desk.root) == {"f": b"x\n"}
