"""The providers of a house, and which model a selection means."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hd.errors import HdError, ModelUnavailable
from hd.llm.base import Model, Provider


class ModelDiscoveryRejected(HdError):
    """A list of models that cannot be asked for."""

    code = "llm/model-discovery-rejected"


class Providers:
    """Providers by id, in order of preference; the first one's default model is the default of new sessions.

    `usable` says which of them can be used now, which is by their keys; it is asked again by `refresh`. One of them
    always can.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        default_model: str | None = None,
        *,
        usable: Callable[[Provider], bool] = lambda provider: True,
    ) -> None:
        self._all = tuple(providers)
        self._usable = usable
        self._default_model = default_model
        self._preferred: Mapping[str, Any] | None = None
        self._providers: Mapping[str, Provider] = {}
        self.refresh()

    def refresh(self) -> None:
        """Looks again which providers can be used."""
        self._providers = {provider.id: provider for provider in self._all if self._usable(provider)}

    def prefer(self, selection: Mapping[str, Any] | None) -> None:
        """Makes a model the default of new sessions; None takes that back."""
        self._preferred = selection

    def default(self) -> dict[str, Any]:
        """What a new session uses: the preferred model, as long as its provider can be used."""
        if self._preferred is not None and self._preferred.get("provider") in self._providers:
            return self.complete(self._preferred)
        return self.base()

    def base(self) -> dict[str, Any]:
        """What a new session uses when nobody prefers anything."""
        first = next(iter(self._providers.values()))
        chosen = self._default_model if first is self._all[0] else None
        return self.complete({"provider": first.id, "model": chosen or first.default_model})

    def wished(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """The selection that `wish` means, which may name a provider, a model, both or neither of them."""
        default = self.default()
        provider_id = wish.get("provider", default["provider"])
        if "model" in wish:
            return self.complete({"provider": provider_id, "model": wish["model"]})
        if provider_id == default["provider"]:
            return default
        provider = self._providers.get(provider_id)
        return self.complete({"provider": provider_id, "model": provider and provider.default_model})

    def listed(self) -> list[dict[str, str]]:
        return [{"id": provider.id, "name": provider.name} for provider in self._providers.values()]

    async def discover(self, provider_id: str | None) -> list[dict[str, Any]]:
        """The models that a provider offers now, in the shape of `llm/discoverModels`."""
        provider = self._providers.get(provider_id or "")
        if provider is None:
            raise ModelDiscoveryRejected(
                f"There is no provider “{provider_id or ''}” here whose models could be listed."
            )
        listed = await provider.catalogue()
        if listed.failure is not None:
            raise ModelDiscoveryRejected(listed.failure)
        return [
            {
                "id": model.id,
                "name": model.name,
                "contextWindow": model.context_window,
                "maxTokens": model.max_output,
                "inputModalities": ["text"],
            }
            for model in listed.models
        ]

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
            named = {"provider": selection.get("provider"), "model": selection.get("model")}
            raise ModelUnavailable(f"{self._missing(selection)} Another model can be chosen with /model.", named)
        return provider, provider.model(str(selection.get("model")))

    def _missing(self, selection: Mapping[str, Any]) -> str:
        wanted = selection.get("provider")
        known = next((provider for provider in self._all if provider.id == wanted), None)
        if known is None:
            return f"There is no provider “{wanted}” here."
        return f"{known.name} is not asked without an API key; `hd key set` stores one."

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
        for provider in self._all:
            await provider.aclose()


def _wire(model: Model) -> dict[str, Any]:
    wire: dict[str, Any] = {"id": model.id, "name": model.name, "contextWindow": model.context_window}
    if model.description:
        wire["description"] = model.description
    if model.efforts:
        efforts = [{"id": e.id, "name": e.name, "description": e.description} for e in model.efforts]
        wire["reasoning"] = {"efforts": efforts}
        if model.default_effort is not None:
            wire["reasoning"]["defaultEffort"] = model.default_effort
    return wire
