"""The body of a request, read within bounds of size and time."""

import asyncio
from typing import Final

from aiohttp import web

MAX_BODY: Final = 16 * 1024 * 1024
"""Far less than the official 300 MiB: a body is decoded in one step of the loop, which all clients share."""

SILENCE_S: Final = 30.0
"""How long a client may send nothing in the middle of a body: one on a bad line lives, one that is gone does not."""

WHOLE_S: Final = 600.0
"""How long all of it may take, so that nobody holds a connection by a byte every now and then."""


async def read_body(request: web.Request, *, limit: int = MAX_BODY, silence_s: float = SILENCE_S) -> bytes:
    """All of it. `limit` is in bytes, counted behind any compression.

    Raises answers: 413 for a larger one, where the head says so before anything is read, and 408 for one that does not
    come; the connection ends with either.
    """
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    read = bytearray()
    try:
        async with asyncio.timeout(WHOLE_S):
            while piece := await _piece(request, silence_s):
                read += piece
                if len(read) > limit:
                    raise _too_large(limit)
    except TimeoutError:
        late = web.HTTPRequestTimeout(text="the body did not come in time; nothing was done")
        late.force_close()
        raise late from None
    return bytes(read)


async def _piece(request: web.Request, silence_s: float) -> bytes:
    """What has arrived, at least one byte; nothing at the end of the body."""
    async with asyncio.timeout(silence_s):
        return await request.content.readany()


def _too_large(limit: int) -> web.HTTPRequestEntityTooLarge:
    answer = web.HTTPRequestEntityTooLarge(limit, text=f"the body is larger than {limit} bytes")
    answer.force_close()
    return answer
