"""`htui list workspaces|sessions`: what the host lists, as JSON or as lines of fields with a tab between.

Each call is made once: whatever fails is told at once (no retry), and stdout holds nothing but the list.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from htui.errors import DONE, HtuiError, ProtocolBroken
from htui.link.address import Address, resolve
from htui.link.login import Auth, with_cookie

SESSION_FIELDS = ("sessionId", "title", "cwd", "updatedAt", "running", "blank", "origin", "parentSessionId")
WORKSPACE_FIELDS = ("workspaceId", "path", "title", "sessionIds", "createdAt", "updatedAt")

Row = dict[str, Any]


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="htui list", description="Print the workspaces or sessions of a host.")
    parser.add_argument("what", choices=("workspaces", "sessions"))
    parser.add_argument("--workspace", metavar="ID", help="only this workspace, or only its sessions")
    parser.add_argument("--json", action="store_true", help='print {"items": […]} instead of fields with tabs between')
    parser.add_argument("--url", help="the host, as http://127.0.0.1:3080 or the URL that hd printed")
    chosen = parser.parse_args(arguments)
    address, auth = resolve(chosen.url, os.environ), Auth.of(os.environ)
    if chosen.what == "workspaces":
        rows = _workspaces(address, auth, chosen.workspace)[0]
        line = _workspace_line
    else:
        rows = _sessions(address, auth, chosen.workspace)
        line = _session_line
    sys.stdout.write(as_json(rows) if chosen.json else "".join(f"{line(row)}\n" for row in rows))
    return DONE


def _sessions(address: Address, auth: Auth, workspace: str | None) -> list[Row]:
    answer = with_cookie(address, auth, lambda http: http.call("session/list", {"_request": {}}))
    rows = [session_item(wire) for wire in items_of(answer)]
    if workspace is None:
        return rows
    chosen, archived = _workspaces(address, auth, workspace)
    by_id = {row["sessionId"]: row for row in rows}
    return [by_id[known] for known in chosen[0]["sessionIds"] if known in by_id and known not in archived]


def _workspaces(address: Address, auth: Auth, workspace: str | None) -> tuple[list[Row], frozenset[str]]:
    """(rows, archived session ids); `HtuiError` when the one that is asked for is not among them."""
    from htui.link.once import first_item

    baseline = with_cookie(address, auth, lambda http: first_item(http, "workspace/follow"))
    value = baseline.get("value") if isinstance(baseline, Mapping) else None
    rows = [_fields(wire, WORKSPACE_FIELDS) for wire in items_of(value)]
    if workspace is not None:
        rows = [row for row in rows if row["workspaceId"] == workspace]
        if not rows:
            raise HtuiError(f"There is no workspace {_plain(workspace)}; htui list workspaces prints them.")
    archived = value.get("archivedSessionIds") if isinstance(value, Mapping) else None
    return rows, frozenset(archived if isinstance(archived, list) else ())


def items_of(value: object) -> list[Mapping[str, Any]]:
    """The rows of a list answer; `ProtocolBroken` when it is none."""
    items = value.get("items") if isinstance(value, Mapping) else None
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise ProtocolBroken("The host answered with something that is no list.")
    return items


def session_item(wire: Mapping[str, Any]) -> Row:
    """The fields of a session that are printed; its title comes from the projections that the row carries."""
    block = wire.get("projections")
    values = block.get("values") if isinstance(block, Mapping) else None
    title = values.get("title") if isinstance(values, Mapping) else None
    if isinstance(title, Mapping):
        title = title.get("title")
    return _fields({**wire, "title": title}, SESSION_FIELDS)


def as_json(rows: Iterable[Row]) -> str:
    """The rows as one JSON document and a line break, safe to print."""
    return document({"items": list(rows)})


def document(value: Mapping[str, Any]) -> str:
    """One JSON document and a line break; what a terminal might obey is escaped, also beyond ASCII."""
    text = msgspec.json.encode(value).decode()
    return "".join(c if c.isprintable() else _escaped(c) for c in text) + "\n"


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def _fields(wire: Mapping[str, Any], names: tuple[str, ...]) -> Row:
    return {name: wire.get(name) for name in names}


def _session_line(row: Row) -> str:
    state = "running" if row["running"] else "empty" if row["blank"] else "ready"
    return "\t".join(map(_plain, (row["sessionId"], state, _time(row["updatedAt"]), row["title"], row["cwd"])))


def _workspace_line(row: Row) -> str:
    sessions = row["sessionIds"] if isinstance(row["sessionIds"], list) else []
    return "\t".join(map(_plain, (row["workspaceId"], str(len(sessions)), row["title"], row["path"])))


def _time(milliseconds: object) -> str:
    from datetime import UTC, datetime

    if not isinstance(milliseconds, int | float):
        return ""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _plain(text: object) -> str:
    """One field of one line: no control character, tab or line break of the host's reaches the terminal."""
    if not isinstance(text, str):
        return ""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
