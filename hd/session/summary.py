"""What a list says of a session (WIRE 10, `SessionSummary`); pure."""

from typing import Any

import msgspec

from hd.session.live import Header, LiveSession
from hd.session.store.base import SessionRow


def of_live(session: LiveSession) -> dict[str, Any]:
    """The row of a session in memory."""
    summary = _summary(
        session.header,
        updated_at=session.updated_at,
        running=session.value("turn").running,
        blank=session.value("sessionListMetadata").blank,
    )
    values = session.state.views()
    return summary | {"projections": {"kind": "sequenced", "asOfSeq": session.state.seq, "values": values}}


def of_row(row: SessionRow, *, readable: bool) -> dict[str, Any]:
    """The row of a session that is not in memory; it says so where the session cannot be opened."""
    values = msgspec.json.decode(row.projections) if row.projections else {}
    blank = bool((values.get("sessionListMetadata") or {}).get("blank", True))
    summary = _summary(Header.of(row), updated_at=row.updated_at, running=False, blank=blank)
    if not readable or is_cut(row):
        # Every client shows the title, and none of them knows a field for this.
        values["title"] = f"{values.get('title') or 'Session'} (its log is damaged)"
        summary["agentAvailable"] = False
    return summary | {"projections": {"kind": "cached", "asOfSeq": row.as_of_seq, "values": values}}


def is_cut(row: SessionRow) -> bool:
    """Whether a part of the log is gone from which something else is kept."""
    return row.as_of_seq > row.head


def _summary(header: Header, *, updated_at: int, running: bool, blank: bool) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "sessionId": header.id,
        "updatedAt": updated_at,
        "running": running,
        "blank": blank,
        "cwd": header.cwd,
        "agentAvailable": True,
        "formatStatus": "current",
    }
    if header.parent is not None:
        summary["parentSessionId"] = header.parent
    if header.origin is not None:
        summary["origin"] = header.origin
    return summary
