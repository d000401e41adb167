"""Dated price tables and exact money; usable without the rest of the project.

`estimate` says what one model request cost, or why that is not known; `off_peak_from` says when one costs less.
Everything here is a pure function of the tables in `data/` and its arguments: no clock, no network, no floating point
number.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pricing.cost import Estimate, Estimator, Row, Tokens, estimate, plain, plus, tokens_of, total
    from pricing.table import PriceError, PriceTable, load, shipped, with_own
    from pricing.wait import off_peak_from

__all__ = [
    "Estimate",
    "Estimator",
    "PriceError",
    "PriceTable",
    "Row",
    "Tokens",
    "estimate",
    "load",
    "off_peak_from",
    "plain",
    "plus",
    "shipped",
    "tokens_of",
    "total",
    "with_own",
]

_HOMES = {
    **dict.fromkeys(("PriceError", "PriceTable", "load", "shipped", "with_own"), "pricing.table"),
    "off_peak_from": "pricing.wait",
}
"""The modules of the names that are not in `pricing.cost`."""


def __getattr__(name: str) -> Any:
    """Loads the module behind a public name when it is first used, so that importing `pricing` costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'pricing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "pricing.cost")), name)
