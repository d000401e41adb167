"""Why nothing comes: the status and the line above the composer."""

import pytest

from htui.present.cells import width
from htui.present.waits import wait_figure, wait_lines


def shown(kind: str, since: int, until: int | None, now: int, cells: int = 80) -> str:
    return "\n".join("".join(span.text for span in line) for line in wait_lines(kind, since, until, now, cells))


@pytest.mark.parametrize(
    ("kind", "since", "until", "line", "figure"),
    [
        ("limit", 0, 50_100, "⏸ The provider asks to wait: 41 s · Esc or Ctrl+C stops", ("paused for", 41)),
        ("retry", 0, 17_500, "⏸ The request failed. Next try in 8 s · Esc or Ctrl+C stops", ("retry in", 8)),
        (
            "place",
            3_000,
            None,
            "⏸ Other requests with this key go first: 7 s · Esc or Ctrl+C stops",
            ("waits its turn", 7),
        ),
        ("queue", 2_500, None, "⏸ Queued at the provider: 7 s · Esc or Ctrl+C stops", ("queued", 7)),
        ("queue", 9_500, None, "", ("queued", 0)),
        ("limit", 0, 9_000, "", ("paused for", 0)),
        ("peak", 0, 9_000, "", ("off-peak in", 0)),
        ("write", 0, None, "", None),
    ],
)
def test_f06_f08_a_wait_counts_down_or_up(
    kind: str, since: int, until: int | None, line: str, figure: tuple[str, int] | None
) -> None:
    assert shown(kind, since, until, 10_000) == line
    assert wait_figure(kind, since, until, 10_000) == figure


@pytest.mark.parametrize("cells", [20, 40])
def test_a_wait_fits_where_there_is_little_room(cells: int) -> None:
    lines = shown("place", 0, None, 10_000, cells).splitlines()
    assert len(lines) <= 2
    assert max(map(width, lines)) <= cells
