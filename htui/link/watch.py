"""A stream that is wanted for as long as somebody looks, over all reconnections."""

from collections.abc import Callable, Mapping
from typing import Any

from htui.errors import RemoteError


class Watch:
    """`take` is given the items in batches; the first ones after a reconnection stand for all that were before.

    `refused` is told once a connection that the host does not offer the stream, or not for these arguments: what it
    feeds is then left out. `close` ends it, also twice.
    """

    def __init__(
        self,
        endpoint: str,
        args: Mapping[str, Any],
        take: Callable[[list[Any]], None],
        refused: Callable[[RemoteError], None],
        ended: Callable[["Watch"], None],
    ) -> None:
        self.endpoint = endpoint
        self.args = args
        self.take = take
        self.refused = refused
        self._ended = ended

    def close(self) -> None:
        self._ended(self)


def ignored(error: RemoteError) -> None:
    """For streams that nobody misses."""
