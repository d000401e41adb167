"""What is held until its model costs less, in the line above the composer: pure."""

from collections.abc import Mapping

from htui.present import when
from htui.present.lines import Line, Span, cut_line
from htui.present.safe import one_line


def later_lines(value: object, now: int, cells: int) -> list[Line]:
    """One line for all of it: how much is held, and of what is sent first when and what. `now` is in ms."""
    rows = value if isinstance(value, list) else []
    held = [one for one in rows if isinstance(one, Mapping) and type(one.get("at")) is int]
    if not held:
        return []
    first = min(held, key=lambda one: int(one["at"]))
    until = when.moment(first["at"], now) if first["at"] > now else "the turn is over"
    more = f" (+{len(held) - 1})" if len(held) > 1 else ""
    text = one_line(str(first.get("text") or ""), 400)
    return [cut_line((Span(f"Held until {until}{more}", "busy"), Span(f" · {text}", "muted")), cells)]
