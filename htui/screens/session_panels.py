"""The panels of a session: help, status, queue, models, permissions, commands. One is open at a time."""

from typing import TYPE_CHECKING

from htui.commands import Confirm, PanelName
from htui.commands.model import select
from htui.present.cache import cache_lines
from htui.present.context import context_lines
from htui.present.cost import cost_lines
from htui.present.goal import PLANNING, goal_facts, goal_of, planning
from htui.present.held import held_words
from htui.present.jobs import Job, job_picks, jobs_of
from htui.present.lines import Line, Span
from htui.present.picks import Pick
from htui.screens import facts as f
from htui.screens.help_text import help_lines
from htui.screens.job_list import JobList
from htui.widgets.panels import ChoicePanel, Panel, TextPanel

if TYPE_CHECKING:
    from htui.screens.session import SessionScreen


class SessionPanels:
    """Opens, feeds and closes the panel above the composer."""

    def __init__(self, screen: "SessionScreen") -> None:
        self._screen = screen
        self._panel: Panel | None = None
        self._room = 10
        self._confirm: Confirm | None = None
        self._jobs = JobList(screen.desk, screen.conversation.session_id, self._show_jobs, self._no_jobs)

    @property
    def open(self) -> bool:
        return self._panel is not None

    def show(self, name: PanelName) -> None:
        """Opens a panel in place of the one that is open; a list without rows says so instead."""
        self.close()
        if name == "jobs":
            self._jobs.open()
            return
        panel = self._made(name)
        if panel is None:
            self._screen.conversation.say("There is nothing to choose from.", "warning")
            return
        self._open(panel)

    def open_job(self, number: int, *, terminal: bool) -> None:
        """Shows what a command prints, or its terminal where it has one."""
        screen, conversation = self._screen, self._screen.conversation
        known = jobs_of(conversation.mirror.value("jobs"))
        job = next((job for job in known if job.number == number), None)
        if job is None:
            conversation.say(f"No command #{number} of this session is known. /ps lists them.", "warning")
            return
        self.close()
        screen.desk.open_job(conversation.session_id, job, typing=terminal)

    def confirm(self, effect: Confirm) -> None:
        """Asks before an effect is carried out; closing the panel means no."""
        self.close()
        self._confirm = effect
        picks = [Pick("no", (Span(effect.no),)), Pick("yes", (Span(effect.yes),))]
        self._open(ChoicePanel(self._screen.desk.palette, "confirm", effect.title, picks))

    def _open(self, panel: Panel) -> None:
        self._panel = panel
        panel.room = self._room
        self._screen.mount(panel, before=self._screen.feed)
        self._screen.asking.set_shown(False)

    def close(self) -> None:
        self._jobs.close()
        if self._panel is not None:
            if self._panel.panel == "cost":
                self._screen.desk.spending.closed()
            self._panel.remove()
            self._panel = None
            self._screen.asking.set_shown(True)
            self._screen.changed_later()

    def update(self) -> None:
        """What is listed may have changed."""
        panel = self._panel
        if isinstance(panel, ChoicePanel) and panel.panel == "queue":
            picks = f.queue_picks(self._screen.conversation.mirror.queue)
            if picks:
                panel.set_picks(picks)
            else:
                self.close()
        elif isinstance(panel, TextPanel) and panel.panel in ("help", "cost") and panel.is_mounted:
            panel.update()

    def tick(self) -> None:
        """How long a command has run is told by the clock here, from when it began."""
        if isinstance(self._panel, ChoicePanel) and self._panel.panel == "jobs":
            self._show_jobs(self._jobs.jobs)

    def set_room(self, rows: int) -> None:
        self._room = rows
        if self._panel is not None:
            self._panel.set_room(rows)

    def press(self, key: str) -> bool:
        """True when the key was the panel's. A text closes at any other key, which then counts where it belongs."""
        if self._panel is None:
            return False
        done = self._panel.press(key)
        if done == "close":
            self.close()
        elif done is None and isinstance(self._panel, TextPanel):
            self.close()
            return False
        return True

    def chosen(self, event: ChoicePanel.Chosen) -> None:
        """Carries out what was chosen in a list."""
        screen, conversation = self._screen, self._screen.conversation
        if event.panel == "queue":
            if event.action == "remove":
                screen.start(conversation.remove_queued(event.id))
            return
        job = self._jobs.job(event.id) if event.panel == "jobs" else None
        self.close()
        if event.panel == "jobs":
            if job is not None:
                screen.desk.open_job(conversation.session_id, job, typing=job.running)
            return
        if event.panel == "permission":
            screen.start(conversation.execute(f"/permission {event.id}"))
            return
        if event.panel == "confirm":
            confirmed, self._confirm = self._confirm, None
            if event.id == "yes" and confirmed is not None:
                screen.effects.carry_out(confirmed.then)
            return
        provider, model, *effort = event.id.split(" ")
        screen.effects.carry_out(select(screen.effects.facts(), provider, model, effort[0] if effort else ""))

    def _show_jobs(self, jobs: tuple[Job, ...]) -> None:
        picks = job_picks(jobs, self._screen.desk.now())
        if isinstance(self._panel, ChoicePanel):
            self._panel.set_picks(picks)
        elif self._panel is None:
            self._open(ChoicePanel(self._screen.desk.palette, "jobs", "Commands of this session", picks))

    def _no_jobs(self, text: str) -> None:
        self.close()
        self._screen.conversation.say(text)

    def _made(self, name: PanelName) -> Panel | None:
        screen = self._screen
        theme, mirror, host = screen.desk.palette, screen.conversation.mirror, screen.desk.link.host
        if name == "help":
            return TextPanel(theme, name, "Help", lambda cells: help_lines(cells, screen.conversation.commands))
        if name == "status":
            shown, facts = screen.surroundings.figures(), self._status_facts()
            return TextPanel(theme, name, "Status", lambda cells: f.status_panel(shown, facts, cells))
        if name == "cost":
            spending = screen.desk.spending
            spending.opened()

            def lines(cells: int) -> list[Line]:
                cost, budget = spending.cost_of(mirror), mirror.value("budget")
                return cost_lines(cost, cells, spending.summary, spending.reckoned, budget)

            return TextPanel(theme, name, "Cost", lines)
        if name == "context":
            pressure, breakdown = (mirror.value(key) for key in ("contextPressure", "contextBreakdown"))
            return TextPanel(
                theme, name, "Context", lambda cells: context_lines(pressure, breakdown, host.catalogue, cells)
            )
        if name == "cache":
            return TextPanel(theme, name, "Cache", lambda cells: cache_lines(mirror.value("cache"), cells))
        if name == "queue":
            picks, at = f.queue_picks(mirror.queue), 0
        elif name == "model":
            picks, at = f.model_picks(host.catalogue, f.selected(mirror, host))
        else:
            picks, at = f.permission_picks(mirror.value("permissions"))
        titles = {
            "queue": "Waiting",
            "model": "Model of the next request",
            "permission": "What may be done without asking",
        }
        if not picks:
            return None
        return ChoicePanel(theme, name, titles[name], picks, cursor=at, remove=name == "queue")

    def _status_facts(self) -> list[tuple[str, str]]:
        screen = self._screen
        session_id = screen.conversation.session_id
        entry = screen.desk.link.host.session(session_id)
        mirror = screen.conversation.mirror
        permissions = mirror.value("permissions")
        clients = screen.desk.link.host.clients.get(session_id, 0)
        return [
            ("host", screen.desk.link.address.origin),
            ("session", session_id),
            ("folder", entry.cwd if entry is not None else ""),
            ("permission", str(permissions.get("currentValue") or "") if isinstance(permissions, dict) else ""),
            ("sandbox", held_words(mirror.value("sandbox"), screen.desk.link.host.sandbox)),
            ("mode", PLANNING if planning(mirror.value("plan")) else ""),
            *goal_facts(goal_of(mirror.value("goal"), screen.conversation.activation)),
            ("clients", f"{clients} follow this session, this one among them" if clients > 1 else ""),
            ("terminal", screen.desk.pace.words()),
        ]
