"""Whether an address of this machine serves a web page, so that it is worth offering to a person."""

import asyncio
from typing import Final

import aiohttp

_TRIES_S: Final = (0.0, 0.3, 0.7, 2.0, 4.0)
"""Waits before each try: a server often names its address before it listens there."""
_ANSWER_S: Final = 3.0
_HEADERS: Final = {"Accept": "text/html,*/*;q=0.5"}
_NO_HEAD: Final = frozenset({405, 501})


async def is_page(address: str) -> bool:
    """Asks the address itself, through no proxy and following nowhere; False where nobody answers in some seconds."""
    limits = aiohttp.ClientTimeout(total=_ANSWER_S)
    async with aiohttp.ClientSession(timeout=limits, headers=_HEADERS, trust_env=False) as http:
        for pause in _TRIES_S:
            await asyncio.sleep(pause)
            try:
                return await _asked(http, address)
            except (aiohttp.ClientError, TimeoutError, ValueError, OSError):
                continue
    return False


async def _asked(http: aiohttp.ClientSession, address: str) -> bool:
    for method in ("HEAD", "GET"):
        # A development server signs its own certificate; only headers are read here.
        async with http.request(method, address, allow_redirects=False, ssl=False) as answer:
            if method == "HEAD" and answer.status in _NO_HEAD:
                continue
            return answer.content_type == "text/html"
    return False
