"""`/permission [preset | why … | always … | rules | forget N]`: what a session may do without asking, the person's own
rules of its workspace, and which rule decides."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hd.commands.base import Command, Line, Said, refused
from hd.files.guard import Guard
from hd.files.layer import FileLayer
from hd.permit.policy import rules_count
from hd.permit.presets import PRESETS, facts, preset
from hd.permit.reveal import reveal
from hd.permit.rulebook import Rulebook
from hd.permit.rules import Rule, Use
from hd.permit.servers import starts_server
from hd.permit.why import named, why_command, why_path
from hd.protocol import events as ev
from hd.protocol.events import Draft

_ELSEWHERE: tuple[tuple[Use, str], ...] = (("terminal", "In a terminal"), ("outside", "Outside the sandbox"))
_ALWAYS = "/permission always takes one command, such as `/permission always rm -rf build`."


def command(guard: Guard, rules: Rulebook) -> Command:
    return Command(
        "permission",
        "Shows or changes what this session may do without asking, and your rules; says which rule decides.",
        _Permission(guard, rules).run,
        f"[{'|'.join(PRESETS)}|why <path or command>|always <command>|rules|forget <number>]",
    )


@dataclass(frozen=True, slots=True)
class _Permission:
    guard: Guard
    rules: Rulebook

    async def run(self, line: Line) -> Said:
        word, _, rest = line.args.partition(" ")
        rest = rest.strip()
        match word:
            case "why":
                return await self._why(line, rest)
            case "always":
                return await self._always(line, rest)
            case "rules" if not rest:
                return await self._list(line)
            case "forget":
                return await self._forget(line, rest)
        return _preset(line)

    async def _why(self, line: Line, asked: str) -> Said:
        """One word may be a path or a command, so both are answered; several are a command."""
        if not asked:
            return refused("/permission why takes a path or a command, such as `/permission why .env`.")
        files = self._files(line)
        kept = preset(line.session.value("preset")).name
        covered = await self.rules.covering(asked, "command", files)
        planning = line.session.value("plan")
        told = await asyncio.to_thread(why_command, asked, kept, files, planning=planning, rules=covered)
        lines = [told]
        for use, where in _ELSEWHERE:
            if used := await self.rules.covering(asked, use, files):
                lines.append(f"{where} it runs without asking in workspace-write, by {named(used)}.")
        if len(asked.split()) > 1:
            return Said("\n".join(lines))
        as_path = await asyncio.to_thread(why_path, asked, files)
        return Said("\n".join([f"As a path, {as_path}", f"As a command, {lines[0]}", *lines[1:]]))

    async def _always(self, line: Line, typed: str) -> Said:
        if not typed:
            return refused(f"{_ALWAYS} With `...` as its last word it covers any further arguments.")
        files = self._files(line)
        use: Use = "terminal" if await asyncio.to_thread(starts_server, typed) else "command"
        drawn = await self.rules.draw_up(typed, use, files)
        rule = await self.rules.keep(drawn, files.root, line.session.id)
        line.session.record(Draft(ev.PERMISSION_RULE, {"change": "made", "rule": rule.named()}))
        counts = rules_count(line.session.value("preset"), planning=line.session.value("plan"))
        here = "" if counts else " Not in this session: rules count in workspace-write."
        return Said(f"Rule {rule.number}: {rule.text} runs unasked in {_folder(files)} from now on.{_tied(rule)}{here}")

    async def _list(self, line: Line) -> Said:
        files = self._files(line)
        rules = await self.rules.rules(files.root)
        if not rules:
            return Said(f"There are no rules in {_folder(files)}. An approval or `/permission always` makes one.")
        told = [
            f"{rule.number}. {rule.text} · since {_day(rule.made)}{_why_asked(rule)}{_tied(rule)}" for rule in rules
        ]
        counts = "They count in workspace-write; in read-only and in plan mode they do not."
        return Said("\n".join([f"Runs unasked in {_folder(files)}:", *told, counts]))

    async def _forget(self, line: Line, number: str) -> Said:
        if not number.isdecimal():
            return refused("/permission forget takes the number of a rule; `/permission rules` lists them.")
        files = self._files(line)
        rule = await self.rules.forget(int(number), files.root)
        line.session.record(Draft(ev.PERMISSION_RULE, {"change": "forgotten", "rule": rule.named()}))
        return Said(f"Rule {rule.number} is forgotten: {rule.text} asks again.")

    def _files(self, line: Line) -> FileLayer:
        return FileLayer(Path(line.session.header.cwd), self.guard)


def _preset(line: Line) -> Said:
    session = line.session
    before = preset(session.value("preset"))
    if not line.args:
        return Said(f"This session is in {before.name}: {before.description}")
    chosen = PRESETS.get(line.args)
    if chosen is None:
        return refused(f"There is no preset “{line.args}”; there are {', '.join(PRESETS)}. Nothing was changed.")
    session.record(*facts(chosen, before))
    return Said(f"From now on: {chosen.name}. {chosen.description}")


def _folder(files: FileLayer) -> str:
    return reveal(str(files.root), one_line=True)


def _day(made: int) -> str:
    return datetime.fromtimestamp(made / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _why_asked(rule: Rule) -> str:
    return f" · asks otherwise, as it {rule.reason}" if rule.reason else ""


def _tied(rule: Rule) -> str:
    """What ends a rule by itself."""
    paths = [reveal(Path(path).name, one_line=True) for path, _ in rule.ties.contents]
    return f" It ends when {' or '.join(paths)} is changed." if paths else ""
