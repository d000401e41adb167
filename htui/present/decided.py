"""What is told when an ask was decided, and by whom: pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from htui.present.safe import one_line

_WORDS = {
    ("approval", "allowed-once"): "allowed once",
    ("approval", "allowed-always"): "allowed from now on",
    ("approval", "rejected"): "denied",
    ("question", "answered"): "answered",
    ("question", "rejected"): "dismissed",
}


def decided_words(
    kind: Literal["approval", "question"],
    outcome: str,
    by: str,
    answers: Sequence[Mapping[str, Any]],
    *,
    me: str,
    answered: bool,
) -> str:
    """One line about a decision; empty where it was this client's (`me`), or nobody's, as when a turn is stopped.

    `answered` says that somebody answered here too.
    """
    verb = _WORDS.get((kind, outcome))
    if verb is None or (by == me if by else answered):
        return ""
    who = f"by another client ({one_line(by[:8], 8)})" if by else "elsewhere"
    chosen = ", ".join(filter(None, map(_choice, answers)))
    said = f"{verb} {who}" + (f" · {one_line(chosen, 80)}" if chosen else "")
    return f"Your answer came second: {said}" if answered else f"{said[0].upper()}{said[1:]}"


def _choice(answer: Mapping[str, Any]) -> str:
    selected, custom = answer.get("selected"), answer.get("custom")
    labels = [label for label in selected if isinstance(label, str)] if isinstance(selected, list) else []
    return ", ".join([*labels, custom] if isinstance(custom, str) and custom else labels)
