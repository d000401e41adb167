"""`settings/*`, `credentials/*` and `llm/*` (WIRE 10.4)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Endpoint, Text, unary


class SettingsOp(TypedDict):
    op: Literal["set", "unset"]
    path: list[str]
    value: NotRequired[Any]


class Discovery(TypedDict):
    provider: NotRequired[str]
    baseURL: NotRequired[str]
    api: NotRequired[str]
    apiKey: NotRequired[str]


_EXPECTED = NotRequired[int | None]

ENDPOINTS: tuple[Endpoint, ...] = (
    unary("credentials/describe", refs=list[str]),
    unary("credentials/set", ref=Text, value=str),
    unary("credentials/unset", ref=Text),
    unary("llm/discoverModels", settingsNs=str, request=Discovery),
    unary("llm/listConfigurableProviders"),
    unary("llm/listProviders"),
    unary("settings/describe"),
    unary("settings/mutate", ns=Text, ops=list[SettingsOp], expectedRevision=_EXPECTED),
    unary("settings/replace", ns=Text, section=dict[str, Any], expectedRevision=_EXPECTED),
    unary("settings/update", ns=Text, patch=dict[str, Any], expectedRevision=_EXPECTED),
)
