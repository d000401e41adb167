"""The endpoints: name, argument types, unary or stream (WIRE 2 to 10).

The table is the one description of the surface: the server checks arguments against it, the client library calls by
it, and `docs/wire.md` is made from it. Types are `TypedDict`s with the names of the wire; unknown fields inside a
request are ignored, unknown argument names are refused. Each namespace is a module with its part of the table.
"""

from collections.abc import Mapping

from hd.protocol.endpoints import (
    agent_presets,
    commands,
    directory_picker,
    feedback,
    files,
    goals,
    host,
    jobs,
    money,
    permission_rules,
    processes,
    questions,
    sessions,
    settings,
    sharing,
    subagents,
    undo,
    uploads,
    workspaces,
)
from hd.protocol.endpoints.shape import Endpoint

_PARTS: tuple[tuple[Endpoint, ...], ...] = (
    agent_presets.ENDPOINTS,
    commands.ENDPOINTS,
    directory_picker.ENDPOINTS,
    feedback.ENDPOINTS,
    files.ENDPOINTS,
    goals.ENDPOINTS,
    host.ENDPOINTS,
    jobs.ENDPOINTS,
    money.ENDPOINTS,
    permission_rules.ENDPOINTS,
    processes.ENDPOINTS,
    questions.ENDPOINTS,
    sessions.ENDPOINTS,
    settings.ENDPOINTS,
    sharing.ENDPOINTS,
    subagents.ENDPOINTS,
    undo.ENDPOINTS,
    uploads.ENDPOINTS,
    workspaces.ENDPOINTS,
)

ENDPOINTS: tuple[Endpoint, ...] = tuple(sorted((e for part in _PARTS for e in part), key=lambda e: e.name))
"""All of them, sorted by name."""

BY_NAME: Mapping[str, Endpoint] = {endpoint.name: endpoint for endpoint in ENDPOINTS}
