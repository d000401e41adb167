"""The arguments of a tool call, as far as they are written."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_PAIR = re.compile(r'"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)("?)', re.DOTALL)


def read(arguments: str) -> Mapping[str, Any]:
    """The object in `arguments` (JSON text); of one that is cut or broken the texts that can be read."""
    try:
        found = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {match[1]: _text(match[2]) for match in _PAIR.finditer(arguments[:20_000])}
    return found if isinstance(found, dict) else {"arguments": found}


def _text(inside: str) -> str:
    """The text of the inside of a JSON string, which may end in the middle of an escape."""
    for end in range(len(inside), max(-1, len(inside) - 7), -1):
        try:
            return str(msgspec.json.decode(f'"{inside[:end]}"'))
        except (msgspec.DecodeError, UnicodeError):
            continue
    return inside


def shown(value: Any) -> str:
    """A value of an argument as text: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode(errors="replace")
