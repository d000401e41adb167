"""What the demo does next: a pure function of the conversation.

Each intent is a small script: some tool calls, one after the other, and then a report of what the tools really
returned. The script's place is the number of tool results since the last prompt, so nothing has to be remembered.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from hd.llm.demo_text import entries as entries_of
from hd.llm.demo_text import file_in_words, folder_in_words, found_lines, quoted, unnumbered, worth_reading
from hd.protocol.messages import text_of, tool_calls_of, tool_result_of

NOTICE: Final = (
    "This is hd's scripted demo: no model is called and nothing leaves this machine, but the tools are real."
)
ABILITIES: Final = (
    "I only understand a few phrases: `tour`, `find X`, `explain FILE`, `replace A with B in FILE`, `run COMMAND`, "
    "`write FILE: TEXT`, `ask me …`, `todo …` and `think about X`."
)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One answer. It ends the turn where it has no calls."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[PlannedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """A tool call of this turn and what came back."""

    name: str
    arguments: Mapping[str, Any]
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Turn:
    prompt: str
    done: tuple[Done, ...] = ()
    is_first: bool = True
    aside: str = field(default="")
    """The kind of a message that asks for something beside the conversation: a summary or a title."""


def next_step(messages: Sequence[Mapping[str, Any]], tools: Collection[str]) -> Step:
    turn = turn_of(messages)
    if turn.aside:
        return Step(_aside(turn, messages))
    step = _step(turn)
    missing = [call.name for call in step.calls if call.name not in tools]
    if missing:
        step = Step(f"For this I would call `{missing[0]}`, but this session does not offer that tool.")
    return replace(step, text=f"{NOTICE}\n\n{step.text}".strip()) if turn.is_first else step


def turn_of(messages: Sequence[Mapping[str, Any]]) -> Turn:
    """The last prompt of a person and what was done since."""
    human = [place for place, message in enumerate(messages) if _kind(message) == "user"]
    start = human[-1] if human else len(messages)
    calls: dict[str, Mapping[str, Any]] = {}
    done: list[Done] = []
    for message in messages[start:]:
        if message.get("role") == "assistant":
            calls.update((call["id"], call) for call in tool_calls_of(message["content"]))
        elif (result := _result(message)) is not None and (call := calls.get(result[0])) is not None:
            done.append(Done(call["name"], _arguments(call["arguments"]), result[1], result[2]))
    last = _kind(messages[-1]) if messages else ""
    return Turn(
        prompt=text_of(messages[start]["content"]).strip() if human else "",
        done=tuple(done),
        is_first=not any(message.get("role") == "assistant" for message in messages),
        aside=last if re.search("compact|summar|title", last) else "",
    )


def _kind(message: Mapping[str, Any]) -> str:
    """Who speaks; `user` only for a person."""
    if message.get("role") != "user":
        return ""
    source = message.get("source")
    return str(source.get("kind", "")) if isinstance(source, Mapping) else "user"


def _result(message: Mapping[str, Any]) -> tuple[str, str, bool] | None:
    return tool_result_of(message) if message.get("role") == "tool" or _kind(message) == "tool" else None


def _arguments(text: str) -> Mapping[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _step(turn: Turn) -> Step:
    for pattern, script in _SCRIPTS:
        match = pattern.search(turn.prompt)
        if match is not None:
            return script(turn, *(_bare(group or "") for group in match.groups()))
    return _tour(turn, known=False)


def _bare(text: str) -> str:
    """An operand without the quotes or backticks around it and the full stop behind it."""
    text = text.strip()
    for mark in "`\"'":
        if text.count(mark) == 2 and text.startswith(mark) and text.rstrip(".?!").endswith(mark):
            return text.rstrip(".?!")[1:-1]
    return text


def _call(name: str, **arguments: Any) -> tuple[PlannedCall, ...]:
    return (PlannedCall(name, arguments),)


def _failed(done: Done) -> Step:
    return Step(f"`{done.name}` answered with an error, so I stop here:\n{quoted(done.text)}")


def _tour(turn: Turn, known: bool = True) -> Step:
    done = turn.done
    if not done:
        text = "I look around in this folder." if known else f"{ABILITIES}\n\nMeanwhile a short tour of this folder."
        return Step(text, "First the listing, then one file that says most about it.", _call("list_files"))
    if done[-1].is_error:
        return _failed(done[-1])
    path = worth_reading(entries_of(done[0].text))
    if len(done) == 1 and path is not None:
        return Step(f"`{path}` looks worth reading.", calls=_call("read_file", path=path, limit=60))
    read = f"\n\n{file_in_words(str(done[1].arguments.get('path')), done[1].text)}" if len(done) > 1 else ""
    return Step(f"{folder_in_words(done[0].text)}{read}")


def _find(turn: Turn, what: str, where: str = "") -> Step:
    if not turn.done:
        path = {"path": where} if where else {}
        return Step(f"I search for `{what}`.", calls=_call("grep", pattern=_literally(what), **path))
    done = turn.done[-1]
    if done.is_error:
        return _failed(done)
    hits = found_lines(done.text)
    if not hits:
        return Step(f"The search found no line with `{what}`. The tool's own words:\n{quoted(done.text, 3)}")
    return Step(f"The search returned {len(hits)} line(s) for `{what}`:\n{quoted(done.text)}")


def _explain(turn: Turn, path: str) -> Step:
    if not turn.done:
        return Step(f"I read `{path}`.", calls=_call("read_file", path=path))
    done = turn.done[-1]
    return _failed(done) if done.is_error else Step(file_in_words(path, done.text))


def _replace(turn: Turn, old: str, new: str, path: str) -> Step:
    if not turn.done:
        return Step(f"I read `{path}` first.", calls=_call("read_file", path=path))
    done = turn.done[-1]
    if done.is_error:
        return _failed(done)
    if len(turn.done) == 1:
        count = unnumbered(done.text).count(old)
        if not count:
            return Step(f"What I was given of `{path}` does not contain `{old}`, so I change nothing.")
        edit = _call("edit_file", path=path, old_string=old, new_string=new, replace_all=True)
        return Step(f"It stands there {count} time(s); I replace it.", calls=edit)
    if len(turn.done) == 2:
        return Step("I check the result.", calls=_call("grep", pattern=_literally(new), path=path))
    return Step(
        f"`edit_file` reported:\n{quoted(turn.done[1].text, 4)}\n"
        f"A search finds {len(found_lines(done.text))} line(s) with `{new}` there now:\n{quoted(done.text, 4)}"
    )


def _run(turn: Turn, command: str) -> Step:
    if not turn.done:
        return Step(f"I run `{command}`.", calls=_call("run_command", command=command))
    done = turn.done[-1]
    return _failed(done) if done.is_error else Step(f"The command returned:\n{quoted(done.text, 15)}")


def _write(turn: Turn, path: str, text: str) -> Step:
    if not turn.done:
        return Step(f"I write `{path}`.", calls=_call("write_file", path=path, content=f"{text}\n"))
    done = turn.done[-1]
    return _failed(done) if done.is_error else Step(f"`write_file` reported:\n{quoted(done.text, 4)}")


def _ask(turn: Turn, about: str) -> Step:
    if not turn.done:
        named = [_bare(part) for part in re.split(r",|;|\bor\b|\band\b|\n", _after_colon(about)) if part.strip()]
        labels = named[:4] if len(named) > 1 else ["Take the tour", "Find a word", "Stop here"]
        options = [
            {"label": label[:60], "description": f"Option {n} of the demo."} for n, label in enumerate(labels, 1)
        ]
        asked = {"id": "choice", "question": "Which one do you choose?", "header": "Choice", "options": options}
        return Step("I have a question.", calls=_call("ask_user_question", questions=[asked]))
    done = turn.done[-1]
    return _failed(done) if done.is_error else Step(f"Your answer reached me like this:\n{quoted(done.text)}")


def _todo(turn: Turn, about: str) -> Step:
    if not turn.done:
        named = [_bare(part) for part in re.split(r"[,;\n]", about) if part.strip()]
        texts = named[:3] + ["Look at the folder", "Make the change", "Check the result"][len(named[:3]) :]
        rows = [
            {"id": str(n), "text": text, "status": "in_progress" if n == 1 else "pending"}
            for n, text in enumerate(texts, 1)
        ]
        return Step("I write the list down.", calls=_call("write_todos", todos=rows))
    done = turn.done[-1]
    return _failed(done) if done.is_error else Step("The list stands; the first item is in progress.")


def _think(_turn: Turn, about: str) -> Step:
    topic = about.rstrip(".?!") or "this prompt"
    paragraphs = [
        f"The question is about {topic}. Let me see what is asked before I answer.",
        *(
            f"{opening} of {topic}: {_MUSING}"
            for opening in ("The plain reading", "The opposite view", "The edge cases")
        ),
        f"None of this is a real thought about {topic}. It is a script that shows how a long reasoning is streamed, "
        "shown live and folded away once the answer begins.",
    ]
    return Step(
        f"I streamed a scripted reasoning about {topic}. With thinking switched off there is only this answer.",
        reasoning="\n\n".join(paragraphs),
    )


_MUSING: Final = (
    "first I put the facts next to each other, then I ask which of them would change the answer, and then I drop the "
    "rest. What remains should be small enough to check by hand. If it is not, the question has to be cut into parts, "
    "and each part needs an example that fails before the change and passes after it."
)


def _aside(turn: Turn, messages: Sequence[Mapping[str, Any]]) -> str:
    """A title or a summary, taken from the prompts word for word."""
    prompts = [text_of(message["content"]).strip() for message in messages if _kind(message) == "user"]
    if "title" in turn.aside:
        return " ".join((prompts or ["Demo"])[0].split()[:6])
    tools = sum(_result(message) is not None for message in messages)
    return "\n".join(
        [f"Summary by the demo ({tools} tool results). The prompts were:", *(f"- {p[:200]}" for p in prompts)]
    )


def _literally(text: str) -> str:
    """A regular expression that finds `text` itself, escaped only as far as every engine accepts."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)


