"""The body of an answer as the data of its events, with the bound on silence.

The form of a body is told by how it begins and not by its `Content-Type`, which servers and proxies get wrong both
ways: a stream that is called JSON, an error document or a page that is called a stream.
"""

import asyncio
from typing import Final, Literal

from hd.llm import failure
from hd.llm.base import ProviderError, Tell, Waiting, quiet
from hd.llm.carrier import Body
from hd.llm.decode import AnswerDecoder
from hd.llm.sse import SseOverflow, SseParser

AFTER_FINISH_S: Final = 5.0
"""Seconds that the usage may come after the reason of the end."""
MAX_DOCUMENT: Final = 32 * 1024 * 1024

Form = Literal["events", "document", "page"]
_BOM: Final = b"\xef\xbb\xbf"
_FIELDS: Final = (b"d", b":", b"e", b"i", b"r")
"""How a line of an event stream begins: `data`, a comment, `event`, `id`, `retry`."""


def form_of(beginning: bytes, content_type: str) -> Form | None:
    """What a body is that begins like this; None while it holds nothing but blanks."""
    if _BOM.startswith(beginning):
        return None
    first = beginning.removeprefix(_BOM).lstrip()[:1]
    if not first:
        return None
    if first in (b"{", b"["):
        return "document"
    is_page = first == b"<" or (first not in _FIELDS and _is_page(content_type))
    return "page" if is_page else "events"


def _is_page(content_type: str) -> bool:
    return "html" in content_type or "xml" in content_type


class Payloads:
    """What an answer says, piece by piece. `idle_s` and `queued_s` are the provider's; `tell` hears of its queue.

    Silence is counted from when the reader of the last data came back for more, so a reader that takes its time is not
    blamed on the provider.
    """

    def __init__(
        self, answer: Body, decoder: AnswerDecoder, idle_s: float, queued_s: float, tell: Tell = quiet
    ) -> None:
        self._answer = answer
        self._decoder = decoder
        self._idle_s = idle_s
        self._queued_s = queued_s
        self._tell = tell
        self._parser = SseParser()
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._queued = False
        self._silent_since: float | None = None
        self._ended = False
        self._form: Form | None = None
        self._kept: list[bytes] = []
        self._size = 0

    @property
    def keep_alives(self) -> int:
        """Comments so far: a provider that lets a request wait sends nothing else."""
        return self._parser.comments

    async def next(self) -> list[str] | None:
        """The payloads that the next piece of bytes completes (none for a comment); None at the end of the answer."""
        if self._ended or self._decoder.done:
            return None
        if self._silent_since is None:
            self._silent_since = self._clock()
        try:
            async with asyncio.timeout_at(self._silent_since + self._limit()):
                piece = await self._answer.take()
        except TimeoutError:
            self._end(failure.stalled(self._idle_s, self.keep_alives))
            return None
        except ProviderError as problem:
            self._end(failure.cut_off() if self._decoder.started else problem)
            return None
        self._ended = not piece
        payloads = self._read(piece)
        if payloads or self._form == "document":
            self._silent_since = None
        self._tell_of_queue(payloads)
        return payloads

    def _tell_of_queue(self, payloads: list[str]) -> None:
        if payloads and self._queued:
            self._queued = False
            self._tell(None)
        elif not payloads and self.keep_alives and not self._decoder.started:
            self._queued = True
            self._tell(Waiting("queue", self._clock() - self._began))

    def _limit(self) -> float:
        if self._decoder.finished:
            return min(AFTER_FINISH_S, self._idle_s)
        if not self._decoder.started and self.keep_alives:
            # The provider says that the request waits its turn; giving it up would put it at the end of that queue.
            return max(self._idle_s, self._queued_s)
        return self._idle_s

    def _end(self, problem: ProviderError) -> None:
        """How a connection ends matters only where the answer had not come to its own end before."""
        if not self._decoder.finished:
            raise problem from None

    def _read(self, piece: bytes) -> list[str]:
        """`piece` is empty at the end."""
        kind = self._answer.head.content_type
        if self._form is None:
            piece = self._take() + piece
            self._form = form_of(piece, kind)
            if self._form is None and not self._ended:
                self._keep(piece)
                return []
        if self._form == "page" or (self._form is None and _is_page(kind)):
            raise failure.not_a_model(kind)
        if self._form != "document":
            return self._events(piece)
        self._keep(piece)
        if self._size > MAX_DOCUMENT:
            raise failure.unreadable("a document without end")
        return [self._take().decode("utf-8", "replace")] if self._ended else []

    def _events(self, piece: bytes) -> list[str]:
        try:
            return (self._parser.feed(piece) if piece else []) + (self._parser.close() if self._ended else [])
        except SseOverflow:
            raise failure.unreadable("an event without end") from None

    def _keep(self, piece: bytes) -> None:
        self._kept.append(piece)
        self._size += len(piece)

    def _take(self) -> bytes:
        whole = b"".join(self._kept)
        self._kept.clear()
        self._size = 0
        return whole
