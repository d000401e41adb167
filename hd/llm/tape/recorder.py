"""The recorder: writes what goes to the provider and what comes back into a file, for as long as somebody wants it.

It never costs a turn. What is to be written is made and written by a thread of its own; when that fails, or the file
has grown to its bound, recording stops, says so once in the log and in its state, and everything else goes on.
"""

import asyncio
import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal

import msgspec

from hd.llm.base import ProviderError, Request
from hd.llm.carrier import Head
from hd.llm.tape.form import NO_HEAD, VERSION, Attempt, End, Outcome, TapeUnusable, Title, line
from hd.llm.tape.veil import Veil
from hd.protocol.messages import text_of

_log = logging.getLogger(__name__)

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a file, after which recording stops."""

KEPT_HEADERS: Final = ("content-type", "retry-after", "server", "date", "x-ds-trace-id", "transfer-encoding")
"""Those of an answer that say something about how it was read; cookies and addresses do not."""


@dataclass(slots=True)
class Taking:
    """One attempt while it lasts; the carrier tells what arrives. Times are seconds of the clock of the event loop."""

    clock: Callable[[], float]
    sent: float
    head: Head | None = None
    pieces: list[tuple[int, bytes]] = field(default_factory=list)
    end: End = "left"
    outcome: Outcome = field(default_factory=Outcome)

    def began(self, head: Head) -> None:
        self.head = head

    def arrived(self, piece: bytes) -> None:
        self.pieces.append((round(1000 * (self.clock() - self.sent)), piece))

    def ended(self, problem: Exception | None) -> None:
        self.end = "end" if problem is None else "broke"

    def said(self, chunks: Iterable[Mapping[str, Any]]) -> None:
        self.outcome = self.outcome.plus(chunks)


@dataclass(slots=True)
class _File:
    path: Path
    stream: IO[bytes]
    contents: bool
    size: int = 0
    attempts: int = 0
    messages: dict[str, list[Any]] = field(default_factory=dict)
    """By conversation, those of its latest request as they were written."""


@dataclass(frozen=True, slots=True)
class Recording:
    """How it stands: `on`, `off`, or `stopped` by itself for the reason in `why`. `size` is in bytes."""

    state: Literal["on", "off", "stopped"]
    path: Path | None = None
    size: int = 0
    attempts: int = 0
    why: str = ""

    def to_wire(self) -> dict[str, Any]:
        path = None if self.path is None else str(self.path)
        return {"state": self.state, "path": path, "size": self.size, "attempts": self.attempts, "why": self.why}


class Recorder:
    """At most one file at a time. `veil` gives what must not be written as of now; `folder` is where files are made."""

    def __init__(self, folder: Path, veil: Callable[[], Veil], program: str, *, largest: int = LARGEST) -> None:
        self._folder = folder
        self._veil = veil
        self._program = program
        self._largest = largest
        self._file: _File | None = None
        self._last = Recording("off")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="recording")

    @property
    def recording(self) -> Recording:
        file = self._file
        return self._last if file is None else Recording("on", file.path, file.size, file.attempts)

    async def begin(self, path: Path | None = None, *, contents: bool = False) -> Recording:
        """Starts a new file, by default one in the folder; `TapeUnusable`. What runs already goes on as it is."""
        if self._file is None:
            self._file = await asyncio.to_thread(self._open, path, contents)
        return self.recording

    async def end(self) -> Recording:
        """Ends the file after all that is done has been written; what is still being answered is not in it."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._close, "")
        return self._last

    async def aclose(self) -> None:
        await self.end()
        self._writer.shutdown(wait=False)

    @contextmanager
    def attempt(self, request: Request, body: bytes) -> Iterator[Taking | None]:
        """Takes one attempt down, with what becomes of it; None while nothing is recorded."""
        if self._file is None:
            yield None
            return
        clock, at = asyncio.get_running_loop().time, time.time_ns() // 1_000_000
        taking = Taking(clock, clock())
        try:
            yield taking
        except ProviderError as problem:
            taking.outcome = msgspec.structs.replace(taking.outcome, failure=problem.code, message=problem.message)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            taking.outcome = msgspec.structs.replace(taking.outcome, stopped=True)
            raise
        finally:
            self._writer.submit(self._write, taking, at, _prompts(request.messages), body)

    def _open(self, path: Path | None, contents: bool) -> _File:
        name = time.strftime("%Y-%m-%dT%H-%M-%S") + ".jsonl"
        where = path or self._folder / name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            if path is None:
                self._folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
            stream = os.fdopen(os.open(where, flags, stat.S_IRUSR | stat.S_IWUSR), "wb")
            file = _File(where.resolve(), stream, contents)
            self._put(file, line(Title(VERSION, self._program, time.time_ns() // 1_000_000, contents)))
        except OSError as error:
            if path is not None and isinstance(error, FileExistsError):
                raise TapeUnusable(
                    f"{where} is there already, and nothing is written over. Name another file."
                ) from None
            raise TapeUnusable(f"The recording cannot be written to {where}: {error.strerror}.") from None
        return file

    def _write(self, taking: Taking, at: int, prompts: Sequence[tuple[str, str]], body: bytes) -> None:
        file = self._file
        if file is None:
            return
        try:
            done = line(_attempt(file, self._veil(), taking, at, prompts, body))
            if file.size + len(done) > self._largest:
                self._close(f"The recording has grown to {file.size} bytes and stopped there.")
                return
            self._put(file, done)
            file.attempts += 1
        except OSError as error:
            self._close(f"The recording stopped, because it cannot be written: {error.strerror}.")
        except Exception:
            _log.exception("an attempt could not be recorded")
            self._close("The recording stopped over a fault of its own; the daemon's log has more.")

    def _put(self, file: _File, data: bytes) -> None:
        file.stream.write(data)
        file.stream.flush()
        file.size += len(data)

    def _close(self, why: str) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        if why:
            _log.warning("%s", why)
        self._last = Recording("stopped" if why else "off", file.path, file.size, file.attempts, why)
        try:
            file.stream.close()
        except OSError as error:
            _log.warning("the recording was not closed: %s", error.strerror)


def _prompts(messages: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Id and text of all that a person said."""
    said = (one for one in messages if (one.get("source") or {}).get("kind") == "user")
    return [(str(message.get("id")), text_of(message.get("content") or ())) for message in said]


def _attempt(
    file: _File, veil: Veil, taking: Taking, at: int, prompts: Sequence[tuple[str, str]], body: bytes
) -> Attempt:
    request = veil.request(msgspec.json.decode(body), contents=file.contents)
    messages = request.pop("messages", [])
    conversation = prompts[0][0] if prompts else ""
    before = file.messages.get(conversation, [])
    kept = next((n for n, (old, new) in enumerate(zip(before, messages, strict=False)) if old != new), None)
    kept = min(len(before), len(messages)) if kept is None else kept
    file.messages[conversation] = messages
    head = taking.head or Head(NO_HEAD, {})
    return Attempt(
        number=file.attempts + 1,
        time=at,
        conversation=conversation,
        prompts=tuple(veil.text(text) for _, text in prompts),
        kept=kept,
        messages=tuple(messages[kept:]),
        request=request,
        status=head.status,
        headers={name: veil.text(head.headers[name]) for name in KEPT_HEADERS if name in head.headers},
        pieces=veil.pieces(taking.pieces),
        end=taking.end,
        outcome=msgspec.structs.replace(taking.outcome, message=veil.text(taking.outcome.message)),
    )
