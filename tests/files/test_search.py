"""Searching: results, ends, and an expression that would never end."""

import os
import re
import subprocess
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hd.files import search
from hd.files.errors import Code, FileError
from hd.files.guard import Guard
from hd.files.matcher import Matcher
from hd.files.matching import clip, matches
from hd.files.rules import OwnRules
from hd.files.search import Matches, grep, names
from hd.files.walk import Limits, Walk
from tests.files.trees import plant

GUARD = Guard()


def walk(root: Path, start: str = ".", limits: Limits | None = None, cancel: threading.Event | None = None) -> Walk:
    return Walk(root, (root / start).resolve(), GUARD, limits=limits or Limits(), cancel=cancel)


def found(result: Matches) -> list[tuple[str, int, str]]:
    return [(match.name, match.number, match.text) for match in result.found]


def test_lines_with_their_places(tmp_path: Path) -> None:
    plant(tmp_path, {"a.py": "import os\r\nx = 1\r\n", "b/c.py": "y\nimport re\nimport io", "d.md": "import\n"})
    result = grep(walk(tmp_path), r"^import \w+$")
    assert found(result) == [("a.py", 1, "import os"), ("b/c.py", 2, "import re"), ("b/c.py", 3, "import io")]
    assert (result.more, result.stopped, result.files, result.skipped) == (False, None, 3, 0)


def test_include_and_start(tmp_path: Path) -> None:
    plant(tmp_path, {"a.py": "x", "s/a.py": "x", "s/t/b.ts": "x", "s/c.md": "x"})
    assert [match.name for match in grep(walk(tmp_path), "x", include="*.{py,ts}").found] == [
        "a.py",
        "s/a.py",
        "s/t/b.ts",
    ]
    assert [match.name for match in grep(walk(tmp_path, "s"), "x", include="t/*").found] == ["s/t/b.ts"]
    assert [match.name for match in grep(walk(tmp_path, "s/c.md"), "x").found] == ["s/c.md"]


def test_what_cannot_be_searched_is_counted(tmp_path: Path) -> None:
    plant(tmp_path, {"a": "x\0", "b": "x", "latin": b"x caf\xe9\n", "wide": "x\n".encode("utf-16"), ".env": "x"})
    os.mkfifo(tmp_path / "p")
    result = grep(walk(tmp_path), "x")
    assert found(result) == [("b", 1, "x"), ("latin", 1, "x café"), ("wide", 1, "x")]
    assert result.skipped == 1


CONTENTS = {
    "plain": b"x\nfoo.bar = 1\nFOO\n",
    "nothing": b"x\ny\n",
    "empty": b"",
    "chinese": "# 注释 foo\n中文字\n".encode(),
    "gb": "# 注释 foo\n中文字\n".encode("gb18030"),
    "latin": b"caf\xe9 foo\n",
    "marked": b"\xef\xbb\xbffoo",
    "wide": "foo\r\n中文字\n".encode("utf-16"),
    "binary": b"foo\0",
    "broken": b"\xff\xfe\xfa bare foo",
}


@pytest.mark.parametrize(
    "pattern", ["foo", "fo+", r"foo\.bar|中文字", "^foo$", "中文字", r"xe9 f", "(?i)foo", "f.o", "^", ""]
)
def test_passing_over_files_changes_no_answer(tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, dict(CONTENTS))
    quick = grep(walk(tmp_path), pattern)
    monkeypatch.setattr(search, "required", lambda _: ())
    assert quick == grep(walk(tmp_path), pattern)


