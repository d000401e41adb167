"""The pipe that a run prints into, watched: a reader that leaves ends the run at once, not at its next line."""

import asyncio
import os
import select
import stat


async def until_reader_leaves(descriptor: int) -> None:
    """Raises `BrokenPipeError` when the pipe behind `descriptor` has lost its reader; waits for ever otherwise.

    Only for a pipe can this be seen; what is printed into a file or a terminal is nobody's to leave.
    """
    left = asyncio.Event()
    loop = asyncio.get_running_loop()
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        await left.wait()
    # The writing end of a pipe never becomes readable, so being woken for that means that it is broken.
    loop.add_reader(descriptor, left.set)
    try:
        await left.wait()
    finally:
        loop.remove_reader(descriptor)
    if is_broken(descriptor):
        raise BrokenPipeError
    await asyncio.Event().wait()


def is_broken(descriptor: int) -> bool:
    look = select.poll()
    look.register(descriptor, 0)
    return any(seen & select.POLLERR for _, seen in look.poll(0))
