"""The endpoints of the dialect: what hd has of them is called and shaped the same, the rest is answered as missing.

The official list lies beside the repository; where it is not there, the tests that need it say so and are skipped.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import pytest

from hd.protocol.endpoints import ENDPOINTS
from tests.conformance.recorded import MISSING, NEW, OLD
from tests.support import wire_doc
from tests.support.daemon import Daemon
from tests.support.recordings import RECORDINGS

_ENTRY: Final = re.compile(r"^(UNARY|STREAM) +(\S+).*\n +args: \{(.*)\}$", re.MULTILINE)

OTHERWISE: Final[Mapping[str, str]] = {
    "workspaceFiles/changes": "0.2 wants a `path` and 0.1.5 has none, so it may be left out",
    "workspaceFiles/readBytes": "0.2 says `options` and 0.1.5 `range`, so either is taken",
}
"""Endpoints that do not take the very same arguments, and why."""


@dataclass(frozen=True)
class Official:
    """`required` and `optional` are the names of arguments."""

    stream: bool
    required: frozenset[str]
    optional: frozenset[str]


def official(version: str) -> dict[str, Official]:
    path = RECORDINGS / f"endpoints-{version}.txt"
    if not path.exists():
        pytest.skip(MISSING)
    return {name: _official(kind, args) for kind, name, args in _ENTRY.findall(path.read_text())}


def _official(kind: str, args: str) -> Official:
    names = _names(args)
    optional = {name.rstrip("?") for name in names if name.endswith("?")}
    return Official(kind == "STREAM", frozenset(set(names) - {f"{name}?" for name in optional}), frozenset(optional))


def _names(args: str) -> list[str]:
    """The names at the outermost level of `a: {b: string}; c?: number`."""
    found, depth, start = [], 0, 0
    for place, sign in enumerate(f"{args};"):
        depth += (sign in "{[(") - (sign in "}])")
        if sign == ";" and depth == 0:
            found.append(args[start:place].partition(":")[0].strip())
            start = place + 1
    return [name for name in found if name]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_what_hd_has_of_the_dialect_takes_the_same_arguments(version: str) -> None:
    listed = official(version)
    common = [endpoint for endpoint in ENDPOINTS if endpoint.name in listed]
    assert len(common) > 50
    different = {}
    for endpoint in common:
        ours = Official(endpoint.stream, frozenset(endpoint.params) - endpoint.optional, endpoint.optional)
        if ours != listed[endpoint.name]:
            different[endpoint.name] = (ours, listed[endpoint.name])
    assert different.keys() == OTHERWISE.keys(), different


def test_the_names_of_the_dialect_are_those_of_the_official_list() -> None:
    assert wire_doc.official() == official(NEW).keys() | {"$events", "$events/result"}


async def test_what_hd_has_not_is_answered_as_missing_and_stands_in_the_document(tmp_path: Path) -> None:
    names = [name for missing in wire_doc.missing().values() for name in missing]
    document = wire_doc.TARGET.read_text()
    assert not [name for name in names if f"`{name}`" not in document]
    with Daemon(tmp_path / "home", arguments=["--demo"]) as daemon:
        headers = {"Content-Type": "application/json", "Cookie": daemon.cookie}
        for name in names:
            call = {"type": "client-request", "rpcId": "1", "method": name, "payload": {"args": {}}}
            status, _, body = daemon.http("POST", f"/api/{name}", body=msgspec.json.encode(call), headers=headers)
            assert (status, body) == (404, b"not found"), name
        async with daemon.socket() as socket:
            for name in names:
                frame = await (await socket.open(name)).frame()
                assert frame["error"]["code"] == "gateway/invocation-unavailable", name


async def test_every_endpoint_that_hd_has_is_there(tmp_path: Path) -> None:
    """Without arguments each says what it misses, or answers; none is unknown or of the other kind."""
    unknown = {"gateway/invocation-unavailable", "gateway/signature-invalid", "gateway/internal"}
    with Daemon(tmp_path / "home", arguments=["--demo"]) as daemon:
        for endpoint in ENDPOINTS:
            if not endpoint.stream:
                result = daemon.result(endpoint.name)
                assert result["ok"] or result["error"]["code"] not in unknown, endpoint.name
        async with daemon.socket() as socket:
            for endpoint in ENDPOINTS:
                if endpoint.stream:
                    frame = await (await socket.open(endpoint.name)).frame()
                    assert frame["type"] == "item" or frame["error"]["code"] not in unknown, endpoint.name
