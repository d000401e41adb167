"""How a command ends: its streams, the one sentence of an error, and where the traceback of a defect goes."""

import io
import os
import sys

from hd.errors import CANCELLED, FAILED, HdError


def open_streams() -> None:
    """Makes the three standard streams usable, whatever the caller left of them.

    A closed one is opened on nothing; otherwise the next file that is opened, such as the database, would take its
    number and be written to by whoever prints. And what a terminal cannot show is spelled out instead of failing.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def first(error: BaseException) -> BaseException:
    """The error that a group of errors began with."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def tell(error: BaseException) -> int:
    """Says on stderr what happened, in one sentence, and gives the exit code."""
    match error:
        case HdError():
            text, code = error.message, error.exit_code
        case KeyboardInterrupt():
            return CANCELLED
        case BrokenPipeError():
            # The reader of our output is gone; nothing can be said to it.
            return FAILED
        case OSError() if error.strerror:
            place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
            text, code = f"{place}{error.strerror}.", FAILED
        case _:
            text, code = _defect(error), FAILED
    say(text)
    return code


def say(text: str) -> None:
    """One line on stderr; what a terminal would act upon is spelled out, for a file's name may hold anything."""
    line = " ".join(text.split())
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    print(f"hd: {plain}", file=sys.stderr)


def _defect(error: BaseException) -> str:
    """Logs what should not have happened, for its traceback is not for a screen."""
    import logging

    from hd.config.home import Home
    from hd.config.logs import Redactor, log_to

    home = Home.of(os.environ)
    with log_to(home.log, Redactor(os.environ.get("DEEPSEEK_API_KEY", ""))):
        logging.getLogger(__name__).error("a command failed", exc_info=error)
    place = f" {home.log} has more." if home.log.exists() else ""
    return f"Internal error ({type(error).__name__}); this is a defect of hd.{place}"


def close_output(code: int) -> int:
    """Sends what is still to be printed; where that fails, the interpreter must not try again at its end."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return code or tell(error)
    return code


def leave_within(seconds: float, code: int) -> None:
    """Ends the process with `code` even if a blocked thread holds it up; to be called when everything is closed.

    A thread that waits for a dead network disk cannot be cancelled, and the interpreter would wait for it for ever.
    """
    import threading

    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()
