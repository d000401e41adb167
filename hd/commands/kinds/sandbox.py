"""`/sandbox [off | workspace-write | read-only | default] [network on|off]`: what holds the commands of a session, and
`/sandbox outside COMMAND`: what of them runs without it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from hd.commands.base import Command, Line, Said, refused
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.permit.policy import unasked
from hd.permit.presets import preset
from hd.permit.rulebook import Rulebook
from hd.process.sandbox.plan import Mode
from hd.process.sandbox.sandbox import Sandbox
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.projections.sandbox import Held, Hold

_MODES: Final[dict[str, Held | None]] = {
    "off": "off",
    "read-only": "read-only",
    "workspace-write": "workspace-write",
    "default": None,
}
_NETWORK: Final = {"on": True, "off": False}
HINT: Final = "[off|read-only|workspace-write|default] [network on|off] | outside <command>"


class NoSuchHold(ValueError):
    """What was typed is no way to hold commands, or one that cannot be; the text says why."""


def command(sandbox: Sandbox, guard: Guard, rules: Rulebook) -> Command:
    return Command(
        "sandbox",
        "Shows or sets what holds the commands of this session.",
        _Sandbox(sandbox, guard, rules).run,
        HINT,
    )


def chosen(words: list[str], before: Hold, mode: Mode) -> Hold:
    """What the words make of `before`, in a session whose preset allows commands `mode`; `NoSuchHold`."""
    rest = list(words)
    hold = before
    if rest and rest[0] in _MODES:
        new = _MODES[rest.pop(0)]
        hold = Hold(new, before.network if new in ("read-only", "workspace-write") else None)
    match rest:
        case []:
            return hold
        case ["network", word] if word in _NETWORK:
            hold = replace(hold, network=_NETWORK[word])
        case _:
            raise NoSuchHold(f"/sandbox takes {HINT}. Nothing was changed.")
    if hold.network is False and hold.mode is None and mode != "danger-full-access":
        return replace(hold, mode=mode)
    if hold.network is False and hold.mode in (None, "off"):
        raise NoSuchHold(
            "The network can be cut only for commands that are held: `/sandbox workspace-write network off` does both. "
            "Nothing was changed."
        )
    return hold


@dataclass(frozen=True, slots=True)
class _Sandbox:
    sandbox: Sandbox
    guard: Guard
    rules: Rulebook

    async def run(self, line: Line) -> Said:
        session = line.session
        word, _, rest = line.args.partition(" ")
        if word == "outside":
            return await self._outside(line, rest.strip())
        mode = preset(session.value("preset")).sandbox
        before: Hold = session.value("sandbox")
        if not line.args:
            return Said(f"{self._stands(mode, before)}\nFor all sessions: {self.sandbox.sentence()}.")
        try:
            hold = chosen(line.args.split(), before, mode)
        except NoSuchHold as error:
            return refused(str(error))
        trouble = self.sandbox.trouble_with(hold)
        if trouble is not None:
            return refused(f"{trouble} Nothing was changed.")
        session.record(Draft(ev.SANDBOX_HOLD, hold.to_wire()))
        return Said(f"From the next command on: {self._stands(mode, hold)}")

    def _stands(self, mode: Mode, hold: Hold) -> str:
        return self.sandbox.told_of(unasked(mode, hold), hold)

    async def _outside(self, line: Line, typed: str) -> Said:
        if not typed:
            return refused("/sandbox outside takes one command, such as `/sandbox outside git fetch`.")
        files = FileLayer(Path(line.session.header.cwd), self.guard)
        drawn = await self.rules.draw_up(typed, "outside", files)
        rule = await self.rules.keep(drawn, files.root, line.session.id)
        line.session.record(Draft(ev.PERMISSION_RULE, {"change": "made", "rule": rule.named()}))
        return Said(f"Rule {rule.number}: {rule.text} runs so from now on. /permission forget {rule.number} ends that.")
