"""The arguments of a tool as a type: one `msgspec.Struct` gives the check and the schema that the model is shown.

Models write numbers as text now and then, so `"10"` is taken for an integer and `"true"` for a truth value; a name that
the tool does not know is refused, because a misspelt option that is ignored does something else than was meant.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from hd.tools.base import InvalidArguments

T = TypeVar("T", bound=msgspec.Struct)

_NULL = {"type": "null"}
_REF = "#/$defs/"


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of a tool's arguments: immutable, by name only, nothing unknown."""


def decode(struct_type: type[T], arguments: Mapping[str, Any]) -> T:
    """The arguments as `struct_type`; `InvalidArguments` names the field and what was expected there."""
    try:
        return msgspec.convert(dict(arguments), struct_type, strict=False)
    except msgspec.ValidationError as error:
        wanted = ", ".join(_signature(struct_type))
        raise InvalidArguments(
            f"The arguments do not fit: {error}. Nothing was done. Call it again with {{{wanted}}}."
        ) from error


def schema(struct_type: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of type object, without references, titles, and the null that an optional field also takes."""
    whole = msgspec.json.schema(struct_type)
    plain: dict[str, Any] = _plain(whole, whole.get("$defs", {}))
    plain.pop("description", None)
    return plain


def _signature(struct_type: type[msgspec.Struct]) -> list[str]:
    fields = msgspec.structs.fields(struct_type)
    return [field.encode_name if field.required else f"{field.encode_name}?" for field in fields]


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    """`node` with every reference put in place. A type that contains itself has no such form: RecursionError."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return _plain(definitions[node["$ref"].removeprefix(_REF)], definitions)
    return _without_null({key: _member(key, value, definitions) for key, value in node.items() if _kept(key, value)})


def _member(key: str, value: Any, definitions: Mapping[str, Any]) -> Any:
    if key == "properties":
        return {name: _plain(child, definitions) for name, child in value.items()}
    return value if key in {"default", "enum", "const", "examples"} else _plain(value, definitions)


def _kept(key: str, value: Any) -> bool:
    """Titles are Python class names, and a default of null says no more than that the field is optional."""
    return not (key in {"title", "$defs"} and isinstance(value, str | Mapping)) and not (
        key == "default" and value is None
    )


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    choices = node.get("anyOf")
    if not isinstance(choices, list):
        return node
    real = [choice for choice in choices if choice != _NULL]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    return {**real[0], **rest} if len(real) == 1 else {**rest, "anyOf": real}
