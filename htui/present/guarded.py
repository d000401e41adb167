"""What a library may cost: the one place where what it raises is caught, and where its time ends.

The libraries that read Markdown, code, diagrams and formulas get text from a model. Whatever they make of it, the
screen goes on: their caller gets None and shows the text as it was written.
"""

import gc
import inspect
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class _OutOfTime(BaseException):
    """Not an `Exception`, so that no library takes it for one of its own."""


def guarded(make: Callable[[], T], seconds: float | None = None) -> T | None:
    """What `make` gives; None when it raised, or took more than `seconds` of work of the processor.

    What else the machine is busy with does not count. The time is looked at whenever a function is called or returns.
    That reaches every loop of a library in Python, but no single long operation of the interpreter itself, such as the
    match of a pattern: bound the size of the text too.
    """
    try:
        return make() if seconds is None else _within(seconds, make)
    except (Exception, _OutOfTime):
        return None


def _within(seconds: float, make: Callable[[], T]) -> T:
    began = time.thread_time()

    def look(frame: FrameType, event: str, arg: object) -> None:
        taken = time.thread_time() - began
        # A generator may be one that is being thrown away, where what is raised goes to stderr and ends nothing; so
        # there it is raised only when nothing else has come for as long again.
        if taken > (2 * seconds if frame.f_code.co_flags & inspect.CO_GENERATOR else seconds):
            raise _OutOfTime

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # Others' generators are thrown away when the collector comes by.
    sys.setprofile(look)
    try:
        return make()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
