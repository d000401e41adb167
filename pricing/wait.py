"""When a request costs less: the next moment that is not at peak."""

from pricing.calendar import hour, is_moment
from pricing.match import find
from pricing.table import PriceTable, shipped

_MINUTE = 60_000
_LONGEST = 8 * 24 * 60 * _MINUTE
"""How far is looked ahead. Windows recur every week, so a peak that lasts longer than one never ends."""


def off_peak_from(provider: str, model: str, at_ms: int, tables: PriceTable | None = None) -> int | None:
    """The first moment (ms) from `at_ms` on at which the model is not at peak: `at_ms` itself, or the beginning of a
    later minute. None where no price is known for it, or none of them is ever off-peak."""
    prices = (tables or shipped()).prices
    moment = at_ms
    while moment < at_ms + _LONGEST:
        price = find(prices, provider, model, moment) if is_moment(moment) else None
        if price is None:
            return None
        if not hour(moment, timezone=price.timezone, weekdays=price.weekdays, windows=price.windows).peak:
            return moment
        moment = (moment // _MINUTE + 1) * _MINUTE
    return None
