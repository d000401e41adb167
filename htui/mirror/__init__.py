"""What the client knows of a host and of its sessions: folds of what the wire brings, without I/O.

`SessionMirror` is one followed session, `HostMirror` everything beside: workspaces, sessions, what waits for a person,
the catalogue of models. Both are fed by `htui.link` and read by whoever shows them.
"""

from hd.protocol.chunked import ChunkedList
from hd.protocol.projections.transcript import Row
from htui.mirror.changes import IDLE, NOTHING, MirrorChange, Phase
from htui.mirror.host import HostMirror
from htui.mirror.rows import PendingAsk, QueueItem, SessionEntry, Workspace
from htui.mirror.session import SessionMirror
from htui.mirror.values import Values

__all__ = [
    "IDLE",
    "NOTHING",
    "ChunkedList",
    "HostMirror",
    "MirrorChange",
    "PendingAsk",
    "Phase",
    "QueueItem",
    "Row",
    "SessionEntry",
    "SessionMirror",
    "Values",
    "Workspace",
]
