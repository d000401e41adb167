"""Running the program on a terminal, and what is left on it afterwards."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from htui.errors import DONE, FAILED, USAGE, HtuiError
from htui.folders import config_folder, state_folder
from htui.present.safe import safe

if TYPE_CHECKING:
    from htui.app import HtuiApp
    from htui.link.address import Address
    from htui.screens.conversation import Conversation
    from htui.screens.desk import LinkLike

DUMB = (
    "htui: this terminal cannot place text (TERM is dumb or not set). "
    "Set TERM, as TERM=xterm-256color, or use htui list and hd run.\n"
)


def has_job_control() -> bool:
    """True when a shell would take over after a stop: it is our parent, in this session and not of our own group."""
    parent = os.getppid()
    try:
        return os.getsid(parent) == os.getsid(0) and os.getpgid(parent) != os.getpgid(0)
    except (OSError, AttributeError):
        return False


def parting_words(conversation: "Conversation") -> str:
    """What is said after leaving: that a running turn goes on, and how to come back."""
    if not conversation.running or conversation.stopping:
        return ""
    name = conversation.session_id.removeprefix("session-")[:8]
    return f"The turn goes on at the host. Come back to it with: htui {name}"


def run_app(address: "Address", *, session: str | None, directory: Path, low_bandwidth: bool = False) -> int:
    """Runs the client on this terminal until it is left; the exit code (DESIGN 7)."""
    from htui.app import HtuiApp
    from htui.composer.store import DraftStore
    from htui.copying.clipboard import Clipboard
    from htui.link.link import Link
    from htui.link.login import Auth
    from htui.pace import Pace, wish_of
    from htui.paint.driver import TerminalDriver
    from htui.screens.spending import Places
    from htui.theme import choose

    environ = os.environ
    if environ.get("TERM", "dumb") in ("", "dumb"):
        sys.stderr.write(DUMB)
        return USAGE
    state = state_folder(environ)
    auth = Auth.of(environ)
    app = HtuiApp(
        palette=choose(environ),
        drafts=DraftStore(state / "drafts"),
        copies=Clipboard(state / "copied.txt", environ),
        directory=directory,
        places=Places(state / "accounts", config_folder(environ) / "prices.json"),
        session=session,
        pace=Pace(wish_of(environ, asked=low_bandwidth)),
        driver_class=TerminalDriver,
    )
    return run(app, lambda: Link(address, auth, app.link_changed), state / "htui.log")


def run(app: "HtuiApp", make_link: "Callable[[], LinkLike]", log: Path | None = None) -> int:
    """Runs `app` until it is left. A defect ends it too: the terminal is restored, and the traceback is in `log`."""
    import asyncio

    for size in ("COLUMNS", "LINES"):  # exported by some shells, true once: the terminal itself is asked
        os.environ.pop(size, None)

    async def main() -> int | None:
        app.attach(make_link())
        return await app.run_async()

    try:
        code = asyncio.run(main())
    except HtuiError as error:
        sys.stderr.write(f"htui: {safe(error.message)}\n")
        return error.exit_code
    except Exception as error:
        return _failed(error, log)
    if app.defect is not None:
        return _failed(app.defect, log)
    if app.parting:
        sys.stdout.write(f"{app.parting}\n")
    return DONE if code is None else code


def _failed(error: BaseException, log: Path | None) -> int:
    text = "".join(traceback.format_exception(error))
    where = ""
    if log is not None:
        try:
            log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file:
                file.write(text)
            where = f" The details are in {log}."
        except OSError:
            pass
    sys.stderr.write(f"htui ended by a defect ({type(error).__name__}).{where} The draft is kept.\n")
    return FAILED
