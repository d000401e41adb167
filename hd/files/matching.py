"""The process that tries a regular expression, so that one that never ends can be ended (`hd.files.matcher` runs it).

Python's `re` cannot be interrupted and holds the interpreter's lock while it searches: in the daemon's own process a
pattern such as `(\\w+\\s*)+:` could stop everything. This module imports nothing of ours and starts in a few
milliseconds.

Both directions carry marshalled values, each after its length in four bytes. First comes (pattern, most matches a
file, seconds of processor time); the answer is None or why the pattern cannot be compiled. Then come lists of texts;
each text is answered by a list of (line number from 1, line clipped around the match) as soon as it was searched.
"""

import marshal
import re
import resource
import struct
import sys
from typing import Any, BinaryIO

WIDTH = 300


def matches(pattern: re.Pattern[str], text: str, most: int) -> list[tuple[int, str]]:
    """The lines in which the pattern is found, at most `most`. A line ends with `\\n` or `\\r\\n`."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        match = pattern.search(line)
        if match is not None:
            found.append((number, clip(line, match.start(), match.end())))
            if len(found) >= most:
                break
    if found and text.endswith("\n") and found[-1][0] == text.count("\n") + 1:
        # Behind the last newline there is no line, though an expression that matches nothing "finds" it.
        found.pop()
    return found


def clip(line: str, start: int, end: int, width: int = WIDTH) -> str:
    """The line if it is no longer than `width`, else the part around the span, with `…` where something is left out."""
    if len(line) <= width:
        return line
    left = max(0, min(start - (width - min(end - start, width)) // 2, len(line) - width))
    right = left + width
    return f"{'…' if left else ''}{line[left:right]}{'…' if right < len(line) else ''}"


def receive(stream: BinaryIO) -> Any:
    """The next value; EOFError at the end."""
    header = stream.read(4)
    if len(header) < 4:
        raise EOFError
    (size,) = struct.unpack("<I", header)
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return marshal.loads(body)


def send(stream: BinaryIO, value: Any) -> None:
    body = marshal.dumps(value)
    stream.write(struct.pack("<I", len(body)) + body)
    stream.flush()


def main() -> None:
    source, target = sys.stdin.buffer, sys.stdout.buffer
    expression, most, seconds = receive(source)
    # Should the daemon die in the middle, the kernel ends a search without an end.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        pattern = re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        send(target, str(error))
        return
    send(target, None)
    while True:
        try:
            texts = receive(source)
        except EOFError:
            return
        for text in texts:
            send(target, matches(pattern, text, most))


if __name__ == "__main__":
    main()
