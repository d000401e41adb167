"""The log file: private, bounded, and without secrets."""

import logging
import stat
from collections.abc import Iterator

import pytest

from hd.config.home import Home
from hd.config.logs import FILES, LARGEST, Redactor, log_to

TOKEN = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor("the-exact-secret", "short")


@pytest.fixture
def log(home: Home, redactor: Redactor) -> Iterator[logging.Logger]:
    with log_to(home.log, redactor):
        yield logging.getLogger("hd.test")


@pytest.mark.parametrize(
    "text",
    [
        f"hd web: http://127.0.0.1:3080/?token={TOKEN}",
        f'GET /?token={TOKEN}&x=1 HTTP/1.1" 303',
        f"Referer: http://127.0.0.1/?a=b&TOKEN={TOKEN}",
        f'{{"token": "{TOKEN}"}}',
        f"next=%2F%3Ftoken%3D{TOKEN}",
        f"Cookie: dsh-auth-AbC_-1=v1.{TOKEN}.{TOKEN}; other=1",
        f"authorization: Bearer {TOKEN}",
        f"key sk-{TOKEN}",
        f"HTUI_TOKEN={TOKEN}",
    ],
)
def test_k03_the_forms_of_secrets_are_hidden(text: str, redactor: Redactor) -> None:
    shown = redactor.redact(text)
    assert TOKEN not in shown
    assert "<hidden>" in shown


def test_k03_what_is_around_a_secret_stays(redactor: Redactor) -> None:
    assert redactor.redact(f"GET /?token={TOKEN}&x=1 done") == "GET /?token=<hidden>&x=1 done"
    plain = "turn 3 used 512 tokens: 400 read, max_tokens=900, tokenizer loaded, short"
    assert redactor.redact(plain) == plain


def test_k03_secrets_of_this_run_are_hidden_by_their_text(redactor: Redactor) -> None:
    redactor.hide("learnt-later")
    assert redactor.redact("a the-exact-secret b learnt-later c") == "a <hidden> b <hidden> c"


def test_k03_arguments_and_tracebacks_are_covered(home: Home, log: logging.Logger) -> None:
    log.info("key %s and %s", "sk-abcdefghijkl", "the-exact-secret")
    try:
        raise ValueError(f"bad cookie dsh-auth-x=v1.{TOKEN}")
    except ValueError:
        log.exception("failed")
    written = home.log.read_text()
    assert "key <hidden> and <hidden>" in written
    assert "ValueError: bad cookie dsh-auth-x=<hidden>" in written
    assert TOKEN not in written


def test_the_log_is_private_and_bounded(home: Home, log: logging.Logger) -> None:
    log.debug("not at this level")
    line = "x" * 10_000
    for _ in range(4 * LARGEST // len(line)):
        log.info(line)
    files = sorted(home.log.parent.iterdir())
    assert len(files) == FILES
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size <= LARGEST
    assert "not at this level" not in home.log.read_text()


def test_the_log_ends_with_its_context(home: Home, redactor: Redactor) -> None:
    before = logging.getLogger().level, list(logging.getLogger().handlers)
    with log_to(home.log, redactor):
        logging.getLogger("hd").info("inside")
    assert (logging.getLogger().level, logging.getLogger().handlers) == before
    assert "inside" in home.log.read_text()


def test_a_log_that_cannot_be_written_stops_nothing(home: Home, redactor: Redactor) -> None:
    home.log.mkdir()
    with log_to(home.log, redactor):
        logging.getLogger("hd").info("lost")


def test_bytes_that_are_no_text_are_written_escaped(home: Home, redactor: Redactor) -> None:
    with log_to(home.log, redactor) as handler:  # to it alone: a report of a parallel run cannot carry such bytes
        handler.handle(logging.makeLogRecord({"name": "hd.test", "msg": "name \udcff", "levelno": logging.INFO}))
    assert "name \\udcff" in home.log.read_text()
