"""Copying from a session: the screen that stands still, and what `/copy` takes out of the conversation."""

from typing import TYPE_CHECKING

from htui.commands import Copy
from htui.copying import pieces

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class Copying:
    """Carries out `Copy`."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen

    def carry_out(self, wish: Copy) -> None:
        screen = self._screen
        if wish.what == "screen":
            screen.desk.hold()
            return
        rows = screen.conversation.mirror.rows
        take = pieces.code if wish.what == "code" else pieces.answer
        text = take(rows.__getitem__, len(rows), wish.number)
        if text is None:
            screen.conversation.say(_missing(wish, more=screen.conversation.mirror.has_more), "warning")
        else:
            screen.start(self._copy(text))

    async def _copy(self, text: str) -> None:
        desk = self._screen.desk
        self._screen.conversation.say(await desk.copies.copy(text, desk.write_terminal))


def _missing(wish: Copy, *, more: bool) -> str:
    name = "code block" if wish.what == "code" else "answer"
    number = "" if wish.number == 1 else f" number {wish.number} from the end"
    return f"There is no {name}{number} in what is loaded." + (" /up to the top loads older pages." if more else "")
