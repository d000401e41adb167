"""What `hd replay` does with a recording: plays one conversation of it, or only reads its answers."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from hd.cli.ending import say
from hd.cli.line import Direct
from hd.cli.oneshot import Run
from hd.cli.printing import Printer
from hd.cli.wish import Wish
from hd.compose import open_house
from hd.config.settings import Settings
from hd.daemon import heed_signals
from hd.ledger.prices import prices
from hd.llm.base import ProviderError, Request
from hd.llm.tape.form import NO_HEAD, Attempt, Outcome, Tape
from hd.llm.tape.player import Player, Replay
from hd.llm.tape.veil import Veil
from hd.process.harden import hide_environment
from hd.protocol.tools import ToolSpec


@dataclass(frozen=True, slots=True)
class Wanted:
    """One conversation of a recording, and where it is to be played."""

    attempts: Sequence[Attempt]
    contents: bool
    folder: Path
    permission: str
    timed: bool


@dataclass(slots=True)
class Differences:
    """Says where requests are not as they were; what differs in one differs in all that grow out of it, and is said
    once."""

    last: str = ""

    def __call__(self, attempt: Attempt, text: str) -> None:
        if text != self.last:
            say(f"Request {attempt.number} is not as it was recorded: {text}.")
        self.last = text


async def play(wanted: Wanted, printer: Printer, environment: Mapping[str, str]) -> int:
    """Plays it as a run in a home that goes away; gives the exit code of a run. Nothing of the person's own is used."""
    heed_signals(interrupted := asyncio.Event())
    first = wanted.attempts[0]
    earlier = len(first.prompts) - 1
    if earlier > 0:
        say(f"The recording begins behind {earlier} prompts of this conversation, which are not played.")
    prompts = _prompts(wanted.attempts)
    player = Player(
        wanted.attempts,
        Veil({}, str(Path.home())),
        contents=wanted.contents,
        timed=wanted.timed,
        differs=Differences(),
        stopped=interrupted.set,
    )
    wish = Wish(prompts[0], str(wanted.folder), wanted.permission, more=prompts[1:])
    with tempfile.TemporaryDirectory(prefix="hd-replay-", ignore_cleanup_errors=True) as home:
        settings = Settings.from_environment({**environment, "HD_HOME": home})
        settings.home.prepare()
        hide_environment()
        provider = Replay(player, str(first.request.get("model")))
        async with open_house(replace(settings, model=None, titles=False), {}, demo=False, provider=provider) as house:
            code = await Run(Direct(house.unary, house.streams), wish, printer, prices(settings.home.prices)).play(
                interrupted
            )
    if player.left:
        say(f"{player.left} of {len(wanted.attempts)} recorded answers were not asked for.")
    return code


def _prompts(attempts: Sequence[Attempt]) -> tuple[str, ...]:
    """What a person said: the last of what stood in the first request, and everything that came later."""
    known = len(attempts[0].prompts)
    longest = max((attempt.prompts for attempt in attempts), key=len)
    return (attempts[0].prompts[-1], *longest[known:])


async def check(tape: Tape) -> bool:
    """Reads every answer, says in a line what came out, and whether that is what came out at first."""
    same = [await _check(attempt) for attempt in tape.attempts]
    print(f"{sum(same)} of {len(same)} answers are read as they were.")
    return all(same)


async def _check(attempt: Attempt) -> bool:
    if attempt.status == NO_HEAD or attempt.outcome.stopped:
        why = "it was stopped" if attempt.outcome.stopped else attempt.outcome.message
        print(f"{attempt.number}  not read: {why}")
        return True
    now = await outcome(attempt)
    then = attempt.outcome
    same = now.gist == then.gist
    print(f"{attempt.number}  {attempt.status}  {described(now)}{'' if same else f'  (was: {described(then)})'}")
    return same


async def outcome(attempt: Attempt) -> Outcome:
    """What the program makes of a recorded answer now."""
    player = Player([attempt], Veil({}, ""), contents=True)
    provider = Replay(player, str(attempt.request.get("model")))
    tools = [ToolSpec(tool["function"]["name"], "", {}) for tool in attempt.request.get("tools") or ()]
    found = Outcome()
    try:
        async with aclosing(provider.stream(Request(provider.default_model, [], tools))) as pieces:
            async for chunks in pieces:
                found = found.plus(chunks)
    except ProviderError as problem:
        found = msgspec.structs.replace(found, failure=problem.code, message=problem.message)
    finally:
        await provider.aclose()
    return found


def described(found: Outcome) -> str:
    said = [name for name, is_there in (("thoughts", found.thought), ("text", found.text)) if is_there]
    said += [f"call of {name}" for name in found.calls]
    ended = f"failed with {found.failure}: {found.message}" if found.failure else f"ended with {found.finish}"
    return f"{', '.join(said) or 'nothing'}; {ended}"
