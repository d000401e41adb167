import pytest

from hd.errors import InputInvalid
from hd.permit.presets import DEFAULT_PRESET, PRESETS, facts, options, preset


def test_the_wire_names_of_the_presets() -> None:
    assert [option["value"] for option in options()] == ["read-only", "workspace-write", "danger-full-access"]
    assert all(set(option) == {"value", "name", "description"} for option in options())
    assert DEFAULT_PRESET in PRESETS


def test_a_new_session_records_three_facts() -> None:
    assert [(fact.type, dict(fact.data)) for fact in facts(preset("workspace-write"))] == [
        ("permission/preset", {"preset": "workspace-write"}),
        ("sandbox/mode", {"mode": "workspace-write"}),
        ("approval/policy", {"policy": "ask"}),
    ]


def test_the_policy_is_recorded_again_only_where_it_changes() -> None:
    kinds = [fact.type for fact in facts(preset("read-only"), preset("workspace-write"))]
    assert kinds == ["permission/preset", "sandbox/mode"]
    last = facts(preset("danger-full-access"), preset("read-only"))[-1]
    assert (last.type, dict(last.data)) == ("approval/policy", {"policy": "never"})


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(InputInvalid, match="workspace-write"):
        preset("yolo")
