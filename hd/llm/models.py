"""The models that are known without asking, and how a provider's own list is put together with them. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hd.llm.base import Effort, Model

EFFORTS: Final = (
    Effort("off", "Off", "Answers at once, without thinking first."),
    Effort("low", "Low", "Thinks briefly; for plain changes and questions."),
    Effort("high", "High", "Thinks a task through; the usual choice."),
    Effort("max", "Max", "Thinks as long as it takes; for hard problems, slow and dear."),
)
CONTEXT_WINDOW: Final = 1_000_000
MAX_OUTPUT: Final = 384_000
UNKNOWN_WINDOW: Final = 128_000
LEAST_WINDOW: Final = 8_192
"""A listed window below this is not believed: not even the system prompt and the tools would fit."""


def _model(model_id: str, name: str, description: str) -> Model:
    return Model(
        id=model_id,
        name=name,
        context_window=CONTEXT_WINDOW,
        max_output=MAX_OUTPUT,
        description=description,
        efforts=EFFORTS,
        default_effort="high",
    )


BUILT_IN: Final = (
    _model("deepseek-flash", "DeepSeek Flash", "Fast and cheap, for everyday work. Always the newest Flash version."),
    _model("deepseek-v4-flash", "DeepSeek V4 Flash", "The older name of Flash, served by its newest version."),
    _model(
        "deepseek-v4-pro", "DeepSeek V4 Pro", "The large model, for difficult work; several times the price of Flash."
    ),
)
DEFAULT: Final = BUILT_IN[0]
CHEAP: Final = BUILT_IN[0]


_WINDOW_NAMES: Final = ("context_length", "max_model_len", "context_window", "max_context_length")
"""Where servers that speak the same protocol say how long a context may be; DeepSeek's own list does not say it."""


def unlisted(model_id: str) -> Model:
    """A model of which only the name is known: a careful window, and no bound on its answers but the provider's."""
    return replace(DEFAULT, id=model_id, name=model_id, description="", context_window=UNKNOWN_WINDOW, max_output=None)


def with_listed(listed: Mapping[str, int | None]) -> tuple[Model, ...]:
    """The built-in models and after them, by name, those that the provider lists besides; with the windows it tells."""
    known = {model.id for model in BUILT_IN}
    found = (*BUILT_IN, *(unlisted(model_id) for model_id in sorted(listed.keys() - known)))
    return tuple(replace(model, context_window=listed.get(model.id) or model.context_window) for model in found)


def windows_of(answer: Any) -> dict[str, int | None]:
    """The ids in the answer of `GET /models` with their context windows, None where it tells none.

    ValueError when it is no list of models.
    """
    rows = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list):
        raise ValueError("no list of models")
    named = [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str) and row["id"]]
    return {row["id"]: next(filter(_is_window, map(row.get, _WINDOW_NAMES)), None) for row in named}


def _is_window(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= LEAST_WINDOW
