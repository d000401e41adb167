"""Some five hundred commands with the verdict of each preset and of plan mode."""

import json
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from hd.permit.look import DiskLook
from hd.permit.policy import Allow, Ask, Verdict, decide
from hd.permit.presets import PresetName
from hd.permit.reading import doubt
from hd.tools.base import Access, Plan
from tests.permit.ground import workspace

TABLE = Path(__file__).with_name("verdicts.tsv")
PRESETS: tuple[PresetName, ...] = ("read-only", "workspace-write", "danger-full-access")


def name(verdict: Verdict) -> str:
    return "allow" if isinstance(verdict, Allow) else "ask" if isinstance(verdict, Ask) else "deny"


def rows() -> list[tuple[list[str], str]]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    parts = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(part[:4], json.loads(part[4])) for part in parts]


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> DiskLook:
    return DiskLook(workspace(tmp_path_factory.mktemp("ground")))


def test_d09_every_command_gets_its_verdict(look: DiskLook) -> None:
    wrong = []
    for wanted, command in rows():
        plan = Plan(Access.EXECUTE, "run", detail=command)
        judged = partial(decide, plan=plan, workspace=look.files.root, doubt=partial(doubt, look=look))
        got = [name(judged(preset)) for preset in PRESETS] + [name(judged("workspace-write", planning=True))]
        if got != wanted:
            wrong.append((command, wanted, got, str(doubt(command, look))))
    assert wrong == [], "\n".join(map(str, wrong))


def test_the_table_is_large_and_says_nothing_twice() -> None:
    commands = [command for _, command in rows()]
    assert len(commands) >= 300
    assert [command for command, count in Counter(commands).items() if count > 1] == []
