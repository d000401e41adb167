"""The rules hold, and each of them notices when it is broken."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arch.rules import RULES, exceptions

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule: str) -> None:
    allowed = exceptions(ROOT)
    assert [place for place in RULES[rule](ROOT) if f"{rule} {place}" not in allowed] == []


def test_every_exception_is_still_needed() -> None:
    broken = {f"{rule} {place}" for rule, find in RULES.items() for place in find(ROOT)}
    assert set(exceptions(ROOT)) <= broken


BREAKS = {
    "home": (
        "hd/homely.py",
        '"""Doc."""\nfrom pathlib import Path\ndef f(text):\n    return Path(text).expanduser()\n',
    ),
    "long": ("hd/endless.py", '"""Doc."""\n' + "x = 1\n" * 400),
    "name": ("hd/session/session_utils.py", '"""Doc."""\n'),
    "docstring": ("hd/bare.py", "x = 1\n"),
    "heavy": ("hd/eager.py", '"""Doc."""\nimport cryptography\n'),
    "sql": ("hd/agent/rows.py", '"""Doc."""\nQ = "SELECT a FROM b"\n'),
    "log": ("hd/agent/second.py", '"""Doc."""\ndef f(store):\n    store.append("s", [])\n'),
    "write": ("hd/agent/side.py", '"""Doc."""\ndef f(path):\n    path.write_text("x")\n'),
    "sleep": ("tests/test_lazy.py", "import time\ntime.sleep(1)\n"),
}


@pytest.mark.parametrize("rule", BREAKS)
def test_a_break_on_purpose_is_found(rule: str, tmp_path: Path) -> None:
    place, text = BREAKS[rule]
    for package in ("hd", "htui", "pricing", "tests"):
        (tmp_path / package).mkdir()
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    assert RULES[rule](tmp_path) == []
    (tmp_path / place).write_text(text)
    assert any(found.startswith(place) for found in RULES[rule](tmp_path))


def _contracts(root: Path) -> subprocess.CompletedProcess[str]:
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        "--config",
        str(root / "pyproject.toml"),
        "--no-cache",
    ]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(root)})


@pytest.mark.long
def test_the_import_contracts_hold() -> None:
    result = _contracts(ROOT)
    assert result.returncode == 0, result.stdout


IMPORTS = {
    "htui imports nothing of hd but hd.protocol and hd.billing": ("htui/sneaky.py", "import hd.errors\n"),
    "hd.protocol knows nobody and does no I/O": ("hd/protocol/sneaky.py", "import asyncio\n"),
    "the session knows no model, tool or agent": ("hd/session/sneaky.py", "import hd.llm.base\n"),
    "billing knows logs and prices and nobody else": ("hd/billing/sneaky.py", "import hd.ledger.books\n"),
    "pricing knows nobody": ("pricing/sneaky.py", "import hd.protocol\n"),
}


@pytest.mark.long
@pytest.mark.parametrize("contract", IMPORTS)
def test_a_forbidden_import_breaks_its_contract(contract: str, tmp_path: Path) -> None:
    place, text = IMPORTS[contract]
    for package in ("hd", "htui", "pricing"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / place).write_text(text)
    result = _contracts(tmp_path)
    assert result.returncode != 0
    assert f"{contract} BROKEN" in result.stdout


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_the_protocol_loads_neither_asyncio_nor_sockets() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / "hd/protocol").rglob("*.py")
    ]
    loaded = _modules_after("import " + ", ".join(names))
    assert loaded & {"asyncio", "socket", "ssl", "sqlite3", "aiohttp", "websockets"} == set()
    assert {name for name in loaded if name.startswith(("hd.", "htui", "pricing"))} == {
        name for name in loaded if name.startswith("hd.protocol")
    }


def test_pricing_alone_is_light() -> None:
    loaded = _modules_after("import pricing")
    assert loaded & {"asyncio", "holidays", "hd", "htui", "msgspec"} == set()
