"""What the words of `/sandbox` make of what was chosen before; pure."""

import pytest

from hd.commands.kinds.sandbox import NoSuchHold, chosen
from hd.process.sandbox.plan import Mode
from hd.protocol.projections.sandbox import Hold


@pytest.mark.parametrize(
    ("words", "before", "preset", "hold"),
    [
        ("off", Hold("read-only", False), "workspace-write", Hold("off")),
        ("default", Hold("read-only", False), "workspace-write", Hold()),
        ("read-only", Hold("workspace-write", False), "workspace-write", Hold("read-only", False)),
        ("workspace-write network off", Hold(), "danger-full-access", Hold("workspace-write", False)),
        ("network off", Hold(), "read-only", Hold("read-only", False)),
        ("network off", Hold("read-only"), "danger-full-access", Hold("read-only", False)),
        ("network on", Hold("workspace-write", False), "workspace-write", Hold("workspace-write", True)),
        ("network on", Hold(), "danger-full-access", Hold(None, True)),
    ],
)
def test_what_is_chosen(words: str, before: Hold, preset: Mode, hold: Hold) -> None:
    assert chosen(words.split(), before, preset) == hold


@pytest.mark.parametrize(
    ("words", "before", "preset"),
    [
        ("network off", Hold(), "danger-full-access"),
        ("network off", Hold("off"), "workspace-write"),
        ("off network off", Hold(), "workspace-write"),
        ("default network off", Hold(), "danger-full-access"),
        ("network", Hold(), "workspace-write"),
        ("network maybe", Hold(), "workspace-write"),
        ("read-only workspace-write", Hold(), "workspace-write"),
        ("on", Hold(), "workspace-write"),
    ],
)
def test_what_would_not_be_held_as_it_says_is_refused(words: str, before: Hold, preset: Mode) -> None:
    with pytest.raises(NoSuchHold, match="Nothing was changed"):
        chosen(words.split(), before, preset)
