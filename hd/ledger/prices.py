"""The prices of a home: the shipped table, and the person's own over it."""

from pathlib import Path

from hd.errors import PricesUnusable
from pricing import PriceError, PriceTable, shipped, with_own


def prices(own: Path) -> PriceTable:
    """`PricesUnusable` names what is wrong with the person's file; without one the shipped table counts."""
    try:
        content = own.read_bytes()
    except (FileNotFoundError, NotADirectoryError):  # What a home that is no folder is, others say better.
        return shipped()
    except OSError as error:
        raise PricesUnusable(f"{own} cannot be read ({error.strerror}). Correct or remove it.") from None
    try:
        return with_own(str(own), content)
    except PriceError as error:
        raise PricesUnusable(f"{error}. Correct the entry or remove the file; nothing was priced.") from None
