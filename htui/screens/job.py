"""One command on a screen of its own: what it prints while it runs, and a way to stop it."""

from typing import Any

from htui.errors import HtuiError, RemoteError
from htui.link.watch import Watch
from htui.present.jobs import TERMINAL, Job, Output, foot, job_of, state_text
from htui.present.lines import Line
from htui.screens.desk import Desk
from htui.screens.output import OutputScreen


class JobScreen(OutputScreen):
    """A command of the host."""

    def __init__(self, desk: Desk, session_id: str, job: Job) -> None:
        super().__init__(desk, Output())
        self._session_id = session_id
        self._job = job
        self._asking = False
        self._note = ""
        self._watch: Watch | None = None

    def on_mount(self) -> None:
        request = {"sessionId": self._session_id, "jobId": self._job.id}
        self._watch = self.desk.link.watch("job/follow", self._came, self._refused, request=request)
        self.changed()

    def on_unmount(self) -> None:
        if self._watch is not None:
            self._watch.close()

    def tick(self) -> None:
        if self._job.running:
            self.changed()

    def head(self) -> tuple[str, str]:
        online = self.desk.link.status.phase == "online"
        return self._job.label, state_text(self._job, self.desk.now()) if online else "! Offline"

    def foot(self, cells: int) -> Line:
        return foot(self._job, cells, asking=self._asking, note=self._note, following=self.place is None)

    def own(self, key: str) -> bool:
        if self._asking:
            self._asking = False
            if key == "y":
                self.app.run_worker(self._stop())
        elif key in ("escape", "q", "ctrl+c"):
            self.desk.back()
        elif key == "t" and self._job.running and self._job.kind == TERMINAL and self._job.number:
            self.desk.back()
            self.desk.open_job(self._session_id, self._job, typing=True)
        elif key == "s" and self._job.running and not self._job.stopping:
            self._asking, self._note = True, ""
        else:
            return False
        self.changed()
        return True

    def _came(self, items: list[Any]) -> None:
        for item in items:
            if isinstance(item, dict):
                self._take(item)
        self.changed()

    def _take(self, item: dict[str, Any]) -> None:
        if item.get("type") in ("opened", "status"):
            self._job = job_of(item.get("job")) or self._job
        if item.get("type") == "opened":
            self.output.begin()
            self.place = None
        chunks = item.get("chunks") if item.get("type") == "output" else None
        for chunk in chunks if isinstance(chunks, list) else ():
            self.came(self.output.add(str(chunk.get("text") or ""), gap=chunk.get("gapBefore") is True))

    def _refused(self, error: RemoteError) -> None:
        self._note = error.message
        self.changed()

    async def _stop(self) -> None:
        request = {"sessionId": self._session_id, "jobId": self._job.id}
        try:
            await self.desk.link.call("job/kill", request=request)
        except HtuiError as error:
            self._note = f"Not stopped: {error.message}"
        self.changed()
