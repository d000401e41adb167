"""Searching all sessions for what was said: from what a person types to words, from a message to a snippet (pure)."""

from collections.abc import Sequence

from hd.errors import BadRequest

QUERY_LIMIT = 500
"""UTF-16 units, as the dialect counts."""

MOST_FOUND = 20
SNIPPET_LENGTH = 240
"""Code points."""

_BEFORE = 60
_CUT = "…"


def words_of(query: str) -> list[str]:
    """The words that a message must hold, all of them; `BadRequest` for none or too many."""
    if len(query.encode("utf-16-le", "surrogatepass")) // 2 > QUERY_LIMIT:
        raise BadRequest(f"A search has at most {QUERY_LIMIT} characters.")
    words = "".join(letter if letter.isprintable() else " " for letter in query).split()
    if not words:
        raise BadRequest("A search needs at least one visible character.")
    return list(dict.fromkeys(words))


def snippet(text: str, words: Sequence[str]) -> str:
    """The part of a message around the first of the words, on one line and at most `SNIPPET_LENGTH` long."""
    flat = " ".join(text.split())
    if len(flat) <= SNIPPET_LENGTH:
        return flat
    folded = flat.lower()
    found = [place for word in words if (place := folded.find(word.lower())) >= 0]
    start = max(min(found, default=0) - _BEFORE, 0)
    start = min(start, len(flat) - SNIPPET_LENGTH)
    before = _CUT if start else ""
    after = _CUT if start + SNIPPET_LENGTH < len(flat) else ""
    return f"{before}{flat[start + len(before) : start + SNIPPET_LENGTH - len(after)]}{after}"
