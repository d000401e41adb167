"""`!COMMAND`: what a command prints that a person runs on this machine. The host and the model see nothing of it."""

from textual.timer import Timer

from htui.local.run import LocalRun
from htui.present import when
from htui.present.lines import Line, Span, cut_line
from htui.present.safe import one_line
from htui.screens.desk import Desk
from htui.screens.output import OutputScreen


class LocalScreen(OutputScreen):
    """Leaving it lets the command go on; Ctrl+O comes back to it."""

    def __init__(self, desk: Desk, run: LocalRun) -> None:
        super().__init__(desk, run.output)
        self._run = run
        self._due: Timer | None = None

    def on_mount(self) -> None:
        self.desk.local.watcher = self._came
        self.changed()

    def on_unmount(self) -> None:
        if self.desk.local.watcher == self._came:  # Another one may show it by now.
            self.desk.local.watcher = None

    def tick(self) -> None:
        if self._run.running:
            self.changed()

    def head(self) -> tuple[str, str]:
        return f"! {one_line(self._run.command, 300, strict=True)}", state_of(self._run)

    def foot(self, cells: int) -> Line:
        run = self._run
        if run.failed:
            return cut_line((Span(run.failed, "bad"),), cells)
        where = f"on this machine, in {one_line(str(run.folder), 200)}"
        keys = "Ctrl+C stops it · Esc goes back" if run.running and not run.stopping else "Esc goes back"
        return cut_line((Span(f"{keys} · {where}", "muted"),), cells)

    def own(self, key: str) -> bool:
        if key == "ctrl+c" and self._run.running:
            self.app.run_worker(self._run.stop())
        elif key in ("escape", "q", "ctrl+c", "ctrl+o"):
            self.desk.back()
        else:
            return False
        return True

    def _came(self, dropped: int) -> None:
        """Output comes faster than it can be drawn."""
        self.came(dropped)
        if self._due is None:
            self._due = self.set_timer(self.desk.pace.frame, self._draw)

    def _draw(self) -> None:
        self._due = None
        self.changed()


def state_of(run: LocalRun) -> str:
    """How it stands: `running 12s`, `exit code 1 · 3s`."""
    if run.running:
        return f"{'stopping' if run.stopping else 'running'} {when.short(run.seconds)}"
    if run.code is None:
        return "not started"
    how = f"exit code {run.code}" if run.code >= 0 else f"ended by signal {-run.code}"
    return f"{how} · {when.short(run.seconds)}"
