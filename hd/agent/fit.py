"""Fit to be sent: what any history becomes before a provider reads it (law 6). Pure.

A provider answers 400 to a history with one fault in it, now and at every later request, so that a single bad message
would close a session for good. `fit` gives, whatever it is given:

* a system message first and nowhere else; where the log has none in front, a sentence stands there, and a later one is
  told as a message of the user;
* each call answered once, directly behind its message, under an id that no other call has, with a name that a tool can
  have and arguments that are a JSON object; results that answer nothing are left out;
* each answer of the model with text or calls, its reasoning untouched; one without either is left out, and between two
  answers in a row stands a sentence of the user;
* each message of the user with something in it.

It reads from the front and never looks ahead, and a message that fits is passed through as the object it is. So what it
gives for a log begins what it gives for every longer one, with one exception: while a call waits for its result, that
result is still awaited, and only then is what came in between given in its place behind it. Requests are built when no
call waits (`is_settled`): a step begins when every call of the one before has its result, and whoever ends a turn
answers the calls that are open in it (`hd.session.repair`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hd.protocol.messages import Message, text_block, told_of, tool_message, tool_result_of

MISSING_RESULT: Final = "Error: this call has no recorded result."
LOST_BEGINNING: Final = "The beginning of this conversation is lost; what follows is what there is of it."
EMPTY_MESSAGE: Final = "(This message is empty.)"
GO_ON: Final = "(Go on.)"

MOST_NAME: Final = 64
_CURED_CALLS: Final = {
    "id": "calls without an id of their own",
    "name": "calls with a name that no tool can have",
    "arguments": "calls whose arguments are no JSON object",
}
_NOT_IN_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(slots=True)
class Fitted:
    """`messages` as they are sent; `cured` counts what had to be changed, by its kind in words.

    An answer without text and calls is no fault: so ends one that a person stops while the model still thinks.
    """

    messages: list[Message] = field(default_factory=list)
    cured: Counter[str] = field(default_factory=Counter)


def fit(logged: Iterable[Mapping[str, Any]]) -> Fitted:
    """The messages for the model, out of those of the log in their order."""
    fitting = _Fitting()
    messages = [message for one in logged for message in fitting.take(one)]
    messages += fitting.end()
    return Fitted(messages, fitting.cured)


def is_settled(logged: Iterable[Mapping[str, Any]]) -> bool:
    """Whether no call waits for its result: then nothing that comes later changes what is sent of these messages."""
    fitting = _Fitting()
    for one in logged:
        for _ in fitting.take(one):
            pass
    return not fitting.waiting


class _Fitting:
    """One way through a history. `waiting` has, by the id that was sent, the id in the log of each open call."""

    def __init__(self) -> None:
        self.cured: Counter[str] = Counter()
        self.waiting: dict[str, str] = {}
        self._held: list[Mapping[str, Any]] = []
        self._used_ids: set[str] = set()
        self._before = ""

    def take(self, message: Mapping[str, Any]) -> Iterator[Message]:
        """What can be given once `message` has come."""
        if _is_result(message):
            yield from self._result(message)
        elif message.get("role") == "assistant":
            yield from self.end()
            yield from self._answer(message)
        elif self.waiting:
            self._held.append(message)
        else:
            yield from self._told(message)

    def end(self) -> Iterator[Message]:
        """What is open is closed: calls without a result get one, and what was held back follows."""
        for sent_id in self.waiting:
            self.cured["calls without a result"] += 1
            self._before = "tool"
            yield {**tool_message(sent_id, MISSING_RESULT, is_error=True), "id": sent_id}
        self.waiting.clear()
        yield from self._release()

    def _release(self) -> Iterator[Message]:
        held, self._held = self._held, []
        for message in held:
            yield from self._told(message)

    def _result(self, message: Mapping[str, Any]) -> Iterator[Message]:
        found = tool_result_of(message)
        sent_id = next((sent for sent, logged in self.waiting.items() if found and logged == found[0]), None)
        if found is None or sent_id is None:
            self.cured["results without a call"] += 1
            return
        del self.waiting[sent_id]
        self._before = "tool"
        if isinstance(message, dict) and message.get("role") == "tool" and message.get("toolCallId") == sent_id:
            yield message
        else:
            yield {**tool_message(sent_id, found[1], is_error=found[2]), "id": message.get("id")}
        if not self.waiting:
            yield from self._release()

    def _told(self, message: Mapping[str, Any]) -> Iterator[Message]:
        """A message of the system or the user."""
        role = message.get("role")
        is_first = not self._before
        if is_first and role == "system":
            fitted = self._filled(message)
        else:
            yield from self._beginning()
            if role == "system":
                self.cured["system messages behind the first message"] += 1
            elif role != "user":
                self.cured["messages of an unknown role"] += 1
            fitted = self._filled(message if role == "user" else {**message, "role": "user"})
        self._before = str(fitted["role"])
        yield fitted

    def _beginning(self) -> Iterator[Message]:
        if not self._before:
            self.cured["lost beginnings"] += 1
            self._before = "system"
            yield {"role": "system", "content": [text_block(LOST_BEGINNING)], "id": "lost"}

    def _filled(self, message: Mapping[str, Any]) -> Message:
        if told_of(message.get("content") or ()):
            return message if isinstance(message, dict) else dict(message)
        self.cured["empty messages"] += 1
        return {**message, "content": [text_block(EMPTY_MESSAGE)]}

    def _answer(self, message: Mapping[str, Any]) -> Iterator[Message]:
        """An answer of the model with ids, names and arguments made fit; nothing where nothing of it can be sent."""
        blocks = message.get("content") or ()
        if not any(_is_sent(block) for block in blocks):
            return
        yield from self._beginning()
        if self._before not in ("user", "tool"):
            self.cured["answers without a question"] += 1
            yield {"role": "user", "content": [text_block(GO_ON)], "id": "go-on"}
        content = [self._call(block) if block.get("type") == "tool-call" else block for block in blocks]
        self._before = "assistant"
        if isinstance(message, dict) and all(new is old for new, old in zip(content, blocks, strict=True)):
            yield message
        else:
            yield {**message, "content": content}

    def _call(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        logged_id = str(block.get("id") or "call")
        sent_id = self._unique(logged_id)
        self.waiting[sent_id] = logged_id
        sent = {
            **block,
            "id": sent_id,
            "name": tool_name(str(block.get("name") or "")),
            "arguments": json_object(str(block.get("arguments") or "")),
        }
        changed = [name for name in _CURED_CALLS if sent[name] != block.get(name)]
        self.cured.update(_CURED_CALLS[name] for name in changed)
        return sent if changed else block

    def _unique(self, call_id: str) -> str:
        chosen, number = call_id, 1
        while chosen in self._used_ids:
            number += 1
            chosen = f"{call_id}_{number}"
        self._used_ids.add(chosen)
        return chosen


def _is_result(message: Mapping[str, Any]) -> bool:
    """Whether a message is what a tool gave; hosts of 0.1.5 log that under the role of the user."""
    return message.get("role") == "tool" or (message.get("source") or {}).get("kind") == "tool"


def _is_sent(block: Mapping[str, Any]) -> bool:
    """Whether a block of an answer is something that was said or done; reasoning alone cannot be sent back."""
    return block.get("type") == "tool-call" or (block.get("type") == "text" and bool(block.get("text")))


def tool_name(name: str) -> str:
    """`name` as a provider takes it: letters, digits, `_` and `-`, at most 64 of them, at least one."""
    return _NOT_IN_A_NAME.sub("_", name)[:MOST_NAME] or "unnamed"


def json_object(arguments: str) -> str:
    """`arguments` untouched if they are a JSON object, else an empty one."""
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeEncodeError):
        return "{}"
    return arguments if isinstance(decoded, dict) else "{}"
