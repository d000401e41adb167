"""Blocking work beside the event loop that never holds up the end of the program."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def beside(work: Callable[[], T], abort: Callable[[], None] | None = None) -> T:
    """The result of `work`, which runs in a thread of its own.

    Being cancelled calls `abort`, which should make `work` fail soon, and does not wait for it: the thread is a daemon
    thread, so a host that never answers cannot keep the process alive, as the threads of the usual pool would.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    Thread(target=run, name="htui-call", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        if abort is not None:
            abort()
        raise
