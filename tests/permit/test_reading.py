"""What is proven to only read does so: judged by running it for real and comparing everything before and after."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.files.layer import FileLayer
from hd.permit.look import DiskLook
from hd.permit.reading import doubt
from tests.files.trees import plant, snapshot
from tests.permit.ground import workspace

BASH = shutil.which("bash") or "sh"

# Programs that can do no harm beyond the folder where they run, whatever they are given of the words below.
PROGRAMS = ["echo", "cat", "ls", "sort", "uniq", "sed", "tee", "touch", "head", "cd", "test", "printf", "eval", "sh -c",
            "find", "grep", "wc", "env", "x=1", "timeout 5", "xargs", "true", "git diff", "git log", "git status",
            "tree", "command", "builtin", "exec", "{", "!", "read", "let", "declare"]  # fmt: skip
WORDS = ["a.txt", "b.txt", "src", "*", "src/*", "-o", "new", "-onew", "--output=new", "-n", "1p", "w new", "'1w new'",
         "-i", "s/a/b/", "-exec touch new ;", "-delete", "-fprint new", "$(touch new)", "`touch new`", "${x:=y}", "$x",
         "$?", '"$(touch new)"', "'touch new'", '"touch new"', "$((x=1))", "<(touch new)", "{a,new}", "~", ".", "-v",
         "'x[$(touch new)]'", "a\\ b", "\\", "'", '"', "$'\\n'", "--", "-c", "--help", "-r", "#", "}", "-ne", "[", "]",
         "\n", "-type f", "-", "README.md", "$", '"$"', "!", "-printf x"]  # fmt: skip
LINKS = ["|", ";", "&&", "||", "\n", "&", "|&", ";;", "(", ")", "|\n"]
REDIRECTS = ["> new", ">> a.txt", ">| new", "2>&1", ">/dev/null", "2> new", "&> new", "<> new", "< a.txt", ">& new",
             "<<E\nx\nE\n", "<<< x", "> /dev/null/../new", ">&2", "> $x", "{v}> new", ">\\\nnew", '>"new"']  # fmt: skip

simple = st.builds(
    lambda program, words, redirects: " ".join([program, *words, *redirects]),
    st.sampled_from(PROGRAMS),
    st.lists(st.sampled_from(WORDS), max_size=4),
    st.lists(st.sampled_from(REDIRECTS), max_size=1),
)
glued = st.lists(st.sampled_from([*WORDS, *LINKS, *REDIRECTS, *PROGRAMS, " "]), max_size=8).map("".join)
lines = st.one_of(
    st.builds(
        lambda first, rest: first + "".join(f" {link} {one}" for link, one in rest),
        simple,
        st.lists(st.tuples(st.sampled_from(LINKS), simple), max_size=2),
    ),
    st.builds(lambda program, rest: f"{program} {rest}", st.sampled_from(PROGRAMS), glued),
)


def run(command: str, folder: Path) -> None:
    """As the daemon does; what it prints and how it ends does not matter here."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [BASH, "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20
    )


def seen(top: Path) -> dict[str, bytes | str | None]:
    """All that is there, but for git's own note of which files it looked at last."""
    return {name: content for name, content in snapshot(top).items() if name != "work/.git/index"}


@pytest.mark.long
def test_d09_nothing_that_is_proven_to_read_changes_anything(tmp_path: Path) -> None:
    files = workspace(tmp_path)
    before = seen(tmp_path)
    proven: set[str] = set()

    @given(lines)
    @settings(max_examples=6000, deadline=None, database=None)
    def holds(command: str) -> None:
        if command not in proven and doubt(command, DiskLook(files)) is None:
            run(command, files.root)
            after = seen(tmp_path)
            if after != before:
                shutil.rmtree(tmp_path / "work")
                shutil.rmtree(tmp_path / "outside")
                workspace(tmp_path)
            assert after == before
            proven.add(command)

    holds()
    assert len(proven) > 100


@pytest.fixture
def look(tmp_path: Path) -> DiskLook:
    return DiskLook(workspace(tmp_path))


