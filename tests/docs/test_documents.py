"""The documents say what is: the table of the wire is made of the code, and the example of a client runs."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from hd.protocol.endpoints import ENDPOINTS
from tests.support import wire_doc
from tests.support.daemon import LIMIT, ROOT, Daemon


def test_the_table_of_the_wire_is_the_one_of_the_code() -> None:
    assert wire_doc.TARGET.read_text() == wire_doc.document(), "run `python -m tests.support.wire_doc`"


def test_no_type_is_written_as_python_spells_it() -> None:
    for endpoint in ENDPOINTS:
        assert not re.search(r"typing|Annotated|<class|NotRequired", wire_doc.arguments(endpoint)), endpoint.name


def test_nothing_is_called_senseless_that_is_offered() -> None:
    offered = {endpoint.name for endpoint in ENDPOINTS}
    for name in wire_doc.NOT_HERE:
        assert not [one for one in offered if one == name or one.startswith(f"{name}/")]


async def test_the_example_of_a_client_works(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "client.md").read_text(), re.DOTALL)
    (tmp_path / "example.py").write_text(program)
    (tmp_path / "work").mkdir()
    with Daemon(tmp_path / "home", arguments=["--demo"]) as daemon:
        environment = daemon.environment | {"HTUI_AUTH_DIR": str(tmp_path / "auth"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(tmp_path / "example.py"), str(tmp_path / "work"), "hello"]

        def run() -> "subprocess.CompletedProcess[str]":
            return subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LIMIT * 2, check=False
            )

        ran = await asyncio.to_thread(run)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.strip()
        environment["HTUI_URL"] = "http://127.0.0.1:1"
        refused = await asyncio.to_thread(run)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("Nothing listens at http://127.0.0.1:1.")
