"""What became of a change that a killed daemon had begun, seen from what is on disk now; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from hd.protocol.projections.changes import Change, Node, is_known


@dataclass(frozen=True, slots=True)
class Found:
    """`made` are the changes that took place, with the node that stands there; `unclear` the paths where neither the
    old nor the new is found."""

    made: tuple[Change, ...] = ()
    unclear: tuple[str, ...] = ()


def found(begun: Iterable[Change], now: Mapping[str, Node | None]) -> Found:
    """What is known of the changes that were begun. What stands as before was not made, and what is neither is not
    told as the agent's: it could be anybody's."""
    made: list[Change] = []
    unclear: list[str] = []
    for change in begun:
        here = now.get(change.path)
        if here == change.before and is_known(here):
            continue
        if _is_meant(change.after, here):
            made.append(replace(change, after=here))
        else:
            unclear.append(change.path)
    return Found(tuple(made), tuple(unclear))


def _is_meant(meant: Node | None, here: Node | None) -> bool:
    if meant is None or here is None:
        return meant is here
    if not is_known(meant) or (meant.kind, meant.blob) != (here.kind, here.blob):
        return False
    return meant.mode in (-1, here.mode)
