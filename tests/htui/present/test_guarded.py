"""What a library may cost: its time ends, and nothing of that comes out elsewhere."""

import gc
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from htui.present.guarded import guarded


def endless() -> Iterator[int]:
    yield from count()


def loop() -> None:
    while True:
        len([])


def left_behind() -> None:
    """Throws generators away all the time, some of them in a circle that only the collector finds."""
    while True:
        next(number for number in range(9))
        circle: list[object] = []
        circle += [circle, endless()]
        next(circle[1])  # type: ignore[call-overload]


@pytest.mark.parametrize("make", [loop, left_behind, lambda: sum(number for number in endless())])
@pytest.mark.parametrize("is_collecting", [True, False])
def test_the_time_ends_whatever_the_work_is_made_of(
    make: object, is_collecting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    was_collecting = gc.isenabled()
    try:
        (gc.enable if is_collecting else gc.disable)()
        for _ in range(10):
            assert guarded(make, 0.002) is None  # type: ignore[arg-type]
        assert gc.isenabled() is is_collecting
    finally:
        (gc.enable if was_collecting else gc.disable)()
    gc.collect()
    assert (lost, sys.getprofile()) == ([], None)
