"""How a command ends: what is said of each kind of error, and where the rest of it goes."""

from pathlib import Path

import pytest

from hd.cli import COMMANDS, ending
from hd.errors import CANCELLED, FAILED, USAGE, StoreDamaged, UsageError
from hd.version import __version__
from tests.cli.command import finish, hd, start


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("That is no port."), USAGE, "hd: That is no port.\n"),
        (StoreDamaged("It is damaged:\n  line 2."), FAILED, "hd: It is damaged: line 2.\n"),
        (OSError(28, "No space left on device", "/x/y"), FAILED, "hd: /x/y: No space left on device.\n"),
        (OSError(28, "No space left on device", b"/x/\xff"), FAILED, "hd: /x/\\udcff: No space left on device.\n"),
        (UsageError("No \x1b]0;x\x07 \u202e there."), USAGE, "hd: No \\x1b]0;x\\x07 \\u202e there.\n"),
        (OSError(5, "Input/output error"), FAILED, "hd: Input/output error.\n"),
        (KeyboardInterrupt(), CANCELLED, ""),
        (BrokenPipeError(32, "Broken pipe"), FAILED, ""),
    ],
)
def test_every_error_is_one_sentence_or_none(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, said: str
) -> None:
    assert ending.tell(error) == code
    out, err = capsys.readouterr()
    assert (out, err) == ("", said)


def test_a_defect_goes_to_the_log_without_its_secrets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HD_HOME", str(tmp_path))
    monkeypatch.setenv("DEEPSEEK_API_KEY", "a-key-of-no-known-form")
    (tmp_path / "logs").mkdir()
    assert ending.tell(ValueError("what nobody expected of a-key-of-no-known-form")) == FAILED
    _, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "ValueError" in err
    assert str(tmp_path / "logs" / "hd.log") in err
    assert "nobody expected" not in err
    text = (tmp_path / "logs" / "hd.log").read_text()
    assert "nobody expected" in text
    assert "a-key-of-no-known-form" not in text


def test_a_defect_without_a_home_is_still_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HD_HOME", str(tmp_path / "nothing"))
    assert ending.tell(ZeroDivisionError()) == FAILED
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "nothing").exists()


def test_of_a_group_of_errors_the_first_is_told() -> None:
    error = UsageError("x")
    group = BaseExceptionGroup("outer", [ExceptionGroup("inner", [error, ValueError()]), KeyboardInterrupt()])
    assert ending.first(group) is error
    assert ending.first(error) is error


def test_the_commands_and_the_version(tmp_path: Path) -> None:
    shown = hd("--help", home=tmp_path)
    assert shown.code == 0
    assert all(name in shown.out and text in " ".join(shown.out.split()) for name, text in COMMANDS.items())
    assert hd("--version", home=tmp_path).out == f"hd {__version__}\n"
    for argv in ([], ["nope"], ["--nope"], ["nope", "web"]):
        ran = hd(*argv, home=tmp_path)
        assert (ran.code, "hd --help" in ran.sentence()) == (USAGE, True)


def test_help_into_a_pipe_that_nobody_reads_is_quiet(tmp_path: Path) -> None:
    process = start("--help", home=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    ran = finish(process)
    assert (ran.code in (0, FAILED), ran.err) == (True, "")
