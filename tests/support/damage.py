"""What becomes of a log when fields of it are lost or turn into something else: for whatever reads logs."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

import msgspec

from hd.protocol.events import Event

JUNK: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 7, 2**53, -(2**70), 10**30, 1.5, -1e300),
    *("", "x", "2", "\u2028\x00", "a" * 99),
    *([], [None], [[]], ["x"], [{}], {}, {"type": 1}, {"type": "text"}, {"kind": []}, [{"type": "tool-call", "id": 3}]),
)
"""JSON of every type, and numbers that no program counts to. There is no NaN in JSON: a text with it is none."""


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything in a JSON value, at every level."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def damage(value: Any, chance: Random) -> None:
    """Changes one random place in a JSON object: puts junk there, takes it out, or says it twice."""
    found = list(places(value))
    if not found:
        return
    container, key = chance.choice(found)
    wish = chance.random()
    if wish < 0.7:
        container[key] = deepcopy(chance.choice(JUNK))
    elif wish < 0.85 or isinstance(container, dict):
        del container[key]
    else:
        container.insert(key, container[key])


def damaged(events: Sequence[Event], chance: Random) -> list[dict[str, Any]]:
    """The log on the wire with one to five faults in what its events say, how they are placed, and when they were."""
    wires: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode([event.to_wire() for event in events]))
    for _ in range(chance.randint(1, 5) if wires else 0):
        wire = chance.choice(wires)
        part = {key: wire[key] for key in wire if key not in ("type", "seq")}
        damage(part, chance)
        wire.update({key: part.get(key) for key in wire if key not in ("type", "seq")})
    return wires