def test_files_without_a_literal_are_not_sent_to_the_search_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {**{f"f{n:03}": "nothing\n" for n in range(100)}, "g": "here it is\n"})
    asked: list[str] = []
    lines_of = Matcher.lines_of

    def spy(self: Matcher, texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
        asked.extend(texts)
        return lines_of(self, texts)

    monkeypatch.setattr(Matcher, "lines_of", spy)
    result = grep(walk(tmp_path), r"here \w+")
    assert (found(result), result.files, asked) == ([("g", 1, "here it is")], 101, ["here it is\n"])


def test_an_empty_file_has_no_line(tmp_path: Path) -> None:
    plant(tmp_path, {"a": "", "b": "\n"})
    assert found(grep(walk(tmp_path), "^$")) == [("b", 1, "")]


def test_what_was_found_before_an_expression_did_not_end_is_kept(tmp_path: Path) -> None:
    plant(tmp_path, {f"a{n}": "bbb\n" for n in range(5)})
    plant(tmp_path, {"b": "aaa\n", "c": "a" * 60 + "!\n", "d": "aaa\n"})
    result = grep(walk(tmp_path, limits=Limits(seconds=0.5)), "^(a+)+$")
    assert found(result) == [("b", 1, "aaa")]


def test_b06_the_walk_ends_at_the_number_of_results(tmp_path: Path) -> None:
    plant(tmp_path, {f"f{n:03}": "hit\n" * 10 for n in range(300)})
    result = grep(walk(tmp_path), "hit", most=100)
    assert (len(result.found), result.more, result.files) == (100, True, 11)
    exact = grep(walk(tmp_path), "hit", most=3000)
    assert (len(exact.found), exact.more) == (3000, False)


def test_b06_one_file_with_too_many(tmp_path: Path) -> None:
    plant(tmp_path, {"a": "hit\n" * 100_000, "b": "hit\n"})
    result = grep(walk(tmp_path), "hit", most=100)
    assert (len(result.found), result.more, result.files) == (100, True, 1)


@pytest.mark.parametrize("pattern", ["(", "*a", "a{99999999999}", "(?P<a>x)(?P<a>y)", "x" * 3000])
def test_an_expression_that_is_none_is_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(FileError) as caught:
        grep(walk(tmp_path), pattern)
    assert caught.value.code is Code.PATTERN


def test_an_expression_without_end_is_ended(tmp_path: Path) -> None:
    plant(tmp_path, {"a": "aaa\n", "b": "a" * 60 + "!\n", "c": "aaa\n"})
    result = grep(walk(tmp_path, limits=Limits(seconds=0.3)), "^(a+)+$")
    assert found(result) == [("a", 1, "aaa")]
    assert result.stopped == "it took longer than 0.3 seconds"


def test_a_cancelled_search_ends(tmp_path: Path) -> None:
    plant(tmp_path, {"b": "a" * 60 + "!\n"})
    cancel = threading.Event()
    timer = threading.Timer(0.1, cancel.set)
    timer.start()
    result = grep(walk(tmp_path, cancel=cancel), "^(a+)+$")
    timer.join()
    assert (result.found, result.stopped) == ((), "it was cancelled")


def test_the_search_process_gets_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environments: list[Any] = []
    start = subprocess.Popen.__init__

    def spy(self: Any, *arguments: Any, **options: Any) -> None:
        environments.append(options["env"])
        start(self, *arguments, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", spy)
    grep(walk(tmp_path), "x")
    assert environments == [{}]


def test_long_lines_are_cut_around_the_match() -> None:
    line = "a" * 1000 + "needle" + "b" * 1000
    cut = clip(line, 1000, 1006, width=100)
    assert len(cut) == 102
    assert "aneedleb" in cut
    assert (cut[0], cut[-1]) == ("…", "…")
    assert clip(line, 0, 1, width=100) == "a" * 100 + "…"
    assert clip(line, 2000, 2006, width=100) == "…" + "b" * 100
    assert len(clip(line, 0, 2000, width=100)) == 101


def test_behind_the_last_newline_is_no_line() -> None:
    assert matches(re.compile("^$"), "a\n\nb\n", 9) == [(2, "")]
    assert matches(re.compile(""), "a\n", 9) == [(1, "a")]
    assert matches(re.compile("b$"), "a\nb", 9) == [(2, "b")]


def test_names_by_pattern_and_by_part(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {"src/Config.ts": "", "src/app/config/a.ts": "", "src/b.py": "", ".env": "", "node_modules/config": ""},
    )
    assert [entry.name for entry in names(walk(tmp_path), "config").found] == ["src/Config.ts", "src/app/config"]
    assert [entry.name for entry in names(walk(tmp_path), "app/conf").found] == [
        "src/app/config",
        "src/app/config/a.ts",
    ]
    assert [entry.name for entry in names(walk(tmp_path), "**/*.ts").found] == ["src/Config.ts", "src/app/config/a.ts"]
    assert [entry.name for entry in names(walk(tmp_path, "src"), "*/*/a.ts").found] == ["src/app/config/a.ts"]
    assert names(walk(tmp_path), "env").found == ()


def test_a09_names_are_found_in_either_unicode_form(tmp_path: Path) -> None:
    apart, together = unicodedata.normalize("NFD", "thé/café.py"), "thé/café.py"
    plant(tmp_path, {apart: "x", "entrée.py": "x"})
    for pattern in ("café", "thé/ca", "**/CAFÉ.*", "thé/*.{py,ts}"):
        for form in ("NFC", "NFD"):
            assert apart in [entry.name for entry in names(walk(tmp_path), unicodedata.normalize(form, pattern)).found]
    assert [match.name for match in grep(walk(tmp_path), "x", include=together).found] == [apart]
    for form in ("NFC", "NFD"):
        rules = OwnRules(deny=[unicodedata.normalize(form, "thé/**")])
        assert rules.judge(apart) is not None
        assert rules.judge(together) is not None


def test_names_end_at_their_number(tmp_path: Path) -> None:
    plant(tmp_path, {f"d{n:02}/x": "" for n in range(50)})
    run = walk(tmp_path)
    result = names(run, "x", most=10)
    assert (len(result.found), result.more, run.opened) == (10, True, 12)
    with pytest.raises(FileError):
        names(walk(tmp_path), "/")
