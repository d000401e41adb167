"""list_files, search_files, grep, create_directory, rename_file, delete_file."""

import os

from hd.tools.base import Access
from tests.files.trees import plant, snapshot
from tests.tools.kinds.desk import Desk


async def test_list_files(desk: Desk) -> None:
    plant(desk.root, {"src/a.py": "", "b.md": "123", ".env": "k", ".git/x": ""})
    outcome = await desk.run("list_files")
    assert outcome.text == "./\n  src/\n  b.md  3 bytes"
    assert outcome.meta == {
        "path": ".",
        "entries": [{"name": "src", "kind": "directory"}, {"name": "b.md", "kind": "file", "size": 3}],
        "more": 0,
    }
    (desk.root / "none").mkdir()
    assert (await desk.run("list_files", path="none")).text == "none/ holds nothing that can be shown."
    assert desk.plan("list_files").summary == "list ."
    assert (await desk.refusal("list_files", path="b.md")).code == "FS_NOT_A_DIRECTORY"


async def test_search_files(desk: Desk) -> None:
    plant(desk.root, {"src/a.test.ts": "", "src/test/b.py": "", ".env": ""})
    outcome = await desk.run("search_files", pattern="test")
    assert outcome.text == "src/a.test.ts\nsrc/test/"
    assert outcome.meta == {"pattern": "test", "paths": ["src/a.test.ts", "src/test/"], "more": False}
    assert (await desk.run("search_files", pattern="*.rs")).text.startswith("No name fits '*.rs'.")
    assert (await desk.refusal("search_files", pattern="x", path="gone")).code == "FS_NOT_FOUND"
    assert (await desk.refusal("search_files", pattern="[")).code == "FS_PATTERN"


async def test_b06_search_files_says_more(desk: Desk) -> None:
    plant(desk.root, {f"f{n:03}": "" for n in range(250)})
    outcome = await desk.run("search_files", pattern="f*")
    assert outcome.text.count("\n") == 200
    assert outcome.text.endswith("there are more. Narrow the pattern or the path.]")


async def test_grep(desk: Desk) -> None:
    plant(desk.root, {"src/a.py": "import os\nx = 1\n", "b.md": "import\n", "c.bin": "import\0", ".env": "import"})
    outcome = await desk.run("grep", pattern=r"^import", include="*.py")
    assert outcome.text == "src/a.py:1: import os"
    outcome = await desk.run("grep", pattern="import")
    assert outcome.text.split("\n") == [
        "b.md:1: import",
        "src/a.py:1: import os",
        "[2 files searched, 1 left out (binary or not readable).]",
    ]
    assert outcome.meta is not None
    assert outcome.meta["matches"][0] == {"path": "b.md", "line": 1, "text": "import"}
    assert (await desk.run("grep", pattern="absent", path="src")).text.startswith("No line matches (1 files searched;")
    error = await desk.refusal("grep", pattern="(")
    assert (error.code, "regular expression" in error.message) == ("FS_PATTERN", True)


async def test_b06_grep_says_more(desk: Desk) -> None:
    plant(desk.root, {"f": "hit\n" * 1000, "long": ("hit" + "x" * 1000 + "\n") * 300})
    outcome = await desk.run("grep", pattern="hit")
    assert outcome.text.endswith("[The first 200 matches are shown; there are more. Narrow the pattern or the path.]")
    wide = await desk.run("grep", pattern="hit", path="long")
    assert len(wide.text.encode()) < 52_000
    assert "there are more" in wide.text


async def test_create_directory(desk: Desk) -> None:
    plan = desk.plan("create_directory", path="a/b")
    assert (plan.access, plan.summary, snapshot(desk.root)) == (Access.WRITE, "create the folder a/b", {})
    assert (await desk.run("create_directory", path="a/b")).text == "Created the folder a/b."
    assert (await desk.run("create_directory", path="a/b")).text == "The folder a/b exists already."


async def test_rename_file_and_what_counts_as_read(desk: Desk) -> None:
    plant(desk.root, {"d/a": "1\n", "b": "2\n"})
    await desk.run("read_file", path="d/a")
    plan = desk.plan("rename_file", path="d", new_path="e")
    assert (plan.access, plan.summary, plan.paths) == (Access.WRITE, "rename d to e", ("d", "e"))
    assert (await desk.run("rename_file", path="d", new_path="e")).text == "Renamed d to e."
    assert (await desk.run("write_file", path="e/a", content="3\n")).text.startswith("Wrote")
    assert (await desk.refusal("rename_file", path="e/a", new_path="b")).code == "FS_EXISTS"


async def test_delete_file(desk: Desk) -> None:
    plant(desk.root, {"f": "12345", "d/x": ""})
    (desk.root / "link").symlink_to("f")
    plan = desk.plan("delete_file", path="f")
    assert (plan.access, plan.summary, plan.detail) == (Access.DELETE, "delete f", "f (5 bytes)")
    assert desk.plan("delete_file", path="link").detail == "link (a link; what it leads to stays)"
    await desk.run("read_file", path="f")
    assert (await desk.run("delete_file", path="link")).text == "Deleted link."
    assert (await desk.run("delete_file", path="f")).text == "Deleted f."
    assert desk.context.seen == {}
    assert (await desk.refusal("delete_file", path="d")).code == "FS_NOT_EMPTY"


async def test_names_that_are_no_text_can_be_shown(desk: Desk) -> None:
    with open(os.fsencode(desk.root) + b"/caf\xe9", "wb") as file:
        file.write(b"hit\n")
    assert (await desk.run("list_files")).text == "./\n  caf\\xe9  4 bytes"
    assert (await desk.run("search_files", pattern="caf")).text == "caf\\xe9"
    assert (await desk.run("grep", pattern="hit")).text == "caf\\xe9:1: hit"


def test_the_specs_are_what_was_agreed(desk: Desk) -> None:
    agreed = {
        "read_file": (["path"], ["path", "offset", "limit"]),
        "write_file": (["path", "content"], ["path", "content"]),
        "edit_file": (["path", "old_string", "new_string"], ["path", "old_string", "new_string", "replace_all"]),
        "list_files": ([], ["path"]),
        "search_files": (["pattern"], ["pattern", "path"]),
        "grep": (["pattern"], ["pattern", "path", "include"]),
        "create_directory": (["path"], ["path"]),
        "rename_file": (["path", "new_path"], ["path", "new_path"]),
        "delete_file": (["path"], ["path"]),
    }
    for name, (required, properties) in agreed.items():
        spec = desk.tools[name].spec
        assert spec.parameters.get("required", []) == required
        assert list(spec.parameters["properties"]) == properties
        assert all("description" in one for one in spec.parameters["properties"].values()), name
        assert len(spec.description) > 100
