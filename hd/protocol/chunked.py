"""An immutable list that is cheap to append to.

A flat tuple copies itself on each append, which makes a fold over a long log quadratic. Here the items sit in full
chunks of `CHUNK` and one short tail, so an append copies at most `CHUNK` items plus, once per `CHUNK` appends, the
list of chunks.
"""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct, field

T = TypeVar("T")

CHUNK = 256


class ChunkedList(Struct, Generic[T], frozen=True):
    """A persistent list: every change gives a new list that shares all untouched chunks with the old one."""

    chunks: tuple[tuple[T, ...], ...] = ()
    tail: tuple[T, ...] = field(default=())

    @classmethod
    def of(cls, items: Iterable[T]) -> "ChunkedList[T]":
        flat = tuple(items)
        full = len(flat) - len(flat) % CHUNK
        return cls(tuple(flat[i : i + CHUNK] for i in range(0, full, CHUNK)), flat[full:])

    def append(self, item: T) -> "ChunkedList[T]":
        tail = (*self.tail, item)
        if len(tail) < CHUNK:
            return ChunkedList(self.chunks, tail)
        return ChunkedList((*self.chunks, tail), ())

    def replace(self, index: int, item: T) -> "ChunkedList[T]":
        """The list with the item at `index` (0 or greater) exchanged; IndexError outside the list."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        chunk, place = divmod(index, CHUNK)
        if chunk == len(self.chunks):
            return ChunkedList(self.chunks, (*self.tail[:place], item, *self.tail[place + 1 :]))
        old = self.chunks[chunk]
        new = (*old[:place], item, *old[place + 1 :])
        return ChunkedList((*self.chunks[:chunk], new, *self.chunks[chunk + 1 :]), self.tail)

    def __len__(self) -> int:
        return len(self.chunks) * CHUNK + len(self.tail)

    def __getitem__(self, index: int) -> T:
        if index < 0:
            if -index <= len(self.tail):  # What a fold asks for most.
                return self.tail[index]
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        chunk, place = divmod(index, CHUNK)
        return self.tail[place] if chunk == len(self.chunks) else self.chunks[chunk][place]

    def __iter__(self) -> Iterator[T]:
        for chunk in self.chunks:
            yield from chunk
        yield from self.tail
