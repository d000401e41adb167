"""What the tmux around the program says, and what it is told."""

import asyncio
from collections.abc import Mapping

from htui.copying.route import ASKED, Tmux, read_tmux

WAIT = 2.0
"""Seconds that tmux may take."""


async def around(environ: Mapping[str, str]) -> Tmux | None:
    """What the tmux around us says; None where there is none or it does not answer."""
    if not environ.get("TMUX"):
        return None
    pane = environ.get("TMUX_PANE", "")
    output = await tell(environ, "display-message", "-p", *(("-t", pane) if pane else ()), ASKED)
    return None if output is None else read_tmux(output)


async def tell(environ: Mapping[str, str], *arguments: str, given: str = "") -> str | None:
    """What a command of tmux printed; None when it failed, or did not end in time."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            "tmux", *arguments, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env=dict(environ)
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(WAIT):
            output, _ = await process.communicate(given.encode(errors="replace"))
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode(errors="replace") if process.returncode == 0 else None
