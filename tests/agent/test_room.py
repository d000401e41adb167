"""When a history is made smaller and when that is given up: pure."""

import pytest
from msgspec.structs import replace

from hd.agent.compaction.room import fits, full, is_enough, next_move
from hd.protocol.projections.pressure import ContextPressure, limit_of, target_of

WINDOW = 100_000
OVER = ContextPressure(window=WINDOW, system=1_000, tools=5_000, messages=limit_of(WINDOW))


def never() -> bool:
    raise AssertionError("nobody may look for what could be summed up")


def yes() -> bool:
    return True


def no() -> bool:
    return False


def test_below_the_limit_nothing_is_looked_for() -> None:
    assert next_move(ContextPressure(messages=limit_of(WINDOW) - 1), WINDOW, never) == "go"


@pytest.mark.parametrize(("tried", "move"), [(0, "compact"), (1, "compact"), (2, "stop"), (3, "stop")])
def test_g02_two_tries_are_made(tried: int, move: str) -> None:
    assert next_move(replace(OVER, tried=tried), WINDOW, yes if tried < 2 else never) == move


def test_g02_who_was_told_is_not_stopped_again_as_long_as_the_request_fits() -> None:
    told = replace(OVER, tried=2, told=True)
    assert next_move(told, WINDOW, never) == "go"
    assert next_move(replace(told, messages=WINDOW), WINDOW, never) == "stop"


def test_g02_what_is_fixed_may_lie_over_the_limit() -> None:
    # A small window that the tools nearly fill: there is nothing to sum up, so the request is sent while it fits.
    fixed = ContextPressure(window=16_000, system=4_000, tools=7_000, messages=50)
    assert fixed.projected > limit_of(16_000)
    assert fits(fixed, 16_000)
    assert next_move(fixed, 16_000, no) == "go"
    larger = replace(fixed, messages=2_000)
    assert next_move(larger, 16_000, no) == "stop"
    assert "nothing in it to sum up; the system prompt and the tools take 11,000" in full(larger, 16_000)


def test_g02_after_one_try_with_nothing_left_to_sum_up_the_person_is_asked() -> None:
    assert next_move(replace(OVER, tried=1), WINDOW, no) == "stop"
    assert "summing it up once did not" in full(replace(OVER, tried=1), WINDOW)


def test_shortening_is_enough_only_below_the_target() -> None:
    assert not is_enough(OVER, WINDOW, OVER.projected - target_of(WINDOW))
    assert is_enough(OVER, WINDOW, OVER.projected - target_of(WINDOW) + 1)
    # Saved tokens count by the provider's measure: here an estimate is half of what it counts.
    doubled = replace(OVER, counted=2 * OVER.projected, estimated=OVER.projected)
    assert is_enough(doubled, WINDOW, (doubled.projected - target_of(WINDOW)) // 2 + 1)
