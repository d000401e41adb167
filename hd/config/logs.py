"""The log file of the daemon: small, private, and without secrets.

What is redacted are the forms that secrets have in this project (keys, launch tokens, login cookies, bearer headers)
and, exactly, the secrets of this run that the daemon knows. It happens on the finished text, so that a traceback is
covered too.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Final

from hd.config.home import Home

LARGEST: Final = 1 << 20
FILES: Final = 3
HIDDEN: Final = "<hidden>"

_FORMS = (
    (
        re.compile(r"((?:%3F|%26|(?<![a-z]))token[\"']?\s*(?:=|%3D|:)\s*[\"']?)[^\s&\"'<>]+", re.IGNORECASE),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"(dsh-auth-[\w-]+=)[^\s;,\"']+"), rf"\1{HIDDEN}"),
    (re.compile(r"(\bBearer\s+)[^\s\"',;]+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (re.compile(r"\bsk-[\w-]{8,}"), HIDDEN),
)
_SHORTEST_SECRET = 8


class Redactor:
    """Hides secrets in text. One a log; `hide` adds what becomes known while it runs."""

    def __init__(self, *secrets: str) -> None:
        self._secrets: set[str] = set()
        self.hide(*secrets)

    def hide(self, *secrets: str) -> None:
        """Hides these texts from now on; ones so short that they would hide ordinary words are left out."""
        self._secrets.update(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)

    def redact(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        for form, replacement in _FORMS:
            text = form.sub(replacement, text)
        return text


class _Formatter(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.redact(super().format(record))


class _PrivateFile(RotatingFileHandler):
    """A rotating file that is closed to others from its first byte, and never the reason why something else fails."""

    def _open(self) -> IO[str]:  # type: ignore[override]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        return open(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Into the file that is there: one that was removed or replaced meanwhile is read by nobody."""
        if self.stream is not None and not _is_at(self.stream, self.baseFilename):
            self.stream.close()
            self.stream = None
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """A log line that cannot be written is dropped: there is no better place to say so."""


def _is_at(file: IO[str], path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path, follow_symlinks=False))
    except OSError:
        return False


@contextmanager
def log_to(path: Path, redactor: Redactor) -> Iterator[logging.Handler]:
    """Sends the log of the whole process, from INFO on, to rotating files at `path` while the context lasts."""
    handler = _PrivateFile(path, maxBytes=LARGEST, backupCount=FILES - 1, encoding="utf-8", delay=True)
    handler.setFormatter(_Formatter(redactor))
    root = logging.getLogger()
    old_level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        root.setLevel(old_level)
        handler.close()


def start_log(home: Home) -> IO[bytes]:
    """A new private file for the error output of a daemon that starts in the background."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    return open(os.open(home.start_log, flags, 0o600), "wb")
