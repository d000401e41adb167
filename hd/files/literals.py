"""Texts of which one must stand in whatever a regular expression matches, read off the expression. Pure.

They let a search pass over most files without decoding them or asking the process that tries the expression. The
reading is careful, not complete: what it does not understand gives no text, and then every file is asked.
"""

import re

_SHORTEST = 2
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d*)\})[?+]?")
# What would change the meaning of the rest: flags, conditions and comments, and characters given by number or name.
_BEYOND_READING = re.compile(r"\(\?(?:[a-zA-Z-]+[):]|\(|#)|\\[0-9xuUN]")


def required(pattern: str) -> tuple[str, ...]:
    """One for each alternative of the expression, the longest that is certain; empty where one has none.

    Every match of the expression, which must be a valid one, contains at least one of them.
    """
    if _BEYOND_READING.search(pattern):
        return ()
    found: list[str] = []
    runs: list[str] = [""]
    index = 0
    while index < len(pattern):
        sign = pattern[index]
        if sign == "|":
            found.append(max(runs, key=len))
            runs = [""]
            index += 1
            continue
        index, literal = _atom(pattern, index)
        quantifier = _QUANTIFIER.match(pattern, index)
        index = index if quantifier is None else quantifier.end()
        if literal is None or (quantifier is not None and not quantifier[0].startswith("+")):
            runs.append("")
            continue
        runs[-1] += literal
        if quantifier is not None:
            # Once is certain, and what follows stands behind its last time.
            runs.append(literal)
    found.append(max(runs, key=len))
    return tuple(found) if min(map(len, found)) >= _SHORTEST else ()


def _atom(pattern: str, index: int) -> tuple[int, str | None]:
    """Where what begins at the index ends, and the one character that it matches, None if that is not certain."""
    sign = pattern[index]
    if sign == "\\":
        following = pattern[index + 1 : index + 2]
        # A letter behind a backslash is a class of characters or a place.
        return index + 2, None if following.isalnum() else following
    if sign == "[":
        return _class_end(pattern, index), None
    if sign == "(":
        return _group_end(pattern, index), None
    return index + 1, None if sign in ".^$*+?{})" else sign


def _class_end(pattern: str, index: int) -> int:
    index += 2 if pattern[index + 1 : index + 2] == "^" else 1
    index += pattern[index : index + 1] == "]"
    while index < len(pattern) and pattern[index] != "]":
        index += 2 if pattern[index] == "\\" else 1
    return index + 1


def _group_end(pattern: str, index: int) -> int:
    depth = 0
    while index < len(pattern):
        sign = pattern[index]
        if sign == "\\":
            index += 2
            continue
        if sign == "[":
            index = _class_end(pattern, index)
            continue
        depth += (sign == "(") - (sign == ")")
        index += 1
        if not depth:
            break
    return index
