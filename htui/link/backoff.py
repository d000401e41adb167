"""How long the link waits before it tries again: pure."""

FIRST = 0.5
LONGEST = 10.0
JITTER = 0.2
STABLE = 15.0
"""Seconds online after which a loss counts as the first one again."""


def delay(failures: int, chance: float) -> float:
    """Seconds to wait after `failures` (1 or more) in a row; `chance` is a random number of 0 to 1."""
    base = min(LONGEST, FIRST * 2.0 ** min(failures - 1, 16))
    return base * (1 - JITTER + 2 * JITTER * chance)


def failures_after(before: int, online_for: float) -> int:
    """The failures in a row once a connection is lost that was online for `online_for` seconds (0: never)."""
    return 1 if online_for >= STABLE else before + 1
