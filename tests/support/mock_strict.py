"""What a strict provider refuses, and what a cache would lose: the rules the mock holds requests against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tests.support.mock_schema import problem_of_form


@dataclass(frozen=True)
class Sent:
    """An answer that the mock gave: what must come back with its reasoning."""

    text: str
    reasoning: str
    call_ids: tuple[str, ...]


@dataclass
class Head:
    """The newest request of a conversation, and what became of it."""

    first: str
    model: str
    lasting: bytes
    playing: bool = True
    answered: bool = False


def first_problem(parsed: Any, sent: Sequence[Sent]) -> str | None:
    """Why a strict provider answers 400 to this request; None when it does not."""
    if (problem := problem_of_form(parsed)) is not None:
        return problem
    messages = parsed["messages"]
    return (
        _problem_of_roles(messages)
        or _problem_of_calls(messages)
        or _problem_of_pairs(messages)
        or _problem_of_reasoning(messages, sent, thinking=(parsed.get("thinking") or {}).get("type") == "enabled")
    )


def _problem_of_roles(messages: Sequence[Mapping[str, Any]]) -> str | None:
    if messages[0]["role"] != "system":
        return "the first message is not the system message"
    before = "system"
    for place, message in enumerate(messages[1:], 1):
        role = str(message["role"])
        if role == "system":
            return f"messages[{place}]: a system message out of place"
        if role == "assistant" and before not in ("user", "tool"):
            return f"messages[{place}]: an assistant message behind {before}"
        if role == "assistant" and not message.get("content") and not message.get("tool_calls"):
            return f"messages[{place}]: neither content nor tool_calls"
        before = role
    return f"the last message is from the {before}" if before in ("assistant", "system") else None


def _problem_of_pairs(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Every call answered once, directly behind it; ids unique in the whole conversation."""
    open_ids: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in open_ids:
                return f"messages[{place}]: a tool message that answers no call in front of it"
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return f"messages[{place}]: tool call {open_ids[0]} has no answer"
        for call in message.get("tool_calls") or ():
            if call["id"] in seen:
                return f"messages[{place}]: tool call id {call['id']} used twice"
            seen.add(call["id"])
            open_ids.append(call["id"])
    return f"tool call {open_ids[0]} has no answer" if open_ids else None


def _problem_of_calls(messages: Sequence[Mapping[str, Any]]) -> str | None:
    for place, message in enumerate(messages):
        for call in message.get("tool_calls") or ():
            try:
                is_object = isinstance(msgspec.json.decode(call["function"]["arguments"]), dict)
            except msgspec.DecodeError:
                is_object = False
            if not is_object:
                return f"messages[{place}]: the arguments of a tool call are no JSON object"
    return None


def _problem_of_reasoning(messages: Sequence[Mapping[str, Any]], sent: Sequence[Sent], *, thinking: bool) -> str | None:
    for place, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        allowed = _reasonings(message, sent)
        if thinking and "reasoning_content" not in message:
            return f"messages[{place}]: the reasoning_content in the thinking mode must be passed back"
        if allowed and (message.get("reasoning_content") or "") not in allowed:
            return f"messages[{place}]: the reasoning_content in the thinking mode must be passed back unchanged"
    return None


def _reasonings(message: Mapping[str, Any], sent: Sequence[Sent]) -> set[str]:
    """What a message of the assistant may carry as reasoning; empty when it is none of ours.

    A message that was cut by a cancel is recognised by being the beginning of one that was sent.
    """
    ids = {call["id"] for call in message.get("tool_calls") or ()}
    if ids:
        return {answer.reasoning for answer in sent if ids & set(answer.call_ids)}
    text = message.get("content") or ""
    if not text:
        return set()
    whole = {answer.reasoning for answer in sent if not answer.call_ids and answer.text == text}
    return whole or {answer.reasoning for answer in sent if answer.text.startswith(text)}


class Conversations:
    """Which request continues which: each must begin with the bytes of the one before (`lasting`).

    A conversation is known by its first user message; several with the same one are told apart by what follows. What
    stands behind the messages (effort, bound of the answer) may change. Another model is allowed too, then tools and
    messages are compared.
    """

    def __init__(self) -> None:
        self._heads: list[Head] = []
        self._past: list[bytes] = []
        """What was sent before the last reset: the cache of a provider still holds it."""

    def reset(self) -> None:
        self._past = [head.lasting for head in self._heads]
        self._heads.clear()

    def take(self, body: bytes, parsed: Mapping[str, Any]) -> tuple[Head, int, str | None]:
        """(the conversation, bytes in common with its request before, what is wrong)."""
        messages = parsed["messages"]
        first = next((str(m.get("content")) for m in messages if m.get("role") == "user"), "")
        model = str(parsed.get("model"))
        rivals = [head for head in self._heads if head.first == first]
        matches = [head for head in rivals if _continues(body, model, head)]
        head = max(matches, key=lambda match: len(match.lasting), default=None)
        is_new = all(message.get("role") != "assistant" for message in messages)
        if head is not None and not (is_new and (head.answered or head.playing)):
            common = len(head.lasting)
            self._heads.remove(head)
            self._heads.append(Head(first, model, lasting(body, parsed)))
            return self._heads[-1], common, None
        fresh = Head(first, model, lasting(body, parsed))
        problem = None
        if rivals and not is_new:
            self._heads.remove(rivals[-1])
            problem = f"does not begin with the request before it: {_difference(body, rivals[-1].lasting)}"
        self._heads.append(fresh)
        known = [rivals[-1].lasting] if rivals else self._past
        return fresh, max((_common(body, sent) for sent in known), default=0), problem


def lasting(body: bytes, parsed: Mapping[str, Any]) -> bytes:
    """The part of a body that the next one begins with: all in front of the end of its messages."""
    names = list(parsed)
    closing = {name: parsed[name] for name in names[names.index("messages") + 1 :]}
    behind = b"]" + (b"," + msgspec.json.encode(closing)[1:] if closing else b"}")
    return body.removesuffix(behind)


def _continues(body: bytes, model: str, head: Head) -> bool:
    if model == head.model:
        return body.startswith(head.lasting)
    return _visible(body).startswith(_visible(head.lasting))


def _visible(body: bytes) -> bytes:
    """The part behind the model: tools and messages."""
    tools = body.find(b'"tools":[')
    return body[tools if tools >= 0 else body.find(b'"messages":[') :]


def _common(one: bytes, other: bytes) -> int:
    """The length of the common beginning, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _difference(body: bytes, before: bytes) -> str:
    at = _common(body, before)
    near = slice(max(0, at - 40), at + 60)
    return f"at byte {at} of {len(before)}: {before[near]!r} became {body[near]!r}"
