"""Makes `docs/wire.md` of the endpoint table: `python -m tests.support.wire_doc` writes it, a test compares it."""

import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from typing_extensions import is_typeddict

from hd.protocol.endpoints import ENDPOINTS
from hd.protocol.endpoints.shape import Endpoint
from tests.support.daemon import ROOT

TARGET = ROOT / "docs" / "wire.md"
_NAMES = Path(__file__).with_name("dialect_names.txt")
_COMMAND = "python -m tests.support.wire_doc"
_CARRIER = frozenset({"$events", "$events/result"})
"""Of the dialect too, but part of its carrier and in no list of endpoints."""

_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any", None: "null"}

_DESKTOP = "Opens a program on the desktop of the host. A daemon has none."

NOT_HERE: Mapping[str, str] = {
    "account": "Signing in to the vendor's account. The daemon knows an API key and no account.",
    "cotTranslation": "Translates the model's reasoning for readers of a page.",
    "dynamicCordisRunner": "Runs code of plugins in a browser page. There are no plugins and no page.",
    "officeToPdf": "Pictures of office documents for a page.",
    "pluginInventory": "There are no plugins.",
    "pluginManager": "There are no plugins.",
    "pluginMarket": "There are no plugins.",
    "pluginRegistryProbe": "There are no plugins.",
    "productAnalytics": "The daemon tells nobody how it is used.",
    "remoteAccess": "Its own way in from elsewhere. Here another machine comes in over SSH or TLS.",
    "session/canOpenWorkspacePath": _DESKTOP,
    "session/initializeDefaultModel": "There always is a default model, so nothing has to be chosen first.",
    "session/openWorkspacePath": _DESKTOP,
    "session/workspacePathApplications": _DESKTOP,
    "settings/openSettingsDocument": _DESKTOP,
    "speech": "Dictation. A terminal has no microphone.",
}
"""Why endpoints of the dialect make no sense here, by namespace or by name."""

_HEAD = f"""# The wire

Made of the endpoint table by `{_COMMAND}`; do not edit it by hand. A client finds the same list,
without types, at `host/describe`.

A *call* is `POST /api/NAME` with

    {{"type":"client-request","rpcId":…,"method":NAME,"payload":{{"args":{{…}}}}}}

and a *stream* is opened on the WebSocket `GET /api/remote.mux` with

    {{"type":"open","streamId":…,"endpoint":NAME,"payload":{{"args":{{…}}}}}}

Arguments are named; one that the table does not know is refused, an unknown field inside an argument is not looked at.
`?` marks what may be left out. *Ours* is what the official host does not have.
"""


def kind(found: Any) -> str:
    """A type as it is written in the document."""
    if found in _PLAIN:
        return _PLAIN[found]
    origin, inside = get_origin(found), get_args(found)
    if origin is Annotated:
        return kind(inside[0]) + "".join(_limits(meta) for meta in inside[1:] if isinstance(meta, Meta))
    if origin is Literal:
        return " or ".join(f"`{msgspec.json.encode(value).decode()}`" for value in inside)
    if origin in (Union, types.UnionType):
        return " or ".join(kind(one) for one in inside)
    if origin is list:
        return f"list of {kind(inside[0])}"
    if origin in (dict, Mapping) or found is dict:
        return "object"
    if origin is NotRequired:
        return kind(inside[0])
    if is_typeddict(found):
        return "{" + ", ".join(_field(name, one, found) for name, one in fields(found).items()) + "}"
    return str(getattr(found, "__name__", found))


def fields(found: Any) -> dict[str, Any]:
    return get_type_hints(found, include_extras=True)


def _field(name: str, found: Any, owner: Any) -> str:
    return f"{name}{'' if name in owner.__required_keys__ else '?'}: {kind(found)}"


def _limits(meta: Meta) -> str:
    bounds = (("at least", meta.ge), ("at most", meta.le))
    said = [f"{word} {bound}" for word, bound in bounds if bound is not None]
    lengths = ((f"{meta.min_length} character or more", meta.min_length), (f"to {meta.max_length}", meta.max_length))
    said += [text for text, bound in lengths if bound is not None]
    return f" ({', '.join(said)})" if said else ""


def arguments(endpoint: Endpoint) -> str:
    """The arguments of an endpoint, `—` for none."""
    named = [
        f"{name}{'?' if name in endpoint.optional else ''}: {kind(found)}" for name, found in endpoint.params.items()
    ]
    return "<br>".join(named).replace("|", "\\|") or "—"


def official() -> frozenset[str]:
    lines = _NAMES.read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#")) | _CARRIER


def missing() -> dict[str, list[str]]:
    """The official endpoints that are not offered, by the reason; "" for those that have none yet."""
    here = {endpoint.name for endpoint in ENDPOINTS}
    found: dict[str, list[str]] = {}
    for name in sorted(official() - here):
        reason = NOT_HERE.get(name, NOT_HERE.get(name.partition("/")[0], ""))
        found.setdefault(reason, []).append(name)
    return found


def lines() -> Iterator[str]:
    yield _HEAD
    theirs = official()
    space = ""
    for endpoint in ENDPOINTS:
        if endpoint.name.partition("/")[0] != space:
            space = endpoint.name.partition("/")[0]
            yield f"\n## {space}\n\n| endpoint | kind | arguments | whose |\n|---|---|---|---|"
        whose = "dialect" if endpoint.name in theirs else "ours"
        how = "stream" if endpoint.stream else "call"
        yield f"| `{endpoint.name}` | {how} | {arguments(endpoint)} | {whose} |"
    without = missing()
    yield "\n## What the official host has and this one does not\n\nThese make no sense here:\n"
    for reason, names in without.items():
        if reason:
            yield f"- {', '.join(f'`{name}`' for name in names)}: {reason}"
    if "" in without:
        yield "\nThese may come; until then they are answered 404:\n"
        yield ", ".join(f"`{name}`" for name in without[""]) + "."


def document() -> str:
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document())
