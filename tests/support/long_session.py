"""A long session in which everything happens that may change a request: for the test of law 2, and for the benchmark.

The house is a real one in this process, with a date and a source of sections that the play sets; the model is the
strict mock on a real socket. `python -m tests.support.long_session` plays it once and prints what came of it.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from hd.compose import House, open_house
from hd.config.settings import Settings
from hd.permit.presets import facts, preset
from hd.prompt.guidance import GUIDANCE_KIND
from hd.protocol.events import Event
from hd.server.rpc import Personal
from hd.session.live import LiveSession
from tests.support.mock_model import Call, MockModel, Recorded, Reply
from tests.support.prefix_cache import hit_ratio

TURNS = 20
"""Of three requests each; the summary of the compaction is one more."""

COMPACTED_AFTER = 13

PROMPTS = {
    3: "Run src/app.py with pytest.",
    6: "Fix the build error, it does not compile.",
    9: "Now the same for go.mod and main.go.",
    12: "Start the server on port 8000 with npm run dev.",
    16: "And package.json with the TypeScript in web/app.ts.",
}


@dataclass(slots=True)
class Play:
    """What was sent and logged. `breaks` are the places of the requests behind a compaction."""

    requests: list[Recorded] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    cache: Mapping[str, Any] = field(default_factory=dict)

    def ratio(self) -> float:
        return hit_ratio((request.lasting for request in self.requests), self.breaks)

    def ratio_anew(self) -> float:
        """The same, had the guidance that counts at each request stood in its system message."""
        told = {
            event.data["content"][0]["text"]
            for event in self.events
            if event.type == "user/message" and event.data["source"].get("kind") == GUIDANCE_KIND
        }
        return hit_ratio((_with_guidance_in_front(request.parsed, told) for request in self.requests), self.breaks)


def _with_guidance_in_front(parsed: Mapping[str, Any], told: set[str]) -> bytes:
    system, *others = parsed["messages"]
    guidance = sorted(message["content"] for message in others if message["content"] in told)
    front = {**system, "content": "\n\n".join([system["content"], *guidance])}
    kept = [message for message in others if message["content"] not in told]
    return msgspec.json.encode({"tools": parsed.get("tools"), "messages": [front, *kept]})


class Stage:
    """The house, one session in it, and what its surroundings are made of."""

    def __init__(self, mock: MockModel, folder: Path) -> None:
        self.mock = mock
        self.folder = folder
        self.day = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
        self.notes: dict[str, str] = {}
        self.house: House
        self.session: LiveSession

    def now(self) -> datetime:
        return self.day

    def source(self, _session: LiveSession) -> Mapping[str, str]:
        return self.notes

    async def call(self, endpoint: str, **request: Any) -> None:
        route = self.house.unary[endpoint]
        assert not isinstance(route, Personal)
        await route(request={"sessionId": self.session.id, **request})

    async def command(self, line: str) -> None:
        ran = await self.house.services.commands.execute(self.house.services.agents.of(self.session), line)
        assert ran is not None, line
        assert ran.said.ok, ran.said.text

    async def turn(self, number: int, *, writes: bool) -> None:
        first = [Call("read_file", {"path": "src/app.py"}), Call("grep", {"pattern": "def "})]
        made = [Call("write_file", {"path": f"src/made_{number}.py", "content": f"x = {number}\n" * 40})]
        look = [Call("run_command", {"command": f"echo {number} && wc -l src/app.py"})]
        self.mock.add(
            Reply(reasoning=f"Let me look ({number}).", calls=first),
            Reply(calls=made if writes else [Call("list_files", {"path": "src"})] if number % 2 else look),
            Reply(reasoning="That is all.", text=f"Turn {number} is done. " * 20),
        )
        prompt = PROMPTS.get(number, f"Go on with part {number}. " + "The details do not matter here. " * 20)
        content = [{"type": "text", "text": prompt}]
        await self.call("session/prompt", requestId=f"r{number}", mode="queue", content=content)
        async with asyncio.timeout(60):
            while self.session.holds.count > 1:
                await asyncio.sleep(0)
        assert not self.session.value("turn").running


async def play(root: Path) -> Play:
    """The whole session, in a home and a folder below `root`."""
    folder = root / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/app.py").write_text("def run():\n    return 1\n" * 50)
    (folder / "README.md").write_text("# A small program\n")
    made = Play()
    async with MockModel() as mock, _stage(mock, root / "home", folder) as stage:
        for number in range(1, TURNS + 1):
            await _between(stage, number)
            await stage.turn(number, writes=number in (2, 8, 11, 17))
            if number == COMPACTED_AFTER:
                mock.add(Reply(text="What was done so far, in short. " * 10))
                mock.reset_prefix()
                await stage.command("/compact")
                mock.reset_prefix()
                made.breaks.append(len(mock.requests))
        made.requests, made.violations = mock.requests, mock.violations
        made.cache = stage.session.view("cache")
        await stage.session.written()
        bodies = await stage.house.services.registry.store.events(
            stage.session.id, from_seq=0, to_seq=stage.session.state.seq
        )
        made.events = [Event.from_wire(msgspec.json.decode(body)) for body in bodies]
    return made


async def _between(stage: Stage, number: int) -> None:
    """What people, other programs and the clock do in front of a turn."""
    folder = stage.folder
    match number:
        case 2:
            (folder / "notes.txt").write_text("made by hand")
        case 3:
            await stage.command("/plan")
        case 4:
            await stage.command("/plan off")
        case 5:
            await stage.command("/permission read-only")
        case 6:
            await stage.command("/permission danger-full-access")
        case 7:
            await stage.call("session/selectModel", **_model("max"))
        case 8:
            await stage.call("session/selectModel", **_model("off"))
        case 9:
            await stage.command("/undo 8")
        case 10 | 15:
            stage.day += timedelta(days=1)
        case 11:
            stage.notes["Remembered"] = "The person likes short answers."
        case 12:
            (folder / "notes.txt").rename(folder / "src/notes.txt")
            (folder / "README.md").unlink()
        case 14:
            stage.notes["Remembered"] = "The person likes short answers; tests are run with `make test`."
        case 16:
            await stage.call("session/selectModel", **_model("high"))
        case 17:
            for place in range(120):
                (folder / f"many_{place}.txt").touch()
        case 18:
            stage.notes.clear()


def _model(effort: str) -> dict[str, str]:
    return {"provider": "deepseek-official", "model": "deepseek-flash", "reasoningEffort": effort}


@asynccontextmanager
async def _stage(mock: MockModel, home: Path, folder: Path) -> AsyncIterator[Stage]:
    stage = Stage(mock, folder)
    environment = {
        "HD_HOME": str(home),
        "DEEPSEEK_API_KEY": "sk-long-session",
        "DEEPSEEK_BASE_URL": mock.base_url,
        "HD_TITLES": "off",
    }
    settings = Settings.from_environment(environment)
    settings.home.prepare()
    async with open_house(settings, environment, demo=False, now=stage.now, sources=(stage.source,)) as house:
        stage.house = house
        header = await house.services.registry.create(cwd=str(folder), opening=facts(preset("danger-full-access")))
        async with house.services.registry.hold(header.id) as session:
            stage.session = session
            yield stage


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="hd-long-session-") as root:
        made = asyncio.run(play(Path(root)))
    print(f"{len(made.requests)} requests, {len(made.violations)} violations, compacted in front of {made.breaks}")
    print(f"read of what was sent before: {made.ratio():.4%}; with guidance chosen anew: {made.ratio_anew():.4%}")


if __name__ == "__main__":
    main()
