"""`hd doctor` on a whole, a damaged and a missing database."""

import os
import subprocess
import sys
from pathlib import Path

from hd.errors import DONE, FAILED
from tests.support.daemon import ROOT
from tests.support.poisons import POISONS, SOUND, put
from tests.support.preloaded import PreloadedDaemon


def doctor(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HD_HOME": str(home)}
    command = [sys.executable, "-m", "hd", "doctor", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


async def test_a_damaged_database_is_told_and_repaired_and_its_sessions_come_back(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
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
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
        listed = await daemon.acall("session/list", _request={})
    assert [row["sessionId"] for row in listed["items"]] in ([session], [])


def test_without_a_database_there_is_nothing_to_repair(tmp_path: Path) -> None:
    result = doctor(tmp_path / "home")
    assert (result.returncode, result.stderr) == (DONE, "")
    assert "none yet" in result.stdout


def test_c07_it_says_which_rule_decides_on_a_path(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with PreloadedDaemon(home, arguments=["--demo"]) as daemon:
        rules = {"deny": ["secrets/**", "*.sqlite"], "allow": ["secrets/example.txt"]}
        daemon.call("settings/update", ns="secret-files", patch=rules)
        beside = doctor(home, "--path", str(ROOT / "secrets" / "a.txt"))
    for path, said in (
        ("secrets/a.txt", "rule: secrets/**, of the person's own"),
        ("deep/x.SQLITE", "rule: *.sqlite, of the person's own"),
        ("secrets/example.txt", "open to the file tools, by your exception `secrets/example.txt`"),
        (".env", "rule: .env and .env.*"),
        ("README.md", "open to the file tools; no rule is against it"),
        ("/etc/passwd", "lies outside the workspace"),
        (str(home), "outside"),
    ):
        told = doctor(home, "--path", path)
        assert (told.returncode, told.stderr) == (DONE, "")
        assert said in told.stdout, path
    assert "of the person's own" in beside.stdout


def test_c07_without_a_home_the_rules_of_the_house_decide(tmp_path: Path) -> None:
    told = doctor(tmp_path / "none", "--path", "id_rsa")
    assert (told.returncode, "SSH private keys" in told.stdout) == (DONE, True)
    assert not (tmp_path / "none").exists()


async def test_it_says_what_is_cured_in_logs_and_which_cannot_be_opened(tmp_path: Path) -> None:
    poisoned = {name: POISONS[name] for name in ("a call without a result in the middle", "a message that is a number")}
    closed = [{"type": "turn/start", "seq": None}]
    await put(tmp_path / "home", tmp_path, {"sound": SOUND, **poisoned, "closed": closed})
    database = (tmp_path / "home" / "store" / "hd.db").read_bytes()
    told = doctor(tmp_path / "home")
    assert (told.returncode, told.stderr) == (FAILED, "")
    assert "Logs: 4 sessions." in told.stdout
    assert "Cannot be opened: closed, because it cannot be read (an event needs a text `type`" in told.stdout
    assert "never rewritten: a call without a result in the middle: calls without a result (1)." in told.stdout
    assert "never rewritten: a message that is a number: events that cannot be read whole (1)." in told.stdout
    assert "sound" not in told.stdout
    assert (tmp_path / "home" / "store" / "hd.db").read_bytes() == database
