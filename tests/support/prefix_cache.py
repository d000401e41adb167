"""A provider's prefix cache as a measure: whole blocks of a request are read from it as far as one before had them."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

BLOCK = 64 * 4
"""Bytes: 64 tokens of four, which is how the mock model counts."""


@dataclass(frozen=True, slots=True)
class Read:
    """Blocks of one request: those that it has, and those read from the cache."""

    blocks: int
    hit: int


def reads(requests: Iterable[bytes]) -> list[Read]:
    """What each request, in their order, finds of the ones before it."""
    known: set[bytes] = set()
    found = []
    for request in requests:
        keys = list(_keys(request))
        hit = next((place for place, key in enumerate(keys) if key not in known), len(keys))
        known.update(keys)
        found.append(Read(len(keys), hit))
    return found


def hit_ratio(requests: Iterable[bytes], breaks: Iterable[int] = ()) -> float:
    """How much of what the request before had sent is read, from 0 to 1. The requests at `breaks` are left out."""
    found, left_out = reads(requests), set(breaks)
    pairs = [pair for place, pair in enumerate(pairwise(found), 1) if place not in left_out]
    return sum(min(now.hit, before.blocks) for before, now in pairs) / sum(before.blocks for before, _ in pairs)


def _keys(request: bytes) -> Iterator[bytes]:
    """A key for each whole block, which stands for all in front of it too."""
    digest = hashlib.blake2b(digest_size=16)
    for start in range(0, len(request) // BLOCK * BLOCK, BLOCK):
        digest.update(request[start : start + BLOCK])
        yield digest.digest()
