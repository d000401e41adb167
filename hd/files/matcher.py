"""A regular expression that is tried in a process of its own and ended when its time is over."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from hd.files import matching
from hd.files.errors import Code, FileError

_LONGEST_PATTERN = 2_000
_LOOK_EVERY = 0.02


class Matcher:
    """A context in which `lines` can be asked. `may_go_on` is asked all the while; when it says no the process is
    ended, and from then on `lines` gives nothing and `ended` is true.

    Entering raises `FileError` (FS_PATTERN) for a pattern that cannot be compiled.
    """

    def __init__(self, pattern: str, *, most: int, seconds: float, may_go_on: Callable[[], bool]) -> None:
        self.ended = False
        self._pattern = pattern
        self._most = most
        self._seconds = int(seconds) + 1
        self._may_go_on = may_go_on
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._end_in_time, name="pattern watch", daemon=True)

    def __enter__(self) -> Self:
        if len(self._pattern) > _LONGEST_PATTERN:
            raise FileError(Code.PATTERN, f"The pattern is longer than {_LONGEST_PATTERN:,} characters. Shorten it.")
        # No environment: a key of the daemon's has no business there. No site packages: it starts faster.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", matching.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
        )
        self._watch.start()
        try:
            self._sent((self._pattern, self._most, self._seconds))
            fault = self._answer()
            if fault is not None:
                raise FileError(
                    Code.PATTERN,
                    f"The pattern is not a valid regular expression (Python's syntax): {fault}. Nothing was searched. "
                    "Correct it; a backslash before a sign takes it literally.",
                )
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def lines(self, text: str) -> list[tuple[int, str]]:
        """(number, clipped text) of the lines in which the pattern is found."""
        return next(self.lines_of([text]), [])

    def lines_of(self, texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
        """The same of several texts, which is quicker than one by one; fewer answers than texts once it has ended.

        They must be taken to the end, or nothing more be asked.
        """
        if self._sent(texts):
            for _ in texts:
                found: list[tuple[int, str]] | None = self._answer()
                if found is None:
                    return
                yield found

    def _sent(self, value: Any) -> bool:
        if self.ended or self._process.stdin is None:
            return False
        try:
            matching.send(self._process.stdin, value)  # type: ignore[arg-type]
        except OSError:
            self.ended = True
        return not self.ended

    def _answer(self) -> Any:
        if self.ended or self._process.stdout is None:
            return None
        try:
            return matching.receive(self._process.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError):
            self.ended = True
            return None

    def _end_in_time(self) -> None:
        while not self._done.wait(_LOOK_EVERY):
            if not self._may_go_on():
                self._process.kill()
                return

    def _close(self) -> None:
        self._done.set()
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # What was still buffered has nobody to read it.
                    pass
        self._process.wait()
        self._watch.join()
