"""Where a page of a log begins, found by walking backwards from its end (pure; WIRE 7.5)."""

from typing import Final

MOST_BYTES: Final = 1 << 20
"""A page ends before the message with which it would be larger, but never without one."""

SPLIT_BYTES: Final = 4 << 20
"""What lies between two messages is split between pages where it is larger than this."""


class PageCut:
    """Takes the events of a log, the newest first, until it knows where the page begins.

    A page holds whole messages with what was logged behind each: at most `messages` of them, and no more than fit into
    `most` bytes. One message always goes in, so that a reader comes forward; only where the events behind it alone
    exceed `split` bytes does the page begin between two of them.
    """

    def __init__(self, messages: int, *, most: int = MOST_BYTES, split: int = SPLIT_BYTES) -> None:
        if messages < 1:
            raise ValueError(f"a page of {messages} messages")
        self.start = 0
        """The first seq of the page; of the whole log as long as nothing else is known."""
        self._messages = messages
        self._most = most
        self._split = split
        self._size = 0
        self._message: int | None = None
        self._event: int | None = None

    def takes(self, seq: int, size: int, page_from: int | None) -> bool:
        """Takes the next older event, of `size` bytes; False when the page begins behind it or with it.

        `page_from` is where a page begins whose oldest message this is; None where it is no message.
        """
        self._size += size
        if self._message is not None and self._size > self._most:
            self.start = self._message
            return False
        if self._message is None and self._event is not None and self._size > self._split:
            self.start = self._event
            return False
        self._event = seq
        if page_from is not None:
            self._message = page_from
            self._messages -= 1
            if not self._messages:
                self.start = page_from
                return False
        return True
