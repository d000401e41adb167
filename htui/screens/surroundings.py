"""What stands around the composer: what waits and what is told above it, and the right end of the rule."""

from typing import TYPE_CHECKING

from htui.present import changes
from htui.present.later import later_lines
from htui.present.lines import Line, Span
from htui.present.status import Figures
from htui.present.waits import wait_lines
from htui.screens import facts as f

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class Surroundings:
    """Reads the parts of a session's screen and makes lines of them."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen
        self._next_try_at: float | None = None

    def figures(self) -> Figures:
        """What the status bar shows."""
        screen = self._screen
        return f.figures(
            screen.conversation.mirror,
            screen.desk.link.host,
            screen.desk.link.status,
            needs=screen.asking.ask is not None,
            no_models=screen.desk.catalogue_failed,
            now=screen.desk.now(),
            activation=screen.conversation.activation,
            cost=screen.desk.spending.cost_of(screen.conversation.mirror),
            spending=screen.desk.spending.summary,
        )

    def feed(self, cells: int) -> list[Line]:
        """The lines above the rule, the most important ones last, for these are kept where there is little room."""
        screen = self._screen
        conversation, mirror = screen.conversation, screen.conversation.mirror
        lines: list[Line] = later_lines(mirror.value("later"), screen.desk.now(), cells)
        queue = f.waiting(mirror.queue)
        if queue:
            entry = screen.desk.link.host.session(conversation.session_id)
            runs = mirror.running or (entry is not None and entry.running)
            lines += f.queue_lines(queue, cells, parked=not runs)
        lines += conversation.outbox.lines(cells)[:2]
        if screen.drafting.parked:
            lines.append((Span("· Your draft is kept and comes back after the answer.", "muted"),))
        if mirror.running:
            phase = mirror.phase
            lines += wait_lines(phase.kind, phase.since, phase.until, screen.desk.now(), cells)
        lines += f.failure_lines(mirror, cells)
        told = screen.desk.link.host.errors.get(conversation.session_id)
        lines += f.trouble_lines(told, mirror, cells)
        lines += conversation.notices.lines(cells)
        lines += screen.mentions.lines(cells) or screen.effects.hint_lines(screen.editor.text, cells)
        return lines[-max(1, screen.size.height // 4) :]

    def side(self) -> Span:
        """The right end of the rule: the connection first, then where the reader is, then who else waits."""
        screen = self._screen
        link = screen.desk.link.status
        if link.phase != "online":
            return Span(f.offline_text(link, self._next_try()), "bad")
        self._next_try_at = None
        if screen.conversation.mirror.failure is not None:
            return Span("this session cannot be followed", "bad")
        if screen.conversation.paging:
            return Span("loading older …", "busy")
        if not screen.transcript.following:
            return Span("↓ new · /latest" if screen.transcript.unread else "↓ /latest", "busy")
        others = screen.asking.others()
        if others:
            return Span(f"? {others} more need{'s' if others == 1 else ''} you · /resume", "needs")
        return Span(self._changed(), "busy")

    def _changed(self) -> str:
        """What the last turn changed in files, once it is over."""
        mirror = self._screen.conversation.mirror
        if mirror.running or not len(mirror.rows):
            return ""
        return changes.hint(mirror.value("changes"), mirror.rows[-1].turn)

    def _next_try(self) -> int | None:
        """Whole seconds until the link tries again by itself."""
        desk = self._screen.desk
        wait = desk.link.status.next_try_in
        if wait is None:
            self._next_try_at = None
            return None
        if self._next_try_at is None:
            self._next_try_at = desk.moment() + wait
        return max(0, round(self._next_try_at - desk.moment()))
