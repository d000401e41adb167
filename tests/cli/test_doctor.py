"""`hd doctor` on a whole, a damaged and a missing database."""

import os
import subprocess
import sys
from pathlib import Path

from hd.errors import DONE, FAILED
from tests.support.daemon import ROOT, Daemon


def doctor(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HD_HOME": str(home)}
    command = [sys.executable, "-m", "hd", "doctor", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


async def test_a_damaged_database_is_told_and_repaired_and_its_sessions_come_back(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    with Daemon(home, arguments=["--demo"]) as daemon:
        session = await daemon.new_session(folder)
        busy = doctor(home, "--repair")
        assert busy.returncode == FAILED
        assert daemon.process is not None
        assert "runs already at" in busy.stderr
    assert doctor(home).returncode == DONE
    database = home / "store" / "hd.db"
    content = database.read_bytes()
    database.write_bytes(content[:-4096] + b"\xff" * 4096)
    told = doctor(home)
    repaired = doctor(home, "--repair")
    assert (told.returncode, told.stderr) == (FAILED, "")
    assert "damaged" in told.stdout or "cannot be used" in told.stdout
    assert "The old one is kept as" in repaired.stdout
    assert doctor(home).returncode == DONE
    with Daemon(home, arguments=["--demo"]) as daemon:
        listed = await daemon.acall("session/list", _request={})
    assert [row["sessionId"] for row in listed["items"]] in ([session], [])


def test_without_a_database_there_is_nothing_to_repair(tmp_path: Path) -> None:
    result = doctor(tmp_path / "home")
    assert (result.returncode, result.stderr) == (DONE, "")
    assert "none yet" in result.stdout
