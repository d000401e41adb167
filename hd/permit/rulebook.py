"""The rules of all workspaces, kept over restarts."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from hd.files.layer import FileLayer
from hd.permit import reading
from hd.permit.look import DiskLook
from hd.permit.places import Ground
from hd.permit.rules import Rule, RuleRefused, Scene, Use, covering, make
from hd.permit.ties import DiskTies

MOST: Final = 200
"""Rules of one workspace."""

SearchPath = Callable[[Path, bool], str]
"""The `PATH` of commands in a workspace; the flag says that they run in a terminal."""


class Kept(Protocol):
    """Where JSON values are kept by key."""

    async def load_setting(self, key: str) -> Any: ...

    async def save_setting(self, key: str, value: Any) -> None: ...


class _Page(msgspec.Struct, frozen=True):
    """The rules of one workspace; `last` is the highest number that one ever had."""

    last: int = 0
    rules: tuple[Rule, ...] = ()


class Rulebook:
    """Rules by workspace folder. Only what a person does makes or forgets one; `clock` gives ms since the epoch."""

    def __init__(self, kept: Kept, clock: Callable[[], int], search_path: SearchPath) -> None:
        self._kept = kept
        self._clock = clock
        self._search_path = search_path
        self._changing = asyncio.Lock()

    async def rules(self, folder: Path) -> tuple[Rule, ...]:
        return (await self._page(folder)).rules

    async def covering(self, command: str, use: Use, files: FileLayer) -> tuple[Rule, ...]:
        """The rules by which a command in a workspace needs no word; empty where one is needed."""
        rules = await self.rules(files.root)
        if not any(rule.use == use for rule in rules):
            return ()
        return await asyncio.to_thread(covering, command, rules, self._scene(use, files))

    async def offer(self, command: str, use: Use, files: FileLayer) -> Rule | None:
        """The rule that a card may offer for a command: for its words and no others. None where there can be none."""
        try:
            return await asyncio.to_thread(make, command, self._scene(use, files), typed=False)
        except RuleRefused:
            return None

    async def draw_up(self, command: str, use: Use, files: FileLayer) -> Rule:
        """The rule for what a person typed, not yet kept; `RuleRefused`."""
        return await asyncio.to_thread(make, command, self._scene(use, files), typed=True)

    async def keep(self, rule: Rule, folder: Path, session_id: str) -> Rule:
        """Keeps a rule under a number of its own; one that says the same is given in its place. `RuleRefused`."""
        async with self._changing:
            page = await self._page(folder)
            same = next((one for one in page.rules if _says(one) == _says(rule)), None)
            if same is not None:
                return same
            if len(page.rules) >= MOST:
                raise RuleRefused(f"This workspace has {MOST} rules already. Forget one first; nothing was changed.")
            number = page.last + 1
            kept = msgspec.structs.replace(rule, number=number, made=self._clock(), session=session_id)
            await self._save(folder, _Page(number, (*page.rules, kept)))
            return kept

    async def forget(self, number: int, folder: Path) -> Rule:
        """Takes a rule away and gives it; `RuleRefused` where there is none of that number."""
        async with self._changing:
            page = await self._page(folder)
            found = next((rule for rule in page.rules if rule.number == number), None)
            if found is None:
                raise RuleRefused(f"This workspace has no rule {number}. Nothing was changed.")
            await self._save(folder, _Page(page.last, tuple(rule for rule in page.rules if rule is not found)))
            return found

    def _scene(self, use: Use, files: FileLayer) -> Scene:
        ties = DiskTies(files.root, self._search_path(files.root, use == "terminal"))
        doubt = partial(reading.doubt, look=DiskLook(files))
        return Scene(Ground.of(files.root), use, ties, lambda command: doubt(command) is None)

    async def _page(self, folder: Path) -> _Page:
        kept = await self._kept.load_setting(_key(folder))
        return _Page() if kept is None else msgspec.convert(kept, _Page)

    async def _save(self, folder: Path, page: _Page) -> None:
        await self._kept.save_setting(_key(folder), msgspec.to_builtins(page))


def _says(rule: Rule) -> tuple[object, ...]:
    return rule.use, rule.argv, rule.more, rule.ties, rule.reason


def _key(folder: Path) -> str:
    return f"permission-rules/{folder}"
