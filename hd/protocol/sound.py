"""A value by its form: what has another type than it should is left out, the rest stays as it is (pure).

A form is a type that `msgspec` can check. Only where a check fails is a value looked through, so that sound ones, which
all but a few are, cost one check and are given back as the object they are.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec
from typing_extensions import is_typeddict

UNSOUND: Final = object()
"""What stands for a value of which nothing can be kept."""


def sound(value: Any, form: Any) -> Any:
    """`value` itself where it has the form; else a copy of what of it does; `UNSOUND` where nothing does.

    Fields that the form does not name are kept: nobody who goes by the form reads them.
    """
    if _has(value, form):
        return value
    if is_typeddict(form) and isinstance(value, Mapping):
        fields = _fields(form)
        read = {name: sound(item, fields[name]) if name in fields else item for name, item in value.items()}
        kept: Any = {name: item for name, item in read.items() if item is not UNSOUND}
    elif get_origin(form) is list and isinstance(value, list):
        (of_item,) = get_args(form)
        kept = [item for item in (sound(item, of_item) for item in value) if item is not UNSOUND]
    else:
        return UNSOUND
    return kept if _has(kept, form) else UNSOUND


def _has(value: Any, form: Any) -> bool:
    try:
        msgspec.convert(value, form)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True


@cache
def _fields(form: Any) -> Mapping[str, Any]:
    """The types of a form's fields, with what bounds them."""
    hints = get_type_hints(form, include_extras=True)
    return {name: _inner(hint) for name, hint in hints.items()}


def _inner(hint: Any) -> Any:
    """What a field that must be there holds."""
    return get_args(hint)[0] if getattr(get_origin(hint), "_name", "") in ("Required", "NotRequired") else hint
