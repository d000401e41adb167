"""Guidance: short texts about a language or a kind of work, told when the conversation first calls for them.

A chunk is a file in `chunks/` with the words that call for it. `GUIDANCE` folds from the log which of them were heard
and which chunks were told; what is due is told in a message of its own, behind what was sent before (law 2). A chunk
stays where it is, is never told twice, and again only when a compaction took it away.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from hd.prompt.context import PROJECT, SOURCE_KIND
from hd.prompt.heard import KINDS, Table, heard_in, heard_of_tool
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace
from hd.protocol.messages import text_of, tool_calls_of
from hd.protocol.projections.base import Projection

GUIDANCE_KIND: Final = "guidance"
"""The `source.kind` of such a message."""

ENOUGH: Final = 2
"""So many different triggers of a chunk call for it; one alone may be chance."""


class Chunk(Struct, frozen=True):
    """`triggers` are keys as in `hd.prompt.heard`; `needs` is a tool without which the text is of no use."""

    name: str
    text: str
    triggers: frozenset[str]
    needs: str | None = None


class Guidance(Struct, frozen=True):
    """By the name of a chunk: which of its triggers were `heard` so far, and the seq of the message that `told` it."""

    heard: Mapping[str, frozenset[str]] = field(default_factory=dict)
    told: Mapping[str, int] = field(default_factory=dict)


@cache
def chunks() -> tuple[Chunk, ...]:
    """All chunks, by name."""
    found = sorted(files("hd.prompt").joinpath("chunks").iterdir(), key=lambda file: file.name)
    return tuple(parse(file.name.removesuffix(".md"), file.read_text("utf-8")) for file in found)


def parse(name: str, content: str) -> Chunk:
    """A chunk's file: lines of `words: a, b` between two of dashes, then the text; ValueError for anything else."""
    opening, head, text = content.split("---\n", 2)
    given = dict(line.split(": ", 1) for line in head.splitlines())
    needs = given.pop("needs", None)
    if opening or not text.strip() or not set(given) <= set(KINDS):
        raise ValueError(f"the guidance {name!r} has no head or no text")
    triggers = (f"{KINDS[kind]}:{one.strip()}" for kind, line in given.items() for one in line.split(","))
    return Chunk(name, text.strip(), frozenset(triggers), needs)


@cache
def _table() -> Table:
    return Table.of(trigger for chunk in chunks() for trigger in chunk.triggers)


def due(state: Guidance, tools: Container[str]) -> list[Chunk]:
    """The chunks that were called for and not told; `tools` are the names that the session has."""
    return [
        chunk
        for chunk in chunks()
        if chunk.name not in state.told
        and len(state.heard.get(chunk.name, ())) >= ENOUGH
        and (chunk.needs is None or chunk.needs in tools)
    ]


def render(told: Sequence[Chunk]) -> str:
    return "\n\n".join(chunk.text for chunk in told)


def _listen(state: Guidance, keys: Iterable[str]) -> Guidance:
    new = frozenset(keys)
    heard = dict(state.heard)
    for chunk in chunks() if new else ():
        before = heard.get(chunk.name, frozenset())
        if more := (chunk.triggers & new) - before:
            heard[chunk.name] = before | more
    return state if heard == state.heard else replace(state, heard=heard)


def _user(state: Guidance, event: Event) -> Guidance:
    source: Mapping[str, Any] = event.data.get("source") or {}
    state = _forget(state, event)
    match source.get("kind"):
        case "user" | "goal":
            return _listen(state, heard_in(_said(event.data.get("content") or ()), _table()))
        case kind if kind == SOURCE_KIND:
            told = [str(s.get("text")) for s in source.get("sections") or () if s.get("name") == PROJECT]
            return _listen(state, heard_in(" ".join(told), _table()))
        case kind if kind == GUIDANCE_KIND and event.surface is not None:
            named = source.get("chunks")
            names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
            return replace(state, told={**state.told, **dict.fromkeys(names, event.seq)}) if names else state
    return state


def _said(content: Iterable[Mapping[str, Any]]) -> str:
    """What a person wrote, and the names of the files that came with it."""
    blocks = list(content)
    names = [str((block.get("attachment") or {}).get("name")) for block in blocks if block.get("type") == "file"]
    return "\n".join([text_of(blocks), *names])


def _forget(state: Guidance, event: Event) -> Guidance:
    """A chunk whose message was replaced is no longer told."""
    if not isinstance(event.surface, Replace):
        return state
    span = range(event.surface.start, event.surface.end + 1)
    told = {name: seq for name, seq in state.told.items() if seq not in span}
    return state if len(told) == len(state.told) else replace(state, told=told)


class _Named(msgspec.Struct):
    """The arguments of a call that name files and programs."""

    path: Any = None
    new_path: Any = None
    include: Any = None
    command: Any = None


def _assistant(state: Guidance, event: Event) -> Guidance:
    keys: set[str] = set()
    for call in tool_calls_of((event.data.get("message") or {}).get("content") or ()):
        keys |= heard_of_tool(str(call.get("name")), _table())
        try:
            named = msgspec.json.decode(str(call.get("arguments")), type=_Named)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
        texts = (named.path, named.new_path, named.include, named.command)
        keys |= heard_in("\n".join(text for text in texts if isinstance(text, str)), _table())
    return _listen(_forget(state, event), keys)


GUIDANCE: Final = Projection(
    "guidance",
    Guidance(),
    {ev.USER_MESSAGE: _user, ev.ASSISTANT_MESSAGE: _assistant, ev.TOOL_RESULT: _forget, ev.SYSTEM_MESSAGE: _forget},
)
