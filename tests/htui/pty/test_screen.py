"""What a real terminal shows: cells, colours, cursor, and the bytes for it (rows X13, X14, T24, cases J01 to J20)."""

import re
import signal
from pathlib import Path

import pytest

from tests.htui.pty.running import htui, ready
from tests.support.terminal import modes_left_on

FORBIDDEN = re.compile("\x1b[\\]PX^_]|[\x80-\x9f\x07\u202e]|\x1b\\[6n")


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "low", "most"),
    [((80, 24), "0", 12_000), pytest.param((200, 60), "0", 16_000, marks=pytest.mark.long), ((80, 24), "1", 3_000)],
)
def test_x13_an_answer_of_200_words_costs_few_bytes(tmp_path: Path, size: tuple[int, int], low: str, most: int) -> None:
    with htui("stream", tmp_path, columns=size[0], lines=size[1], environ={"HTUI_LOW_BANDWIDTH": low}) as t:
        ready(t)
        t.settle()
        before = len(t.raw)
        t.send("Tell me.\r")
        t.wait_for("◐")
        t.wait_for("● Ready")
        t.settle()
        spent = bytes(t.raw[before:])
        assert len(spent) < most
        assert spent.count(b"\x1b[2J") == 0


def test_j02_the_terminals_cursor_stands_on_the_caret_while_an_answer_streams(tmp_path: Path) -> None:
    with htui("stream", tmp_path) as t:
        ready(t)
        t.send("Tell me.\r")
        t.wait_for("The parser")
        t.send("你好x")
        t.wait(lambda t: any(row == "❯ 你好x" for row in t.rows))
        for _ in range(20):
            t.read(0.2)
            assert t.cursor_shown
            place = next(i for i, row in enumerate(t.rows) if row.startswith("❯ 你好x"))
            t.wait(lambda t, place=place: t.cursor == (7, place), "the cursor on the caret")  # type: ignore[misc]


