"""Which workspace and which session a start means: pure (CLIENT 1.4)."""

from collections.abc import Iterable
from pathlib import PurePath

from htui.mirror import SessionEntry, Workspace
from htui.present.safe import one_line


def workspace_of(directory: PurePath, workspaces: Iterable[Workspace]) -> Workspace | None:
    """The workspace that contains the directory; of several the deepest. Whole path segments count."""
    found = [w for w in workspaces if w.path and directory.is_relative_to(w.path)]
    return max(found, key=lambda w: len(PurePath(w.path).parts), default=None)


def blank_session(workspace: Workspace, sessions: Iterable[SessionEntry]) -> SessionEntry | None:
    """An empty session of the workspace that can be used instead of a new one, the latest first."""
    inside = set(workspace.session_ids)
    free = [s for s in sessions if s.session_id in inside and s.blank and not (s.running or s.archived or s.origin)]
    return max(free, key=lambda s: s.updated_at, default=None)


def session_named(wanted: str, sessions: Iterable[SessionEntry]) -> SessionEntry | None:
    """The session of an id, of the beginning of one, or of a title; None when there is not exactly one."""
    return next((found[0] for found in _named(wanted, sessions) if len(found) == 1), None)


def not_found(wanted: str, sessions: Iterable[SessionEntry]) -> str:
    """Why a name opened no session."""
    name = one_line(wanted, 60)
    if any(_named(wanted, sessions)):
        return f"Several sessions are called {name}: choose one."
    return f"No session is called {name}: choose one, or begin a new one."


def _named(wanted: str, sessions: Iterable[SessionEntry]) -> tuple[list[SessionEntry], ...]:
    """The sessions of that very id, of an id that begins so, and of that title."""
    rows = list(sessions)
    exact = [s for s in rows if s.session_id == wanted]
    bare = wanted.removeprefix("session-")
    begun = [s for s in rows if bare and s.session_id.removeprefix("session-").startswith(bare)]
    titled = [s for s in rows if (s.title or "").casefold() == wanted.casefold()]
    return exact, begun, titled


def is_visible(entry: SessionEntry, archived: frozenset[str]) -> bool:
    """True for a session that a picker lists."""
    return not entry.archived and entry.session_id not in archived and entry.origin != "subagent"
