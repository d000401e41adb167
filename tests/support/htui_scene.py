"""`python -m tests.support.htui_scene NAME`: htui on this terminal with a scripted link, for the PTY tests."""

import asyncio
import os
import sys
from pathlib import Path

from htui.app import HtuiApp
from htui.composer.store import DraftStore
from htui.copying.clipboard import Clipboard
from htui.folders import state_folder
from htui.link.changes import LinkStatus
from htui.pace import Pace, wish_of
from htui.paint.driver import TerminalDriver
from htui.running import run
from htui.screens.spending import Places
from htui.theme import choose
from tests.support.scripted import SESSION, Scene, ScriptedLink

PACE = 0.02
"""Seconds between two words."""

WORDS = (
    "The parser reads one token after the other and keeps the place of each, so that an error can say where it stands. "
    "When it meets a name that it does not know it looks one token ahead and decides between a call and a reference. "
)


async def chat(link: ScriptedLink) -> None:
    """Online, an empty session, and an echo of every prompt."""
    log = link.log()

    def prompted(request: dict[str, object]) -> dict[str, bool]:
        content = request["content"]
        assert isinstance(content, list)
        log.begin(content[0]["text"], str(request["requestId"]))
        log.say(f"You said: {content[0]['text']}")
        log.end()
        return {"accepted": True}

    link.answers["session/prompt"] = prompted
    link.online()


async def stream(link: ScriptedLink) -> None:
    """Every prompt is answered with 200 words in about four seconds."""
    log = link.log()
    loop = asyncio.get_running_loop()
    words = [f"{word} " for word in (WORDS * 6).split()[:200]]

    def end() -> None:
        log.settle("".join(words))
        log.end()

    def prompted(request: dict[str, object]) -> dict[str, bool]:
        log.begin("Tell me.", str(request["requestId"]))
        log.stream()
        for place, word in enumerate(words):
            loop.call_later(place * PACE, log.delta, word)
        loop.call_later(len(words) * PACE, end)
        return {"accepted": True}

    link.answers["session/prompt"] = prompted
    link.online()


async def running(link: ScriptedLink) -> None:
    """A turn that never ends."""
    link.online()
    log = link.log()
    link.follow(SESSION)
    log.begin("Work.")
    log.call("run_command", '{"command": "make", "description": "Builds it"}')


async def history(link: ScriptedLink) -> None:
    """Ten thousand messages."""
    log = link.log()
    records = []
    for place in range(5000):
        records.append(log.event("user/message", log.user(f"question {place}"), "append"))
        said = f"answer {place} with **bold** and `code`\n\n- one\n- two\n"
        records.append(log.event("assistant/message", log.answer({"type": "text", "text": said}), "append"))
    records.append(log.event("turn/end", {"turn": 1, "reason": {"kind": "completed"}}))
    link.follow(SESSION)
    log.snapshot(records)
    await chat(link)


async def offline(link: ScriptedLink) -> None:
    link.phase(LinkStatus("offline", "Nobody answers at the address.", 1, 30.0))


async def defect(link: ScriptedLink) -> None:
    await chat(link)
    raise RuntimeError("a defect of the test")


async def injection(link: ScriptedLink) -> None:
    """Hostile text wherever text can come from."""
    evil = "A\x1b]52;c;ZXZpbA==\x07B\x1b]8;;javascript:x\x1b\\C\x9b31mD\x90qE\u202eF\x1b[6nG\x1b]0;title"
    link.online()
    log = link.log()
    link.follow(SESSION)
    link.value("title", f"title {evil}")
    log.begin(f"prompt {evil}")
    log.send("user/message", log.user(f"context {evil}", source=f"kind {evil}"), "append")
    log.say(f"plain {evil}")
    log.say(f"**rich** {evil} [link](http://x{evil})\n\n```\ncode {evil}\n```\n\n| a |\n|---|\n| {evil} |\n")
    log.call(f"tool {evil}", '{"command": "echo \\u001b[31m", "description": "said \\u001b]0;x\\u0007"}')
    log.result(f"error {evil}", is_error=True)
    log.stream()
    log.delta(f"live {evil}")
    link.ask("approval/request", {"toolName": f"tool {evil}", "callId": "c1", "reason": f"reason {evil}"})


SCENES: dict[str, Scene] = {
    scene.__name__: scene for scene in (chat, stream, running, history, offline, defect, injection)
}


def main(name: str) -> int:
    app = HtuiApp(
        palette=choose(os.environ),
        pace=Pace(wish_of(os.environ, asked=False)),
        drafts=DraftStore(state_folder(os.environ) / "drafts"),
        copies=Clipboard(state_folder(os.environ) / "copied.txt", os.environ),
        directory=Path.cwd(),
        places=Places(state_folder(os.environ) / "accounts", state_folder(os.environ) / "prices.json"),
        driver_class=TerminalDriver,
    )
    return run(app, lambda: ScriptedLink(app.link_changed, SCENES[name]), state_folder(os.environ) / "htui.log")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
