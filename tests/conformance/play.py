"""One scenario from its beginning to its list of differences: a daemon, a model, a replay."""

import tempfile
from pathlib import Path
from typing import Final

from tests.conformance.differences import INSTEAD, left_out, will_not_come
from tests.conformance.played import Played
from tests.conformance.recorded import NEW, OLD, rows
from tests.conformance.replay import Plan, Replay
from tests.support.daemon import Daemon
from tests.support.mock_model import MockModel

NUMBERS: Final = {NEW: "021", OLD: "015"}
"""By which number the recorded folders are called."""

LEFT_FROM_BEFORE: Final = {(NUMBERS[OLD], "06_file_tools"): ("new.txt",)}
"""Files that lay there when it was recorded: 0.1.5 refuses to write one that was not read."""


def plan_of(version: str, name: str) -> Plan:
    """What the list of allowed differences means for a replay: nobody waits for what will not come."""
    instead = {row: outcome for (*where, row), (outcome, _) in INSTEAD.items() if where == [version, name]}
    return Plan(will_not_come(version, name), left_out(version, name), instead)


async def play(version: str, name: str) -> Played:
    """Replays the recording against a daemon of its own, whose model follows the same commands."""
    recording = rows(version, name)
    with tempfile.TemporaryDirectory(prefix="hd-") as folder:
        root = Path(folder).resolve()
        number = NUMBERS[version]
        places = _scene(root, number, name)
        async with MockModel(strict=False) as model:
            environment = {
                "DEEPSEEK_API_KEY": "sk-conformance",
                "DEEPSEEK_BASE_URL": model.base_url,
                "HOME": str(root / "dev" / f"home-{number}"),
            }
            daemon = Daemon(root / "hd", environment=environment)
            with daemon:
                return await Replay(daemon, places + _ports(daemon.port), plan_of(version, name)).run(recording)


def _ports(port: int) -> list[tuple[str, str]]:
    """The addresses under which the recorded servers were reached."""
    return [(f"{host}:{was}", f"{host}:{port}") for host in ("127.0.0.1", "localhost") for was in (4015, 4021, 4116)]


def _scene(folder: Path, number: str, name: str) -> list[tuple[str, str]]:
    """A project and a home as the recordings had them, and where they are: (recorded path, live path)."""
    project = folder / "dev" / f"proj-{number}"
    for made in (folder / "dev" / f"home-{number}", folder / "dev" / "rproj", project, project / "wa", project / "wb"):
        made.mkdir(parents=True)
    (project / "demo.txt").write_text("alpha\nbeta\ngamma\n")
    for left in LEFT_FROM_BEFORE.get((number, name), ()):
        (project / left).write_text("from an earlier recording\n")
    return [("/home/dev", str(folder / "dev"))]
