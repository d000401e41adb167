"""The providers of a house, and which model a selection means."""

from collections.abc import Mapping, Sequence
from typing import Any

from hd.errors import ModelUnavailable
from hd.llm.base import Model, Provider


class Providers:
    """Providers by id, in order of preference; the first one's default model is the default of new sessions."""

    def __init__(self, providers: Sequence[Provider], default_model: str | None = None) -> None:
        self._providers = {provider.id: provider for provider in providers}
        self._first = providers[0]
        self._default_model = default_model or self._first.default_model

    def default(self) -> dict[str, Any]:
        return self.complete({"provider": self._first.id, "model": self._default_model})

    def complete(self, selection: Mapping[str, Any]) -> dict[str, Any]:
        """The selection with the effort filled in where the model thinks; `ModelUnavailable` without that provider."""
        provider, model = self.resolve(selection)
        complete = {"provider": provider.id, "model": model.id}
        effort = selection.get("reasoningEffort") or model.default_effort
        if model.efforts and effort is not None:
            if effort not in {known.id for known in model.efforts}:
                named = {"provider": provider.id, "model": model.id}
                raise ModelUnavailable(f"The model {model.id} has no effort “{effort}”.", named)
            complete["reasoningEffort"] = effort
        return complete

    def resolve(self, selection: Mapping[str, Any]) -> tuple[Provider, Model]:
        provider = self._providers.get(str(selection.get("provider")))
        if provider is None:
            raise ModelUnavailable(
                f"There is no provider “{selection.get('provider')}” here. Choose another model with /model.",
                {"provider": selection.get("provider"), "model": selection.get("model")},
            )
        return provider, provider.model(str(selection.get("model")))

    async def catalogue(self) -> dict[str, Any]:
        """The value of `session/modelCatalog` (WIRE 10)."""
        groups, failures = [], []
        for provider in self._providers.values():
            listed = await provider.catalogue()
            groups.append(
                {"id": provider.id, "name": provider.name, "models": [_wire(model) for model in listed.models]}
            )
            if listed.failure is not None:
                failures.append({"id": provider.id, "name": provider.name, "message": listed.failure})
        return {
            "default": self.default(),
            "routableProviders": list(self._providers),
            "groups": groups,
            "failures": failures,
        }

    async def warm(self) -> None:
        for provider in self._providers.values():
            await provider.warm()

    async def aclose(self) -> None:
        for provider in self._providers.values():
            await provider.aclose()


def _wire(model: Model) -> dict[str, Any]:
    wire: dict[str, Any] = {"id": model.id, "name": model.name}
    if model.description:
        wire["description"] = model.description
    if model.efforts:
        efforts = [{"id": e.id, "name": e.name, "description": e.description} for e in model.efforts]
        wire["reasoning"] = {"efforts": efforts}
        if model.default_effort is not None:
            wire["reasoning"]["defaultEffort"] = model.default_effort
    return wire
