"""`settings/*`, `credentials/*`, `llm/*`: what can be changed while the daemon runs (WIRE 10.4)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import KEY
from tests.support.daemon import Daemon
from tests.support.preloaded import PreloadedDaemon

PRO = {"provider": "deepseek-official", "model": "deepseek-v4-pro", "reasoningEffort": "max"}
REF = "DEEPSEEK_API_KEY"


@pytest.fixture
def keyless(model_url: str, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon without a key: only the demo model answers."""
    with PreloadedDaemon(tmp_path / "home", environment={"DEEPSEEK_BASE_URL": model_url}) as daemon:
        yield daemon


def namespace(daemon: Daemon, name: str) -> dict[str, Any]:
    return next(one for one in daemon.call("settings/describe")["namespaces"] if one["ns"] == name)


def emitted(event: str, *args: Any) -> Any:
    return lambda item: item.get("event") == event and item["args"] == list(args)


async def selection(daemon: Daemon, session: str) -> Any:
    return (await daemon.acall("session/projections", request={"sessionId": session}))["values"]["modelSelection"]


async def test_the_model_that_was_chosen_last_is_that_of_new_sessions(own: Daemon, folder: Path) -> None:
    session = await own.new_session(folder)
    base = namespace(own, "agent-default-model")
    assert (base["revision"], base["user"], base["base"]) == (0, {}, base["value"])
    async with own.socket() as socket:
        events = await socket.open("$events")
        await events.item()
        selected = await own.acall("session/selectModel", request={"sessionId": session, **PRO})
        assert selected == {"selected": PRO}
        await events.until(emitted("settings/document-updated", "agent-default-model", 1))
    assert own.call("session/modelCatalog")["default"] == PRO
    chosen = namespace(own, "agent-default-model")
    assert (chosen["revision"], chosen["user"], chosen["value"], chosen["base"]) == (1, PRO, PRO, base["base"])
    own.stop()
    own.start()
    assert own.call("session/modelCatalog")["default"] == PRO
    assert own.call("settings/replace", ns="agent-default-model", section={})["revision"] == 2
    assert own.call("session/modelCatalog")["default"] == base["base"]


async def test_the_environment_says_at_the_start_which_model_it_is(own: Daemon) -> None:
    own.call("settings/replace", ns="agent-default-model", section=PRO)
    own.stop()
    own.environment["HD_MODEL"] = "deepseek-v4-flash"
    own.start()
    assert own.call("session/modelCatalog")["default"]["model"] == "deepseek-v4-flash"
    view = own.call("settings/update", ns="agent-default-model", patch=PRO, expectedRevision=1)
    assert view["revision"] == 2
    assert own.call("session/modelCatalog")["default"] == PRO


async def test_a_new_session_begins_with_the_default_preset(own: Daemon, folder: Path) -> None:
    view = own.call("settings/update", ns="permission", patch={"defaultPreset": "read-only"}, expectedRevision=0)
    assert (view["value"], view["revision"], view["applies"]) == ({"defaultPreset": "read-only"}, 1, "live")
    session = await own.new_session(folder)
    values = own.call("session/projections", request={"sessionId": session})["values"]
    assert values["permissions"]["currentValue"] == "read-only"
    ops = [{"op": "unset", "path": ["defaultPreset"]}]
    assert own.call("settings/mutate", ns="permission", ops=ops)["value"] == {"defaultPreset": "workspace-write"}
    ops = [{"op": "set", "path": ["defaultPreset"], "value": "danger-full-access"}]
    assert own.call("settings/mutate", ns="permission", ops=ops)["revision"] == 3
    assert own.call("settings/update", ns="permission", patch={"defaultPreset": None})["user"] == {}
    # Nothing new, so nothing is told and the revision stays.
    assert own.call("settings/update", ns="permission", patch={})["revision"] == 4


