"""The rows of the lists and of what waits for a person, read from what hosts of 0.1.5 and 0.2 send.

Reading is lenient: a field that is missing or of another kind takes its empty value, and a row without an id is None.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

AskKind = Literal["approval", "question"]

APPROVAL_REQUEST = "approval/request"
QUESTIONS_REQUEST = "user-questions/request"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A registered folder. `session_ids` are in the host's order and may hold archived ones."""

    workspace_id: str
    path: str
    title: str
    session_ids: tuple[str, ...] = ()
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A session as the lists show it; `updated_at` is in ms. `parent` and `origin` are set for sub-agents and forks.

    `values` are its projection values as far as known, `blank` means that no turn has run yet.
    """

    session_id: str
    title: str | None = None
    cwd: str = ""
    updated_at: int = 0
    running: bool = False
    blank: bool = False
    origin: str | None = None
    parent: str | None = None
    archived: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PendingAsk:
    """An approval or a question that waits for an answer; `since` (ms) is when this client first saw it.

    `request` is what the host sent: `toolName`, `callId`, `reason` of an approval, `questions` of a question.
    """

    event_id: str
    kind: AskKind
    session_id: str
    request: Mapping[str, Any]
    since: int


def workspace_row(wire: object) -> Workspace | None:
    if not isinstance(wire, Mapping):
        return None
    workspace_id, path = text(wire.get("workspaceId")), text(wire.get("path"))
    if not workspace_id:
        return None
    title = text(wire.get("title")) or path.rstrip("/").rpartition("/")[2] or path
    created, updated = text(wire.get("createdAt")), text(wire.get("updatedAt"))
    return Workspace(workspace_id, path, title, texts(wire.get("sessionIds")), created, updated)


def session_row(wire: object) -> SessionEntry | None:
    """A `SessionSummary` (WIRE 10); its title comes from the projections that it carries."""
    if not isinstance(wire, Mapping) or not text(wire.get("sessionId")):
        return None
    _, values = projection_block(wire.get("projections"))
    return SessionEntry(
        session_id=text(wire.get("sessionId")),
        title=title_of(values),
        cwd=text(wire.get("cwd")),
        updated_at=whole(wire.get("updatedAt")),
        running=wire.get("running") is True,
        blank=wire.get("blank") is True,
        origin=text(wire.get("origin")) or None,
        parent=text(wire.get("parentSessionId")) or None,
        values=values,
    )


def with_values(entry: SessionEntry, values: Mapping[str, Any]) -> SessionEntry:
    return replace(entry, title=title_of(values), values=values)


def pending_ask(wire: Mapping[str, Any], now: int) -> PendingAsk | None:
    """A waterfall that a person can answer; None when this client does not know its kind or cannot read it."""
    request = wire.get("request")
    event_id, session_id = text(wire.get("eventId")), text(wire.get("agentId"))
    if not isinstance(request, Mapping) or not event_id:
        return None
    if wire.get("event") == APPROVAL_REQUEST:
        return PendingAsk(event_id, "approval", session_id, request, now)
    if wire.get("event") == QUESTIONS_REQUEST and _readable(request.get("questions")):
        return PendingAsk(event_id, "question", session_id, request, now)
    return None


def _readable(questions: object) -> bool:
    return (
        isinstance(questions, list)
        and bool(questions)
        and all(isinstance(q, Mapping) and text(q.get("id")) and text(q.get("question")) for q in questions)
    )


def projection_block(block: object) -> tuple[int, Mapping[str, Any]]:
    """(asOfSeq, values) of the block that baselines, list rows and snapshots carry."""
    if not isinstance(block, Mapping):
        return -1, {}
    values = block.get("values")
    return whole(block.get("asOfSeq"), -1), values if isinstance(values, Mapping) else {}


def title_of(values: Mapping[str, Any]) -> str | None:
    """The title projection: text, or an object with a `title` on some hosts."""
    title = values.get("title")
    if isinstance(title, Mapping):
        title = title.get("title")
    return text(title) or None


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def whole(value: object, otherwise: int = 0) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A message that waits: `queued` for a turn of its own, `steering` for the next step, `context` made by a plugin.

    `request_id` is that of the prompt it came from, `content` its blocks.
    """

    item_id: str
    placement: str
    request_id: str | None
    content: tuple[Mapping[str, Any], ...]


def queue_item(wire: object) -> QueueItem | None:
    if not isinstance(wire, Mapping) or not text(wire.get("id")):
        return None
    message = wire.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    blocks = tuple(b for b in content if isinstance(b, Mapping)) if isinstance(content, list) else ()
    return QueueItem(text(wire.get("id")), text(wire.get("placement")), text(wire.get("rpcId")) or None, blocks)