@pytest.mark.parametrize("program", ["sort", "cat", "wc", "uniq", "head"])
def test_d09_a_file_that_is_named_like_an_option_is_one(tmp_path: Path, program: str) -> None:
    look = DiskLook(FileLayer(plant(tmp_path, {"--output=x": "", "-onew": "", "a": "", "sub/-onew": ""})))
    assert doubt(f"{program} *", look)
    assert doubt(f"{program} sub/*", look) is None
    assert doubt(f"cd sub && {program} *", look)
    assert doubt(f"{program} a", look) is None


@pytest.mark.parametrize(
    "settings",
    [
        "[core]\n\tfsmonitor = ./x\n",
        "[core]\n\tFSMonitor=./x\n",
        "[core] fsmonitor = ./x\n",
        "[include]\n\tpath = ../evil\n",
        '[diff "x"]\n\ttextconv = ./x\n',
        "[diff]\n\texternal = ./x\n",
        "[alias]\n\tstatus = !touch x\n",
        "[core]\n\tbare = \\\nfsmonitor = ./x\n",
        "[core]\n\tworktree = /\n",
        "[extensions]\n\tworktreeConfig = true\n",
    ],
)
def test_d09_git_is_doubted_where_the_repository_could_make_it_run_programs(look: DiskLook, settings: str) -> None:
    repository = look.files.root / ".git"
    assert doubt("git status", look) is None
    (repository / "config").write_text(settings)
    assert doubt("git status", look)
    assert doubt("git -C src log", look)


@pytest.mark.parametrize("name", ["hooks/post-index-change", "commondir"])
def test_d09_git_is_doubted_with_a_hook_that_a_look_would_run(look: DiskLook, name: str) -> None:
    plant(look.files.root / ".git", {name: "x"})
    assert doubt("git status", look)


def test_d09_git_is_doubted_in_a_folder_that_looks_like_a_repository(look: DiskLook) -> None:
    plant(look.files.root, {"src/HEAD": "x", "src/objects/x": "", "src/config": "[core]\n\tfsmonitor = ./x\n"})
    assert doubt("git -C src status", look)
    assert doubt("cd src && git status", look)
    assert doubt("git status", look) is None


def test_c04_a_whole_folder_is_read_only_where_no_secret_lies_in_it(look: DiskLook) -> None:
    assert doubt("grep -r foo src", look) is None
    (look.files.root / "src" / ".env").write_text("A=hidden-value\n")
    assert doubt("grep -r foo src", look)
    assert doubt("rg foo src", look)
    assert doubt("grep -r --include='*.py' foo src", look) is None
    assert doubt("grep -r --include='*.py' --exclude=x foo src", look)


@pytest.mark.parametrize(
    "command",
    [
        "ls > list",
        "cat a >> b",
        "sed -i s/a/b/ c",
        "find . -delete",
        "find . -exec rm {} +",
        "echo $(rm a)",
        "echo `rm a`",
        "cat <(rm a)",
        "X=1 ls",
        "sort -o a a",
        "git checkout .",
        "git -c core.pager=evil log",
        "git diff --output=a",
        "$TOOL a",
        "ls() { rm a; }; ls",
        "cat a | tee b",
        "python -c pass",
        "ls; rm a",
        "ls\nrm a",
        "ls & rm a",
        "if true; then rm a; fi",
        "echo 'open",
        "uniq a b",
        "echo ${X:=$(rm a)}",
        "cat <<E\n$(rm a)\nE",
        "xargs rm",
        "/bin/rm a",
        "ls <> a",
    ],
)
def test_d09_any_doubt_is_a_no(look: DiskLook, command: str) -> None:
    assert doubt(command, look) is not None


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat a b | head -n 3 | wc -l",
        "cd sub && grep -n 'x > y' a 2>/dev/null",
        "find . -name '*.py' -type f",
        "grep x a 2>&1 | tail",
    ],
)
def test_plain_reading_is_proven(tmp_path: Path, command: str) -> None:
    files = FileLayer(plant(tmp_path, {"a": "x", "b": "x", "sub/a": "x > y"}))
    assert doubt(command, DiskLook(files)) is None


def test_what_a_variable_may_hold_is_no_proof(look: DiskLook) -> None:
    """`find . $ACTION` deletes where `ACTION` is `-delete`."""
    assert doubt("find . $ACTION", look) is not None
