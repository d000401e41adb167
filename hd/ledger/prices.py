"""The prices of a home."""

from pathlib import Path

from hd.billing.prices import prices_with
from hd.errors import PricesUnusable
from pricing import PriceError, PriceTable


def prices(own: Path) -> PriceTable:
    """As `hd.billing.prices`; `PricesUnusable` says what is wrong with the person's file."""
    try:
        return prices_with(own)
    except PriceError as error:
        raise PricesUnusable(f"{error}. Correct or remove it; nothing was priced.") from None
