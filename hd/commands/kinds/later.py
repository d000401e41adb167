"""`/later MESSAGE`: a message that is sent when the model costs less; `/later` lists what is held."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hd.commands.base import Command, Line, Said, refused
from hd.later.later import MOST, Later
from hd.later.saving import saving
from hd.ledger.budget import Sending
from hd.permit.reveal import reveal
from hd.protocol.projections.later import Held
from hd.session.live import LiveSession

HINT: Final = "[--pause] <message> | now [<number>] | drop <number>"
PAUSE: Final = "--pause"
_LONGEST: Final = 6
"""Digits of a number of a message."""
_SHOWN: Final = 80
"""Characters of a message that are listed."""


def command(later: Later) -> Command:
    return Command(
        "later",
        "Sends a message when the model costs less (--pause: and waits out later peak hours); lists what is held.",
        _Later(later).run,
        HINT,
    )


@dataclass(frozen=True, slots=True)
class _Later:
    later: Later

    async def run(self, line: Line) -> Said:
        word, rest = (*line.args.split(maxsplit=1), "", "")[:2]
        if not word:
            return Said(self._listed(line.session))
        if word == "now" and not rest:
            return await self._go_on(line)
        if word == "drop" and not rest:
            return refused("Say which: /later drop NUMBER.")
        if word in ("now", "drop") and rest.isdecimal():
            return await self._one(line, word, int(rest) if len(rest) <= _LONGEST else 0)
        pause = word == PAUSE
        text = rest if pause else line.args
        return await self._hold(line, text, pause=pause) if text else refused(f"/later {PAUSE} needs a message.")

    async def _hold(self, line: Line, text: str, *, pause: bool) -> Said:
        session, now = line.session, line.session.now()
        held: tuple[Held, ...] = session.value("later")
        at = self.later.off_peak.cheap_at(session, now)
        if at is not None and (at > now or (pause and line.agent.running)):
            if len(held) >= MOST:
                return refused(
                    f"{MOST} messages are held already; /later drop NUMBER removes one. This one was not taken."
                )
            await self.later.hold(session, text, at, pause=pause)
            told = _told(session, self.later.off_peak.route(session), at, pause=pause)
            return Said(f"{told} It goes as a message, not as a command." if text[0] in "/!" else told)
        content = [{"type": "text", "text": text}]
        await line.agent.prompt(content, request_id=f"later-{line.command_id}", steer=False, off_peak=pause)
        if at is None:
            return Said(f"Sent now: no price of {self.later.off_peak.route(session)[1]} is known, so none to wait for.")
        return Said(f"Sent now: it costs no less later. {_pauses(pause=pause)}".strip())

    async def _go_on(self, line: Line) -> Said:
        held = line.session.value("later")
        if self.later.off_peak.paused_until(line.session.id) is not None:
            self.later.off_peak.go_on(line.session.id)
            return Said("The turn goes on.")
        if len(held) == 1:
            return await self._one(line, "now", 1)
        return refused("Say which: /later now NUMBER." if held else "Nothing is held, and no turn waits.")

    async def _one(self, line: Line, word: str, number: int) -> Said:
        held = line.session.value("later")
        if not 1 <= number <= len(held):
            return refused("Nothing with that number is held.")
        chosen, session = held[number - 1], line.session
        if word == "now":
            # Whoever says so does not want it to wait at its second request.
            done, told = await self.later.send(session, chosen, pause=False), "Sent now"
        else:
            done, told = await self.later.drop(session, chosen), "Removed"
        if not done:
            return refused("It is held no more: it was sent or removed a moment ago.")
        return Said(f"{told}: {_short(chosen.text)}")

    def _listed(self, session: LiveSession) -> str:
        held, now = session.value("later"), session.now()
        lines = [
            f"{number}. {_when(one.at, now)}{' · pauses at peak hours' if one.pause else ''} · {_short(one.text)}"
            for number, one in enumerate(held, 1)
        ]
        until = self.later.off_peak.paused_until(session.id)
        if until is not None:
            lines.insert(0, f"The turn is paused until {_when(until, now)}; /later now has it go on.")
        if held:
            return "\n".join([*lines, "/later now NUMBER sends one, /later drop NUMBER removes it."])
        return "\n".join(lines) or "Nothing is held. /later MESSAGE sends a message when the model costs less."


def _told(session: LiveSession, route: tuple[str, str], at: int, *, pause: bool) -> str:
    """What is said of a message that was just taken in."""
    now = session.now()
    if at <= now:
        return f"Held until the running turn is over. {_pauses(pause=pause)}"
    sending = Sending(session.value("contextPressure").projected, *route)
    saved = saving(session.value("cost"), sending, now, at)
    return " ".join(filter(None, (f"Held until {_when(at, now)}.", saved, _pauses(pause=pause))))


def _pauses(*, pause: bool) -> str:
    return "Its turn waits where it comes into peak hours." if pause else ""


def _when(at: int, now: int) -> str:
    """A moment (ms) by the clock here, and how far it is from `now`."""
    minutes = max(0, -(-(at - now) // 60_000))
    hours, rest = divmod(minutes, 60)
    left = f"{hours} h {rest} min" if hours else f"{rest} min"
    return f"{datetime.fromtimestamp(at / 1000).astimezone():%a %H:%M} (in {left})"


def _short(text: str) -> str:
    flat = reveal(" ".join(text.split()), one_line=True)
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
