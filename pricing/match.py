"""Which price a request falls under: the provider exactly, then the model by its name or an alias."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, TypeVar


class Named(Protocol):
    """What a price must have to be found; `model` and `aliases` are canonical."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    def covers(self, at_ms: int) -> bool: ...


P = TypeVar("P", bound=Named)


@lru_cache(1024)
def canonical(model: str) -> str:
    """A model's name as it is compared: compatibility forms and East Asian full stops replaced, trimmed, lower case."""
    return unicodedata.normalize("NFKC", model).replace("。", ".").strip().lower()


def find(prices: Iterable[P], provider: str, model: str, at_ms: int) -> P | None:
    """The price of a request at a moment in ms, None when no version covers it.

    A price of the model's own name wins over aliases; among these the longest wins, a trailing `*` standing for any
    rest of the name.
    """
    name = canonical(model)
    best, best_rank = None, -1
    for price in prices:
        if price.provider == provider and price.covers(at_ms):
            rank = _rank(price, name)
            if rank > best_rank:
                best, best_rank = price, rank
    return best


def _rank(price: Named, name: str) -> int:
    """How closely a price names a model: -1 not at all, more is closer."""
    if price.model == name:
        return 1 << 30
    return max((len(alias) for alias in price.aliases if _fits(alias, name)), default=-1)


def _fits(alias: str, name: str) -> bool:
    return name.startswith(alias[:-1]) if alias.endswith("*") else name == alias