@pytest.mark.parametrize(
    ("call", "args", "code"),
    [
        ("update", {"ns": "nope", "patch": {}}, "settings/rejected"),
        ("update", {"ns": "permission", "patch": {"bogus": 1}}, "settings/rejected"),
        ("update", {"ns": "permission", "patch": {"defaultPreset": "yolo"}}, "settings/rejected"),
        ("update", {"ns": "permission", "patch": {}, "expectedRevision": 77}, "settings/conflict"),
        ("replace", {"ns": "agent-default-model", "section": {"model": "x"}}, "settings/rejected"),
        ("replace", {"ns": "agent-default-model", "section": {**PRO, "provider": "nope"}}, "settings/rejected"),
        ("replace", {"ns": "agent-default-model", "section": {**PRO, "reasoningEffort": "x"}}, "settings/rejected"),
        ("mutate", {"ns": "permission", "ops": [{"op": "set", "path": [], "value": 1}]}, "settings/rejected"),
        ("mutate", {"ns": "permission", "ops": [{"op": "set", "path": ["a", "b"], "value": 1}]}, "settings/rejected"),
        ("mutate", {"ns": "permission", "ops": [{"op": "move", "path": ["a"]}]}, "gateway/input-invalid"),
        ("update", {"ns": "permission", "patch": []}, "gateway/input-invalid"),
        ("update", {"ns": "permission"}, "gateway/arguments-invalid"),
    ],
)
def test_a_change_that_cannot_be_is_refused_as_a_whole(
    shared: Daemon, call: str, args: dict[str, Any], code: str
) -> None:
    before = shared.call("settings/describe")
    error = shared.result(f"settings/{call}", **args)["error"]
    assert error["code"] == code
    if code == "settings/conflict":
        assert error["details"] == {
            "ns": "permission",
            "expected": 77,
            "actual": namespace(shared, "permission")["revision"],
        }
    elif code == "settings/rejected":
        assert error["details"] == {"ns": args["ns"]}
    assert shared.call("settings/describe") == before


async def test_a_key_is_set_and_removed_and_never_given_out(keyless: Daemon, folder: Path) -> None:
    assert [one["id"] for one in keyless.call("llm/listProviders")] == ["demo"]
    assert keyless.call("credentials/describe", refs=[REF, "NOPE"]) == {
        REF: {"configured": False, "writable": True},
        "NOPE": {"configured": False, "writable": False},
    }
    async with keyless.socket() as socket:
        events = await socket.open("$events")
        await events.item()
        assert await keyless.acall("credentials/set", ref=REF, value="sk-set-over-the-wire") is None
        await events.until(emitted("credentials/reference-updated", REF))
        await events.until(emitted("llm/adapters-updated"))
    said = keyless.call("credentials/describe", refs=[REF])
    assert said == {REF: {"configured": True, "source": "store", "writable": True}}
    assert [one["id"] for one in keyless.call("llm/listProviders")] == ["deepseek-official", "demo"]
    assert keyless.call("session/modelCatalog")["default"]["provider"] == "deepseek-official"
    for ref, value in ((REF, ""), (REF, "two words"), ("NOPE", "x")):
        error = keyless.result("credentials/set", ref=ref, value=value)["error"]
        assert (error["code"], error["details"]) == ("credential/rejected", {"ref": ref})
    keyless.stop()
    keyless.start()
    assert keyless.call("credentials/describe", refs=[REF])[REF]["configured"] is True
    keyless.call("credentials/unset", ref=REF)
    assert keyless.call("credentials/describe", refs=[REF])[REF]["configured"] is False
    assert [one["id"] for one in keyless.call("llm/listProviders")] == ["demo"]
    assert "sk-set-over-the-wire" not in keyless.log_text()


def test_a_key_of_the_environment_is_changed_there(shared: Daemon) -> None:
    said = shared.call("credentials/describe", refs=[REF])
    assert said == {REF: {"configured": True, "source": "env", "writable": False}}
    for call, args in (("set", {"ref": REF, "value": "sk-other"}), ("unset", {"ref": REF})):
        assert shared.result(f"credentials/{call}", **args)["error"]["code"] == "credential/rejected"
    assert KEY not in str(shared.call("settings/describe"))


def test_the_models_of_a_provider_are_discovered(shared: Daemon) -> None:
    request = {"provider": "deepseek-official"}
    found = shared.call("llm/discoverModels", settingsNs="agent-default-model", request=request)
    assert "deepseek-v4-pro" in [model["id"] for model in found]
    assert all(model["contextWindow"] > 0 and model["inputModalities"] == ["text"] for model in found)
    for bad in ({}, {"provider": "nope"}, {**request, "baseURL": "http://127.0.0.1:1"}, {**request, "apiKey": "sk-x"}):
        error = shared.result("llm/discoverModels", settingsNs="x", request=bad)["error"]
        assert error["code"] == "llm/model-discovery-rejected"
    assert shared.call("llm/listConfigurableProviders") == []
