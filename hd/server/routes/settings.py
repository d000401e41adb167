"""`settings/*`, `credentials/*` and `llm/*`: what can be changed while the daemon runs."""

from collections.abc import Sequence
from typing import Any

from hd.llm.providers import ModelDiscoveryRejected
from hd.protocol.endpoints import settings as ep
from hd.server.rpc import NOTHING, Stream, Unary
from hd.server.services import Services


class SettingsRoutes:
    def __init__(self, services: Services) -> None:
        self._document = services.settings
        self._credentials = services.credentials
        self._providers = services.providers

    def unary(self) -> dict[str, Unary]:
        return {
            "credentials/describe": self.credentials,
            "credentials/set": self.set_credential,
            "credentials/unset": self.unset_credential,
            "llm/discoverModels": self.discover,
            "llm/listConfigurableProviders": self.configurable,
            "llm/listProviders": self.providers,
            "settings/describe": self.describe,
            "settings/mutate": self.mutate,
            "settings/replace": self.replace,
            "settings/update": self.update,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def credentials(self, refs: Sequence[str]) -> dict[str, Any]:
        return await self._credentials.described(refs)

    async def set_credential(self, ref: str, value: str) -> Any:
        await self._credentials.set(ref, value)
        return NOTHING

    async def unset_credential(self, ref: str) -> Any:
        await self._credentials.unset(ref)
        return NOTHING

    async def discover(self, settingsNs: str, request: ep.Discovery) -> list[dict[str, Any]]:  # noqa: N803
        """The models of a provider that is set up here; the daemon asks no address that a client names."""
        if request.get("baseURL") or request.get("apiKey"):
            raise ModelDiscoveryRejected("Models are listed only of the providers that this daemon was set up with.")
        return await self._providers.discover(request.get("provider"))

    async def configurable(self) -> list[dict[str, Any]]:
        """No provider has settings of its own: its key is a credential, its address a matter of the environment."""
        return []

    async def providers(self) -> list[dict[str, str]]:
        return self._providers.listed()

    async def describe(self) -> dict[str, Any]:
        return self._document.described()

    async def update(self, ns: str, patch: dict[str, Any], expectedRevision: int | None = None) -> dict[str, Any]:  # noqa: N803
        return await self._document.update(ns, patch, expectedRevision)

    async def replace(self, ns: str, section: dict[str, Any], expectedRevision: int | None = None) -> dict[str, Any]:  # noqa: N803
        return await self._document.replace(ns, section, expectedRevision)

    async def mutate(
        self,
        ns: str,
        ops: list[ep.SettingsOp],
        expectedRevision: int | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        return await self._document.mutate(ns, ops, expectedRevision)
