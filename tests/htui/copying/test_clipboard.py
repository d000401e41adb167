"""Copying for real: the file, the sequence, and a tmux (case J11)."""

import os
from pathlib import Path

import pytest

from hd.protocol.projections.transcript import Row
from htui.copying import pieces
from htui.copying.clipboard import Clipboard
from htui.copying.route import MOST, sequence


async def test_j11_the_text_goes_to_the_terminal_and_into_a_file_of_its_owner(tmp_path: Path) -> None:
    sent: list[str] = []
    board = Clipboard(tmp_path / "state" / "copied.txt", {"TERM": "xterm-kitty"})
    for text in ("first", "结果\nsecond"):
        said = await board.copy(text, sent.append)
        assert board.copied.read_text() == text
    assert sent == [sequence("first", passthrough=False), sequence("结果\nsecond", passthrough=False)]
    assert said == f"Copied 13 B to the clipboard of your terminal. Also in {board.copied}."
    assert board.copied.stat().st_mode & 0o777 == 0o600


async def test_a_long_text_is_in_the_file_only_and_that_is_said(tmp_path: Path) -> None:
    sent: list[str] = []
    board = Clipboard(tmp_path / "copied.txt", {"TERM": "xterm-kitty"})
    said = await board.copy("x" * (MOST + 1), sent.append)
    assert not sent
    assert said.startswith("Not on the clipboard")
    assert board.copied.stat().st_size == MOST + 1


async def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = await Clipboard(tmp_path / "file" / "copied.txt", {"TERM": "linux"}).copy("x", lambda _: None)
    assert said.endswith("It could not be written to a file either.")


@pytest.fixture
def tmux(tmp_path: Path) -> dict[str, str]:
    """The environment of a program in a tmux with its own settings: a stand-in, as few machines that test have one."""
    program = tmp_path / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(
        f"""#!/bin/sh
case "$1" in
display-message) printf 'external\\t0\\tclipboard,title\\txterm-256color\\n' ;;
load-buffer) [ "$2 $3" = "-w -" ] && cat > {tmp_path}/buffer ;;
*) exit 1 ;;
esac
"""
    )
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "TMUX": "socket,1,0", "TMUX_PANE": "%1"}


async def test_j11_tmux_that_lets_no_sequence_through_gets_it_in_its_buffer(
    tmux: dict[str, str], tmp_path: Path
) -> None:
    sent: list[str] = []
    said = await Clipboard(tmp_path / "copied.txt", tmux).copy("你好" * 40_000, sent.append)
    assert not sent
    assert said.startswith("Copied 234 KB: in tmux's buffer (paste with prefix ]) and on the clipboard.")
    assert (tmp_path / "buffer").read_text() == "你好" * 40_000


async def test_a_tmux_that_is_gone_is_no_way(tmp_path: Path) -> None:
    environ = {**os.environ, "TMUX": f"{tmp_path}/none,1,0", "TERM": "tmux-256color"}
    environ.pop("TERM_PROGRAM", None)
    said = await Clipboard(tmp_path / "copied.txt", environ).copy("x", lambda _: None)
    assert "does not say if it took it" in said


def rows(*texts: str) -> list[Row]:
    return [Row(key=str(i), kind="assistant", seq=i, turn=1, time=0, text=text) for i, text in enumerate(texts)]


def test_answers_and_code_are_counted_from_the_end() -> None:
    said = rows("one\n\n```python\na = 1\n```\n\n- x\n\n  ~~~\n  b\n  ~~~\n", " ", "**two**\n\n    c\n", "three")
    said.insert(1, Row(key="u", kind="user", seq=9, turn=1, time=0, text="```\nmine\n```"))
    assert [pieces.answer(said.__getitem__, len(said), n) for n in (1, 2, 3, 4)] == [
        "three",
        said[3].text,
        said[0].text,
        None,
    ]
    assert [pieces.code(said.__getitem__, len(said), n) for n in (1, 2, 3, 4)] == ["c\n", "b\n", "a = 1\n", None]
    assert pieces.code_blocks("no code `here`") == []
