"""The prices to reckon by: the shipped table, and a person's own over it."""

from pathlib import Path

from pricing import PriceError, PriceTable, shipped, with_own


def prices_with(own: Path) -> PriceTable:
    """`PriceError` names the person's file and what is wrong in it; without one the shipped table counts."""
    try:
        content = own.read_bytes()
    except (FileNotFoundError, NotADirectoryError):  # What a home that is no folder is, others say better.
        return shipped()
    except OSError as error:
        raise PriceError(f"{own} cannot be read ({error.strerror})") from None
    return with_own(str(own), content)
