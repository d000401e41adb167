"""The tools, one a file; the text that the model reads about each stands beside it.

Here is what the file tools share: their spec, the translation of file errors, and the way out of the event loop.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

from hd.files.errors import FileError
from hd.protocol.tools import ToolSpec
from hd.tools.arguments import schema
from hd.tools.base import ToolError

T = TypeVar("T")

GRACE_S = 2.0


def spec_of(name: str, arguments: type[msgspec.Struct]) -> ToolSpec:
    """The spec of the tool `name`, described by the text `<name>.md` beside it."""
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    return ToolSpec(name, text, schema(arguments))


@contextmanager
def fs_errors() -> Iterator[None]:
    """Inside, an error of the file layer becomes one of the call."""
    try:
        yield
    except FileError as error:
        raise ToolError(error.message, name="FsError", code=error.code) from error


async def settled(work: Callable[[], T], cancel: threading.Event | None = None) -> T:
    """The result of blocking work that ends by itself or soon after `cancel` is set.

    A cancelled call waits for that end too, so that a change has either happened or will not once it is over; but no
    longer than `GRACE_S`, for a dead network disk may hold it for ever.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        with fs_errors():
            return await asyncio.shield(task)
    except asyncio.CancelledError:
        if cancel is not None:
            cancel.set()
        await asyncio.wait({task}, timeout=GRACE_S)
        task.add_done_callback(_looked_at)
        raise


def _looked_at(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()