def _after_colon(text: str) -> str:
    return re.sub(r"^.*?(?::|\bbetween\b|\bwhether\b)", "", text, count=1, flags=re.DOTALL | re.IGNORECASE)


_NAME: Final = r"(`[^`]+`|\"[^\"]+\"|'[^']+'|\S+?)"
_TEXT: Final = r"(`[^`]+`|\"[^\"]+\"|'[^']+'|.+?)"
_PLEASE: Final = r"^\s*(?:please\s+|could you\s+|can you\s+)?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_SCRIPTS: Final[Sequence[tuple[re.Pattern[str], Callable[..., Step]]]] = (
    (_pattern(r"\bask me\b\s*(.*)$"), _ask),
    (_pattern(_PLEASE + r"think\b(?:\s+(?:aloud|out loud|hard))?(?:\s+about)?\s*(.*)$"), _think),
    (_pattern(_PLEASE + r"(?:make\s+(?:a\s+)?)?to-?dos?(?:\s+list)?\b[\s:]*(.*)$"), _todo),
    (_pattern(_PLEASE + rf"(?:write|create)\s+(?:(?:a|the)\s+)?(?:file\s+)?{_NAME}\s*:\s*(.+)$"), _write),
    (_pattern(_PLEASE + rf"(?:replace|change)\s+{_TEXT}\s+(?:with|by|to)\s+{_TEXT}\s+in\s+{_NAME}[.!]?\s*$"), _replace),
    (_pattern(_PLEASE + r"(?:run|execute)\s+(?:the\s+command\s+)?(.+)$"), _run),
    (_pattern(_PLEASE + rf"(?:explain|describe|summari[sz]e)\s+(?:the\s+)?(?:file\s+)?{_NAME}[.!?]?\s*$"), _explain),
    (
        _pattern(_PLEASE + rf"(?:find|search(?:\s+for)?|grep(?:\s+for)?|look\s+for)\s+{_TEXT}(?:\s+in\s+{_NAME})?\s*$"),
        _find,
    ),
    (_pattern(r"\btour\b|what(?:'s| is) (?:in )?here|look around"), _tour),
)
"""Tried in this order; the groups are the operands of the script."""
