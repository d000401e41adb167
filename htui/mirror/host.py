"""What is known of a host besides its transcripts: lists, running flags, figures, what waits for a person, models.

It is fed with the items of `$events`, `session/control` and `workspace/follow` and with the answers of the list calls
(WIRE 5, 6, 10), and says what changed and what the link has to do. Items that it does not know are passed over: a list
that misses something is better than a connection that is given up.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from htui.mirror.asks import Asks
from htui.mirror.rows import (
    PendingAsk,
    QueueItem,
    SessionEntry,
    Workspace,
    projection_block,
    session_row,
    text,
    texts,
    whole,
    with_values,
    workspace_row,
)
from htui.mirror.values import Values

_REREAD = frozenset({"llm/adapters-updated", "settings/document-updated", "credentials/reference-updated"})
_NO_KEYS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HostStep:
    """What one item did. `keys` are those of `HostChanged`, `values` the projection keys that changed by session.

    `decline` are asks that this client cannot answer and must pass on at once; `reread` asks for the catalogue again.
    """

    keys: frozenset[str] = _NO_KEYS
    values: Mapping[str, frozenset[str]] | None = None
    decline: str | None = None
    reread: bool = False


_NOTHING = HostStep()


class HostMirror:
    """Everything is read only; the other methods are for the link.

    `client_id` and `home` come from the host at each connection. `catalogue` is the value of `session/modelCatalog`,
    None until it came, `sandbox` how the host says that it holds commands. `command_changes` grows whenever the host's
    commands may be others. `metrics` is False when the host has no `session/control`. By session, `errors` holds the
    latest text that its agent failed with, `clients` how many follow it (this one among them; nothing where the host
    does not tell), `activations` whether its goal is `armed`.
    """

    def __init__(self) -> None:
        self.client_id = ""
        self.home = ""
        self.metrics = True
        self.command_changes = 0
        self.catalogue: Mapping[str, Any] | None = None
        self.sandbox = ""
        self.errors: dict[str, str] = {}
        self.archived: frozenset[str] = frozenset()
        self.clients: Mapping[str, int] = {}
        self.activations: dict[str, str] = {}
        self._workspaces: dict[str, Workspace] = {}
        self._entries: dict[str, SessionEntry] = {}
        self._values: dict[str, Values] = {}
        self._asks = Asks()
        self._complete: dict[str, SessionEntry] = {}
        self._sessions: tuple[SessionEntry, ...] | None = ()
        self._touched: dict[str, int] = {}
        self._clock = 0

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        return tuple(self._workspaces.values())

    @property
    def sessions(self) -> tuple[SessionEntry, ...]:
        """All sessions in the host's order, new ones first; sub-agents and archived ones are among them."""
        if self._sessions is None:
            self._sessions = tuple([self._completed(entry) for entry in self._entries.values()])
        return self._sessions

    @property
    def asks(self) -> tuple[PendingAsk, ...]:
        """What waits for a person, oldest first."""
        return self._asks.all()

    def session(self, session_id: str) -> SessionEntry | None:
        entry = self._entries.get(session_id)
        return None if entry is None else self._completed(entry)

    def projections(self, session_id: str) -> dict[str, Any]:
        """The projection values of a session, as far as the host sent any."""
        values = self._values.get(session_id)
        return {} if values is None else values.copy()

    def queue(self, session_id: str) -> tuple[QueueItem, ...]:
        values = self._values.get(session_id)
        return () if values is None else values.queue

    def values(self, session_id: str) -> Values:
        """The live values of a session, for its mirror to share."""
        return self._values.setdefault(session_id, Values())

    def begin(self) -> None:
        """A new connection: what is held stays until it is replaced, and asks until `confirmed`."""
        self.client_id = ""
        self.metrics = True
        self.command_changes += 1
        self.clients = {}
        self.activations.clear()
        self._asks.begin()
        for values in self._values.values():
            values.begin()

    def event(self, item: Any, now: int) -> HostStep:
        """Takes an item of `$events`; `now` is in ms."""
        if not isinstance(item, Mapping):
            return _NOTHING
        kind = item.get("type")
        if kind == "emit":
            args = item.get("args")
            return self._emitted(text(item.get("event")), args if isinstance(args, list) else [])
        if kind == "waterfall":
            return self._asked(item, now)
        if kind == "cancel":
            return self.settled(text(item.get("eventId")))
        if kind == "ready":
            host = item.get("host")
            self.client_id = text(item.get("clientId"))
            self.home = text(host.get("home")) if isinstance(host, Mapping) else ""
        return _NOTHING

    def present(self, item: Any) -> HostStep:
        """Takes an item of `presence/follow`."""
        sessions = _mapping(_mapping(item).get("sessions"))
        self.clients = {known: len(rows) for known, rows in sessions.items() if isinstance(rows, list)}
        return HostStep(frozenset({"clients"}))

    def confirmed(self) -> HostStep:
        """The host had the time to send again all asks that still wait; those that it did not are settled."""
        return HostStep(frozenset({"asks"})) if self._asks.confirm() else _NOTHING

    def settled(self, event_id: str) -> HostStep:
        """An ask was answered here or elsewhere, or withdrawn."""
        return HostStep(frozenset({"asks"})) if self._asks.settle(event_id) else _NOTHING

    def control(self, item: Any) -> HostStep:
        """Takes an item of `session/control`."""
        if not isinstance(item, Mapping):
            return _NOTHING
        kind, session_id = item.get("type"), text(item.get("sessionId"))
        if kind == "baseline" and isinstance(item.get("value"), Mapping):
            return self._baseline(item["value"])
        if not session_id:
            return _NOTHING
        values = self.values(session_id)
        if kind == "projection":
            key = text(item.get("key"))
            changed = values.put(key, item.get("value"), whole(item.get("seq")))
            return self._valued({session_id: frozenset({key})}) if changed else _NOTHING
        if kind == "queue":
            values.set_queue(item.get("items"))
            return self._valued({session_id: frozenset({"inbox"})})
        if kind == "jobs":
            values.set_jobs(item.get("jobs", item.get("items")))
            return self._valued({session_id: frozenset({"jobs"})})
        return _NOTHING

    def workspace(self, item: Any) -> HostStep:
        """Takes an item of `workspace/follow`."""
        if not isinstance(item, Mapping):
            return _NOTHING
        kind = item.get("type")
        value = item.get("value")
        if kind in ("baseline", "replace"):
            return self._workspace_baseline(value if isinstance(value, Mapping) else item)
        if kind == "upsert":
            row = workspace_row(item.get("workspace"))
            if row is not None:
                known = row.workspace_id in self._workspaces
                self._workspaces = {row.workspace_id: row, **self._workspaces} if not known else self._workspaces
                self._workspaces[row.workspace_id] = row
        elif kind == "remove":
            self._workspaces.pop(text(item.get("workspaceId")), None)
        elif kind == "order":
            ordered = [known for known in texts(item.get("workspaceIds")) if known in self._workspaces]
            rest = [known for known in self._workspaces if known not in ordered]
            self._workspaces = {known: self._workspaces[known] for known in (*ordered, *rest)}
        elif kind == "archived":
            return self._archived(item.get("archivedSessionIds"))
        else:
            return _NOTHING
        return HostStep(frozenset({"workspaces"}))

    def asking(self) -> int:
        """To be taken when `session/list` is called and given to `listed`: what changes in between is newer."""
        return self._clock

    def listed(self, value: Any, asked: int) -> HostStep:
        """Takes the answer of `session/list`; a session whose state was announced since `asked` keeps that state."""
        items = value.get("items") if isinstance(value, Mapping) else None
        rows = [row for row in map(session_row, items) if row is not None] if isinstance(items, list) else []
        newer = self.announced(asked)
        listed = {row.session_id: row for row in rows}
        entries = {known: entry for known, entry in self._entries.items() if known in newer and known not in listed}
        for row in rows:
            old = self._entries.get(row.session_id)
            if old is not None:
                row = replace(row, updated_at=max(row.updated_at, old.updated_at))
                row = replace(row, running=old.running, blank=old.blank) if row.session_id in newer else row
            entries[row.session_id] = row
        self._entries = entries
        if isinstance(items, list):
            for item in items:
                self._seed(item)
        self._stale()
        return HostStep(frozenset({"sessions", "list"}))

    def announced(self, since: int) -> set[str]:
        """The sessions that began or ended to run, came or went since `asking` gave that."""
        return {known for known, when in self._touched.items() if when > since}

    def catalogued(self, value: Any) -> HostStep:
        """Takes the answer of `session/modelCatalog`, None when the call failed."""
        self.catalogue = value if isinstance(value, Mapping) else None
        return HostStep(frozenset({"catalogue"}))

    def described(self, value: Any) -> HostStep:
        """Takes the answer of `host/describe`, which only some hosts give."""
        self.sandbox = text(_mapping(_mapping(value).get("sandbox")).get("text"))
        return HostStep(frozenset({"sandbox"}))

    def _completed(self, entry: SessionEntry) -> SessionEntry:
        """The row with its values; made once and kept until something about it changes."""
        session_id = entry.session_id
        found = self._complete.get(session_id)
        if found is None:
            values = self._values.get(session_id)
            found = entry if values is None else with_values(entry, values.copy())
            found = self._complete[session_id] = replace(found, archived=session_id in self.archived)
        return found

    def _stale(self, session_ids: Iterable[str] | None = None) -> None:
        """The rows of these sessions, or all rows, are to be made anew."""
        self._sessions = None
        if session_ids is None:
            self._complete.clear()
            return
        for session_id in session_ids:
            self._complete.pop(session_id, None)

    def _emitted(self, event: str, args: list[Any]) -> HostStep:
        if event in _REREAD:
            return HostStep(reread=True)
        if event == "api-session/added" and args:
            return self._added(args[0])
        if event == "goal/activation-changed" and args:
            return self._activated(_mapping(args[0]))
        session_id = text(args[0]) if args else ""
        if event == "commands/change":
            self.command_changes += 1
            return HostStep(frozenset({"commands"}))
        if event == "api-session/error" and session_id:
            self.errors[session_id] = text(args[1]) if len(args) > 1 else ""
            return HostStep(frozenset({"errors"}))
        entry = self._entries.get(session_id)
        if event == "api-session/status" and len(args) > 1:
            self._touch(session_id)
            running = args[1] is True
            if running:
                self.errors.pop(session_id, None)
            blank = entry is not None and entry.blank and not running
            return self._enter(replace(entry or SessionEntry(session_id), running=running, blank=blank))
        if event == "api-session/activity" and len(args) > 1 and entry is not None:
            return self._enter(replace(entry, updated_at=whole(args[1], entry.updated_at)))
        if event == "api-session/removed" and entry is not None:
            self._touch(session_id)
            return self._enter(replace(entry, running=False))
        return _NOTHING

    def _added(self, summary: Any) -> HostStep:
        row = session_row(summary)
        if row is None:
            return _NOTHING
        self._touch(row.session_id)
        keys = self._seed(summary)
        return replace(self._enter(row), values={row.session_id: keys} if keys else None)

    def _activated(self, change: Mapping[str, Any]) -> HostStep:
        self.activations[text(change.get("sessionId"))] = text(_mapping(change.get("goal")).get("activation"))
        return HostStep(frozenset({"goals"}))

    def _enter(self, entry: SessionEntry) -> HostStep:
        known = entry.session_id in self._entries
        self._entries = self._entries if known else {entry.session_id: entry, **self._entries}
        self._entries[entry.session_id] = entry
        self._stale([entry.session_id])
        return HostStep(frozenset({"sessions"}))

    def _touch(self, session_id: str) -> None:
        self._clock += 1
        self._touched[session_id] = self._clock

    def _seed(self, summary: Any) -> frozenset[str]:
        as_of, values = projection_block(_mapping(summary).get("projections"))
        return self.values(text(summary.get("sessionId"))).seed(as_of, values) if values else _NO_KEYS

    def _asked(self, item: Mapping[str, Any], now: int) -> HostStep:
        if self._asks.add(item, now):
            return HostStep(frozenset({"asks"}))
        return HostStep(decline=text(item.get("eventId")) or None)

    def _baseline(self, value: Mapping[str, Any]) -> HostStep:
        changed: dict[str, frozenset[str]] = {}
        for session_id, block in _mapping(value.get("projections")).items():
            changed[session_id] = self.values(session_id).seed(*projection_block(block))
        for session_id, items in _mapping(value.get("queues")).items():
            self.values(session_id).set_queue(items)
            changed[session_id] = changed.get(session_id, _NO_KEYS) | {"inbox"}
        jobs = _mapping(value.get("jobs"))
        for session_id in {*jobs, *(known for known, values in self._values.items() if values.jobs)}:
            self.values(session_id).set_jobs(jobs.get(session_id))
            changed[session_id] = changed.get(session_id, _NO_KEYS) | {"jobs"}
        return self._valued(changed)

    def _valued(self, changed: Mapping[str, frozenset[str]]) -> HostStep:
        self._stale(changed)
        return HostStep(frozenset({"projections"}), changed)

    def _workspace_baseline(self, value: Mapping[str, Any]) -> HostStep:
        items = value.get("items")
        rows = [row for row in map(workspace_row, items) if row is not None] if isinstance(items, list) else []
        self._workspaces = {row.workspace_id: row for row in rows}
        return replace(self._archived(value.get("archivedSessionIds")), keys=frozenset({"workspaces", "sessions"}))

    def _archived(self, ids: object) -> HostStep:
        self.archived = frozenset(texts(ids))
        self._stale()
        return HostStep(frozenset({"sessions"}))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