def test_j01_chinese_text_is_edited_cell_by_cell(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.send("你好，测试abc")
        t.wait_for("❯ 你好，测试abc")
        t.send("\x1b[D" * 4)
        line = next(i for i, row in enumerate(t.rows) if row.startswith("❯ "))
        t.wait(lambda t: t.cursor == (10, line))
        t.send("x")
        t.wait_for("❯ 你好，测x试abc")
        t.send("\x1b[3~")
        t.wait_for("❯ 你好，测xabc")
        t.wait(lambda t: t.cursor == (11, line))


def test_x14_hostile_text_never_reaches_the_terminal_raw(tmp_path: Path) -> None:
    with htui("injection", tmp_path) as t:
        t.wait_for("Needs you")
        t.wait_for("live A␛]52")
        t.send("\x1b[200~pasted \x1b]52;c;x\x07\x9b31m\r\n/quit\r\x1b[201~")
        t.wait_for("pasted ␛]52")
        t.send("\x1b[5~")
        t.settle()
        assert FORBIDDEN.findall(t.raw.decode()) == []
        assert t.process.isalive()


def test_j18_a_paste_never_submits(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.send("\x1b[200~one\r\ntwo\rthree\n\x1b[201~")
        t.wait_for("three")
        t.send("four\rfive six seven eight\r")
        t.wait_for("five six")
        t.settle()
        assert "You said" not in t.text
        t.send("\x1b\r\x1b[13;2u\nend")
        t.wait_for("end")
        assert "You said" not in t.text
        t.send("\r")
        t.wait_for("You said: one")


def test_j07_a_huge_paste_is_folded_and_sent_whole(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        text = "\n".join(f"line {place} {'x' * 90}" for place in range(10_000))
        t.send("\x1b[200~")
        for start in range(0, len(text), 2000):
            t.send(text[start : start + 2000])
        t.send("\x1b[201~")
        t.wait_for("[9998 lines · 985 KB]")
        t.send("\x03")
        t.wait(lambda t: "[9998 lines" not in t.text)
        t.send("\x1f")
        t.wait_for("[9998 lines · 985 KB]")
        t.send("\r")
        t.wait_for("line 9999")


def test_j16_a_draft_survives_kill_nine(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.send("half a thought\x1b[D\x1b[D")
        t.wait_for("half a thought")
        drafts = tmp_path / "drafts"
        t.wait(lambda t: drafts.is_dir() and any(b"half a thought" in f.read_bytes() for f in drafts.glob("*.json")))
        t.kill(signal.SIGKILL)
        assert t.wait_end() == -9
    with htui("chat", tmp_path) as t:
        t.wait_for("❯ half a thought")
        line = next(i for i, row in enumerate(t.rows) if row.startswith("❯ half"))
        t.wait(lambda t: t.cursor == (14, line))


def test_j10_ten_thousand_messages_open_and_scroll(tmp_path: Path) -> None:
    with htui("history", tmp_path) as t:
        t.wait_for("answer 4999 with bold and code")
        t.send("x")
        t.wait_for("❯ x")
        t.send("\x7f\x1b[H")
        t.wait_for("question 0")
        t.send("\x1b[F")
        t.wait_for("answer 4999")


@pytest.mark.parametrize("size", [(40, 15), (20, 10)])
def test_j13_small_screens_and_turning_the_phone(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # some shells export the size that they were started with
    monkeypatch.setenv("LINES", "24")
    with htui("injection", tmp_path, columns=size[0], lines=size[1]) as t:
        t.wait_for("Needs you")
        t.wait_for("2 deny")
        t.resize(size[1] * 2, size[0] // 2)
        t.wait_for("2 deny")
        t.resize(*size)
        t.wait_for("2 deny")
        t.wait(lambda t: t.cursor_shown)


def test_t24_without_colour_there_is_no_colour(tmp_path: Path) -> None:
    with htui("injection", tmp_path, environ={"NO_COLOR": "1"}) as t:
        t.wait_for("Needs you")
        t.settle()
        colours = {
            m for m in re.findall(rb"\x1b\[([0-9;]*)m", bytes(t.raw)) for n in m.split(b";") if 30 <= int(n or 0) <= 107
        }
        assert colours == set()


def test_t24_with_colour_only_the_terminals_own_palette_is_used(tmp_path: Path) -> None:
    with htui("injection", tmp_path) as t:
        t.wait_for("Needs you")
        t.settle()
        styles = re.findall(rb"\x1b\[([0-9;]*)m", bytes(t.raw))
        assert any(b"31" in style.split(b";") for style in styles)
        assert not any(b"38" in style.split(b";") or b"48" in style.split(b";") for style in styles)


def test_idle_costs_no_bytes(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.settle()
        assert not t.read(1.5)


def test_t9_the_wheel_scrolls(tmp_path: Path) -> None:
    with htui("history", tmp_path) as t:
        t.wait_for("answer 4999 with bold and code")
        t.settle()
        before = t.rows
        t.send("\x1b[<64;10;10M")
        t.wait(lambda t: t.rows[3:20] == before[:17], "three lines further up")
        t.send("\x1b[<65;10;10M")
        t.wait(lambda t: t.rows[:20] == before[:20])


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("\x13", "\x1b"),
        pytest.param("\x13", "\x13", marks=pytest.mark.long),
        pytest.param("\x1b[<0;5;5M\x1b[<0;5;5m", "\x03", marks=pytest.mark.long),
    ],
)
def test_j11_copy_mode_holds_the_screen_and_frees_the_mouse(begin: str, end: str, tmp_path: Path) -> None:
    with htui("stream", tmp_path) as t:
        ready(t)
        t.send("go\r")
        t.wait_for("The parser reads")
        t.send(begin)
        t.wait_for("⏸ copy")
        assert 1000 not in modes_left_on(bytes(t.raw))
        held = len(t.raw)
        t.resize(80, 20)
        t.wait(lambda t: len(t.raw) > held and t.rows[19].endswith("goes on"), "drawn once for the other size")
        held, rows = len(t.raw), t.rows
        t.send("ignored")
        t.settle()
        assert (len(t.raw), t.rows) == (held, rows)
        t.send(end)
        t.wait(lambda t: 1000 in modes_left_on(bytes(t.raw)), "the mouse taken back")
        t.wait(lambda t: "⏸ copy" not in t.text and "ignored" not in t.text)
        t.wait_for("● Ready")


def test_x13_a_terminal_that_lags_is_sent_the_latest_picture_only(tmp_path: Path) -> None:
    with htui("history", tmp_path) as t:
        t.wait_for("answer 4999 with bold and code")
        t.settle()
        before = len(t.raw)
        for _ in range(150):
            t.send("\x1b[5~\x1b[5~\x1b[6~")
        t.send("still here")
        t.wait_for("❯ still here")
        t.wait_for("↓ /latest")
        assert len(t.raw) - before < 120_000


def test_ctrl_l_draws_everything_anew(tmp_path: Path) -> None:
    with htui("chat", tmp_path) as t:
        ready(t)
        t.settle()
        t.screen.reset()
        assert "Ready" not in t.text
        t.send("\x0c")
        ready(t)
        t.wait_for("Type what is to be done")


@pytest.mark.long
def test_t10_the_end_of_a_turn_is_told_to_who_looks_elsewhere(tmp_path: Path) -> None:
    with htui("stream", tmp_path) as t:
        ready(t)
        t.send("\x1b[Igo\r")
        t.wait_for("◐")
        t.wait_for("● Ready")
        t.settle()
        assert b"\x07" not in t.raw
        t.send("\x1b[Ogo\r")
        t.wait_for("◐")
        t.wait(lambda t: t.raw.count(b"\x07") == 1, "the bell")
        t.wait_for("● Ready")
