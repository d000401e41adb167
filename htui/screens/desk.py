"""What the screens need of the program around them, and of the link, as protocols."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from htui.composer.store import DraftStore
from htui.copying.clipboard import Clipboard
from htui.errors import RemoteError
from htui.link.address import Address
from htui.link.changes import LinkStatus
from htui.link.stream import Stream
from htui.link.watch import Watch, ignored
from htui.local.run import LocalRuns
from htui.mirror import HostMirror, SessionMirror
from htui.pace import Pace
from htui.present.jobs import Job
from htui.theme import Theme

if TYPE_CHECKING:
    from htui.screens.base import KeyScreen
    from htui.screens.spending import Spending

Where = Literal["workspaces", "sessions"]


class LinkLike(Protocol):
    """`htui.link.link.Link`, as far as screens use it."""

    address: Address
    status: LinkStatus
    host: HostMirror

    async def run(self) -> None: ...
    def retry(self, token: str | None = None) -> None: ...
    async def call(self, endpoint: str, /, **args: Any) -> Any: ...
    def stream(self, endpoint: str, /, **args: Any) -> Stream: ...
    def watch(
        self,
        endpoint: str,
        take: Callable[[list[Any]], None],
        refused: Callable[[RemoteError], None] = ignored,
        /,
        **args: Any,
    ) -> Watch: ...
    def follow(self, session_id: str) -> SessionMirror: ...
    def unfollow(self, session_id: str) -> None: ...
    async def older(self, session_id: str) -> bool: ...
    async def answer(self, event_id: str, outcome: Mapping[str, Any]) -> None: ...
    async def refresh_lists(self) -> None: ...


class Desk(Protocol):
    """The program: where things are kept, and the ways between screens."""

    link: LinkLike
    palette: Theme
    drafts: DraftStore
    copies: Clipboard
    pace: Pace
    local: LocalRuns
    spending: "Spending"
    held: bool
    directory: Path
    catalogue_failed: bool

    def moment(self) -> float:
        """Seconds of a clock that only goes forward."""
        ...

    def now(self) -> int:
        """The time in ms since the epoch."""
        ...

    def follow(self, session_id: str) -> SessionMirror:
        """The mirror of a session, for as long as it is not released as often as it was followed."""
        ...

    def release(self, session_id: str) -> None: ...
    def open_session(self, session_id: str) -> None:
        """Shows a session."""
        ...

    def new_session(self, workspace_id: str | None = None) -> None:
        """Opens a new session: in the workspace of the one that is open, or of the directory, unless one is given."""
        ...

    def add_workspace(self, path: str) -> None:
        """Registers a folder and opens a new session in it."""
        ...

    def open_job(self, session_id: str, job: Job, *, typing: bool) -> None:
        """Shows a command of a session over what is shown now; its terminal where `typing` is wanted and it has one."""
        ...

    def lay(self, screen: "KeyScreen") -> None:
        """Shows a screen over what is shown now; `back` takes it away."""
        ...

    def go(self, where: Where, note: str = "") -> None:
        """Opens a picker; `note` says in it why, where nobody asked for it."""
        ...

    def back(self) -> None:
        """From a picker to where it was called."""
        ...

    def leave(self) -> None:
        """Ends the program."""
        ...

    def redraw(self) -> None:
        """Draws the whole screen anew."""
        ...

    def suspend_program(self) -> None:
        """Stops the program as a shell's job."""
        ...

    def hold(self) -> None:
        """Keeps the screen as it stands and frees the mouse, for the terminal's own selection; what comes waits."""
        ...

    def go_on(self) -> None:
        """Shows what came while the screen was held, and takes the mouse back."""
        ...

    def write_terminal(self, sequence: str) -> None:
        """Sends the terminal a sequence that changes nothing on the screen."""
        ...
